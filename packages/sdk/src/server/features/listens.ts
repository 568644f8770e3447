/** Open `subscriptions/listen` requests (`subscriptions.ts`). Loaded for the first client that listens. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import { META_SUBSCRIPTION_ID } from '../../protocol/meta.ts'
import { readFilter, type SubscriptionFilter } from '../../protocol/subscriptions.ts'
import { KEPT_LIMITS, KeptText } from '../../session/kept-text.ts'
import type { ServerCall } from '../call/call.ts'
import { DEFERRED, invalidParam, tooManySubscriptions } from '../call/method.ts'
import type { FeatureHost } from '../feature.ts'
import { type ChangeListener, noticeOf, type ServerChange } from '../items/changes.ts'

/** What serves `subscriptions/listen`. Whoever brought a listen ends it: a server may be served in several ways. */
export class Listens {
  readonly #host: FeatureHost

  constructor(host: FeatureHost) {
    this.#host = host
  }

  listen(call: ServerCall): Promise<typeof DEFERRED> | typeof DEFERRED {
    const { notifications: asked } = call.params
    if (!isObject(asked)) throw invalidParam('notifications', 'must be an object')
    const kept = keep(readFilter(asked)?.resourceSubscriptions ?? [], call)
    const filter = this.#host.honoured(asked, call)
    const { watch, follow } = this.#host
    const watched = watch !== undefined && filter.resourceSubscriptions !== undefined
    return watched || follow !== undefined
      ? this.#arranged(call, asked, filter, kept)
      : this.#hold(call, filter, NO_WATCHES, kept)
  }

  /**
   * What has to be arranged first for a listener: each resource that is somebody else's is followed, so that the
   * acknowledgement names those that will be heard of, and so is what a feature follows.
   */
  async #arranged(
    call: ServerCall,
    asked: JsonObject,
    filter: SubscriptionFilter,
    kept: KeptText,
  ): Promise<typeof DEFERRED> {
    const watches: Watches = { changed: () => {}, notify: () => {}, ends: [] }
    try {
      const granted = await this.#watchAll(call, filter, watches)
      const followed = await this.#host.follow?.(asked, call, (method, params) => watches.notify(method, params))
      if (followed !== undefined) watches.ends.push(() => followed.end())
      const none = watches.ends.length === 0
      this.#hold(call, { ...granted, ...followed?.filter }, none ? NO_WATCHES : watches, kept)
      followed?.begin()
      return DEFERRED
    } catch (error) {
      for (const end of watches.ends) end()
      throw error
    }
  }

  /** The filter with those resources that are followed now. */
  async #watchAll(call: ServerCall, filter: SubscriptionFilter, watches: Watches): Promise<SubscriptionFilter> {
    const { watch } = this.#host
    const { resourceSubscriptions, ...rest } = filter
    if (watch === undefined || resourceSubscriptions === undefined) return filter
    const granted = await Promise.all(
      resourceSubscriptions.map(async (uri) => {
        try {
          watches.ends.push(await watch(uri, call, (changed) => watches.changed(changed)))
          return [uri]
        } catch {
          return []
        }
      }),
    )
    const uris = granted.flat()
    return uris.length === 0 ? rest : { ...rest, resourceSubscriptions: uris }
  }

  #hold(call: ServerCall, filter: SubscriptionFilter, watches: Watches, kept: KeptText): typeof DEFERRED {
    const listen = new Listen(this, call, { filter, ends: watches.ends }, kept)
    if (watches !== NO_WATCHES) {
      watches.changed = (uri) => listen.tell({ kind: 'resource', uri })
      watches.notify = (method, params) => listen.notify(method, params)
    }
    // Bound, not wrapped: a function around it would keep everything in sight of here.
    call.onEnd = listen.end.bind(listen)
    if (!call.cancelled) listen.acknowledge()
    if (call.cancelled || call.ending) {
      listen.end()
      return DEFERRED
    }
    this.#host.hub.add(listen)
    for (const uri of listen.resources) this.#host.subscribers.add(uri)
    return DEFERRED
  }

  mayHear(uri: string, call: ServerCall): boolean {
    return this.#host.mayHear(uri, call.conversation.principal)
  }

  forget(listen: Listen): void {
    if (!this.#host.hub.remove(listen)) return
    for (const uri of listen.resources) this.#host.subscribers.remove(uri)
  }
}

