/** The features that a server has, and what they say together: `core.ts` and `endpoint.ts` ask here and know none of them. */

import type { Principal } from '../auth/principal.ts'
import type { JsonObject, RpcNotification } from '../jsonrpc/message.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { LegacySession } from '../session/legacy-session.ts'
import type { ServerCall } from './call/call.ts'
import type { ServerMethod } from './call/method.ts'
import type { Collection, Feature, FeatureDefinition, FeatureHost, Introduction } from './feature.ts'

export class FeatureSet {
  readonly #host: FeatureHost
  readonly #added: (feature: Feature) => void
  readonly #made = new Map<string, { readonly definition: FeatureDefinition; readonly feature: Feature }>()
  readonly #watchers = new Set<(definition: FeatureDefinition) => void>()
  /** In the order in which they came. */
  all: readonly Feature[] = []
  #collections: readonly Collection[] = []

  /** `added` hears of each feature before it has any item. */
  constructor(host: FeatureHost, added: (feature: Feature) => void) {
    this.#host = host
    this.#added = added
  }

  /** The server's own of this feature, made when it is first asked for. */
  of<Made extends Feature>(definition: FeatureDefinition<Made>): Made {
    const known = this.#made.get(definition.name)
    // A feature is found under the name that its definition gave it.
    if (known !== undefined) return known.feature as Made
    const feature = definition.create(this.#host)
    this.#made.set(definition.name, { definition, feature })
    this.all = [...this.all, feature]
    this.#collections = [...this.#collections, ...(feature.collections ?? [])]
    this.#added(feature)
    for (const watcher of this.#watchers) watcher(definition)
    return feature
  }

  get definitions(): readonly FeatureDefinition[] {
    return [...this.#made.values()].map(({ definition }) => definition)
  }

  get collections(): readonly Collection[] {
    return this.#collections
  }

  /** Calls `watcher` with each feature that comes later, until the returned function is called. */
  watch(watcher: (definition: FeatureDefinition) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  capabilities(call?: ServerCall): ServerCapabilities {
    const all = this.all.map((feature) => feature.capability?.(call) ?? {})
    const extensions = Object.assign({}, ...all.map((one) => one.extensions))
    return Object.assign({}, ...all, Object.keys(extensions).length > 0 ? { extensions } : {})
  }

  methods(): ServerMethod[] {
    return this.all.flatMap((feature) => feature.methods?.() ?? [])
  }

  /** Lists that the server has, and whatever else features take from a filter. */
  honoured(asked: JsonObject, call: ServerCall): SubscriptionFilter {
    const capabilities: JsonObject = { ...this.capabilities() }
    const filter: SubscriptionFilter = {}
    for (const { list } of this.#collections) {
      const member = `${list}ListChanged`
      if (asked[member] === true && capabilities[list] !== undefined) filter[member] = true
    }
    return Object.assign(filter, ...this.all.map((feature) => feature.filter?.(asked, call)))
  }

  mayHear(uri: string, principal: Principal | undefined): boolean {
    return this.all.every((feature) => feature.mayHear?.(uri, principal) !== false)
  }

  nameSource(method: string): string | undefined {
    for (const feature of this.all) {
      const found = feature.nameSource?.(method)
      if (found !== undefined) return found
    }
    return undefined
  }

  hear(message: RpcNotification, session: LegacySession | undefined): void {
    for (const feature of this.all) feature.hear?.(message, session)
  }

  introduce(call: ServerCall): Introduction | undefined | Promise<Introduction | undefined> {
    return this.all.find(({ introduce }) => introduce !== undefined)?.introduce?.(call)
  }

  get follower(): Feature['follow'] {
    return this.all.find(({ follow }) => follow !== undefined)?.follow
  }

  get watcher(): Feature['watch'] {
    return this.all.find(({ watch }) => watch !== undefined)?.watch
  }
}
