/** One server inside another: the mounted items appear under a prefix and follow their original. */

import { invalidDefinition } from '../jsonrpc/errors.ts'
import type { Inside } from './call/method.ts'
import type { ServerCore } from './core.ts'
import type { Collection, Feature, FeatureDefinition, Item } from './feature.ts'
import type { ServerChange } from './items/changes.ts'
import { checkName, type Registry } from './items/registry.ts'

/** A server that is shown inside another, until it is unmounted. */
export interface Mounted {
  /** Takes the mounted items out again. */
  unmount(): void
}

export function mountCore(outer: ServerCore, prefix: string, inner: ServerCore): Mounted {
  checkName(prefix, 'mount prefix', 64)
  if (outer === inner) throw invalidDefinition('A server cannot be mounted in itself')
  inner.requireMountable()
  const mirrors: Mirror[] = []
  const mirror = (definition: FeatureDefinition): Mirror[] => {
    const source: Feature = inner.features.of(definition)
    // What has no items has nothing to show: it stays the inner server's own.
    if (source.collections === undefined) return []
    const shown: Feature = outer.features.of(definition)
    const made = source.collections.flatMap((collection, at) => {
      const target = shown.collections?.[at]
      return target === undefined ? [] : [new Mirror(collection, target, rename(prefix, inner, collection))]
    })
    mirrors.push(...made)
    return made
  }
  for (const definition of inner.features.definitions) mirror(definition)
  const unwatch = inner.features.watch((definition) => {
    for (const late of mirror(definition)) late.start()
  })
  const relay = {
    hear: (change: ServerChange) => (change.kind === 'resource' ? outer.hub.announce(change) : undefined),
  }
  inner.mounts++
  let mounted = true
  const unmount = (): void => {
    if (mounted) inner.mounts--
    mounted = false
    unwatch()
    inner.hub.remove(relay)
    for (const mirror of mirrors) mirror.stop()
  }
  try {
    for (const mirror of mirrors) mirror.start()
  } catch (error) {
    // All or nothing: what was mounted before the clash is taken out again.
    unmount()
    throw error
  }
  inner.hub.add(relay)
  return { unmount }
}

type Rename = (key: string, entry: Item) => [string, Item]

/** The item as the outer server shows it. URIs are addresses: two servers may not claim the same one. */
function rename(
  prefix: string,
  inner: ServerCore,
  { registry, keyedBy, method, show, rename: named }: Collection,
): Rename {
  return (key, entry) => {
    const name = `${prefix}_${show(entry).name}`
    if (keyedBy === 'uri') return [key, { ...named(entry, name), inside: within(inner, method, entry) }]
    checkName(name, registry.noun)
    return [name, { ...named(entry, name), inside: within(inner, method, entry, key) }]
  }
}

/** What the inner server puts around its items it keeps, and they see the names that it gave them. */
function within(inner: ServerCore, method: string, entry: Item, name?: string): Inside {
  return (call, run) => {
    const params = name === undefined ? call.params : { ...call.params, name }
    return inner.around(method, call, params, () => (entry.inside === undefined ? run() : entry.inside(call, run)))
  }
}

/** Keeps what `outer` shows of `inner` in step with it. */
class Mirror {
  readonly #inner: Registry<Item>
  readonly #outer: Registry<Item>
  readonly #rename: Rename
  /** Keys in `outer` that come from here, with the item of `inner` each shows. */
  readonly #shown = new Map<string, Item>()
  #unwatch: (() => void) | undefined

  constructor(inner: Collection, outer: Collection, renamed: Rename) {
    this.#inner = inner.registry
    this.#outer = outer.registry
    this.#rename = renamed
  }

  start(): void {
    this.#sync()
    this.#unwatch = this.#inner.watch(() => this.#sync())
  }

  stop(): void {
    this.#unwatch?.()
    for (const key of this.#shown.keys()) this.#outer.remove(key)
    this.#shown.clear()
  }

  #sync(): void {
    const wanted = new Map([...this.#inner.entries()].map(([key, item]) => [this.#rename(key, item)[0], { key, item }]))
    for (const key of [...this.#shown.keys()]) {
      if (wanted.has(key)) continue
      this.#shown.delete(key)
      this.#outer.remove(key)
    }
    for (const [outerKey, { key, item }] of wanted) {
      const shown = this.#shown.get(outerKey)
      if (shown === item) continue
      const [, renamed] = this.#rename(key, item)
      if (shown === undefined) this.#outer.add(outerKey, renamed)
      else this.#outer.replace(outerKey, renamed)
      this.#shown.set(outerKey, item)
    }
  }
}