/** Takes the room for what stays of a listen: the resources it names, and whatever else it says. */
function keep(uris: readonly string[], call: ServerCall): KeptText {
  const { maxSubscriptionLength, maxCapabilitiesLength } = KEPT_LIMITS
  const length = uris.reduce((sum, uri) => sum + uri.length, 0)
  if (length > maxSubscriptionLength) throw tooManySubscriptions('resourceSubscriptions')
  const { notifications: _asked, ...rest } = call.sent
  const said = JSON.stringify(rest).length
  if (said > maxCapabilitiesLength) {
    throw invalidParam('_meta', `says too much: maxCapabilitiesLength (${maxCapabilitiesLength}) exceeded`)
  }
  const kept = new KeptText()
  if (kept.add(said + length + ENTRY * uris.length)) return kept
  throw invalidParam(
    'notifications',
    `no room for more: maxTotalKeptLength (${KEPT_LIMITS.maxTotalKeptLength}) reached`,
  )
}

/** What a string costs beside its characters. */
const ENTRY = 8

/** What is followed for one listener, and how it is told. */
interface Watches {
  changed: (uri: string) => void
  notify: (method: string, params: JsonObject) => void
  readonly ends: (() => void)[]
}

const NO_WATCHES: Watches = { changed: () => {}, notify: () => {}, ends: [] }

/** One open listen. There may be ten thousand, so it keeps what it needs and no functions. */
class Listen implements ChangeListener {
  readonly #listens: Listens
  readonly #call: ServerCall
  readonly #filter: SubscriptionFilter
  readonly #resources: ReadonlySet<string> | undefined
  readonly #watches: readonly (() => void)[]
  readonly #kept: KeptText

  constructor(
    listens: Listens,
    call: ServerCall,
    { filter, ends }: { readonly filter: SubscriptionFilter; readonly ends: readonly (() => void)[] },
    kept: KeptText,
  ) {
    this.#listens = listens
    this.#call = call
    this.#filter = filter
    this.#resources = filter.resourceSubscriptions && new Set(filter.resourceSubscriptions)
    this.#watches = ends
    this.#kept = kept
  }

  get resources(): Iterable<string> {
    return this.#resources ?? []
  }

  acknowledge(): void {
    this.notify('notifications/subscriptions/acknowledged', { notifications: this.#filter })
  }

  hear(change: ServerChange): void {
    if (this.#wants(change)) this.tell(change)
  }

  tell(change: ServerChange): void {
    const { method, params } = noticeOf(change)
    this.notify(method, params)
  }

  get principal(): string | undefined {
    return this.#call.conversation.principal?.id
  }

  end(): void {
    for (const end of this.#watches) tellObserver(end)
    this.#kept.clear()
    this.#listens.forget(this)
    this.#call.deferred?.end(this.#call, { _meta: { [META_SUBSCRIPTION_ID]: this.#call.id } })
  }

  notify(method: string, params: JsonObject): void {
    this.#call.notify(method, { _meta: { [META_SUBSCRIPTION_ID]: this.#call.id }, ...params })
  }

  #wants(change: ServerChange): boolean {
    switch (change.kind) {
      case 'list':
        return this.#filter[`${change.list}ListChanged`] === true
      case 'resource':
        return this.#resources?.has(change.uri) === true && this.#listens.mayHear(change.uri, this.#call)
      case 'extension':
        return this.#filter[change.filter] !== undefined
    }
  }
}
