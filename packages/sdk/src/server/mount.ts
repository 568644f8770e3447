/** One server inside another: the mounted items appear under a prefix and follow their original. */

import { invalidDefinition } from '../jsonrpc/errors.ts'
import type { Change } from '../protocol/subscriptions.ts'
import type { Inside } from './call/method.ts'
import type { MethodName } from './call/middleware.ts'
import type { ServerCore } from './core.ts'
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
  const mirrors = [
    new Mirror(inner.tools, outer.tools, (name, entry) => {
      const full = prefixed(prefix, name, 'tool')
      return [full, { ...entry, tool: { ...entry.tool, name: full }, inside: within(inner, 'tools/call', entry, name) }]
    }),
    new Mirror(inner.prompts, outer.prompts, (name, entry) => {
      const full = prefixed(prefix, name, 'prompt')
      return [
        full,
        { ...entry, prompt: { ...entry.prompt, name: full }, inside: within(inner, 'prompts/get', entry, name) },
      ]
    }),
    // URIs are addresses: they stay what they are, and two servers may not claim the same one.
    new Mirror(inner.resources, outer.resources, (uri, entry) => [
      uri,
      {
        ...entry,
        resource: { ...entry.resource, name: `${prefix}_${entry.resource.name}` },
        inside: within(inner, 'resources/read', entry),
      },
    ]),
    new Mirror(inner.templates, outer.templates, (uri, entry) => [
      uri,
      {
        ...entry,
        template: { ...entry.template, name: `${prefix}_${entry.template.name}` },
        inside: within(inner, 'resources/read', entry),
      },
    ]),
  ]
  const relay = { hear: (change: Change) => (change.kind === 'resource' ? outer.hub.announce(change) : undefined) }
  inner.mounts++
  let mounted = true
  const unmount = (): void => {
    if (mounted) inner.mounts--
    mounted = false
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

/** What the inner server puts around its items it keeps, and they see the names that it gave them. */
function within(inner: ServerCore, method: MethodName, entry: { readonly inside?: Inside }, name?: string): Inside {
  return (call, run) => {
    const params = name === undefined ? call.params : { ...call.params, name }
    return inner.around(method, call, params, () => (entry.inside === undefined ? run() : entry.inside(call, run)))
  }
}

function prefixed(prefix: string, name: string, noun: string): string {
  const full = `${prefix}_${name}`
  checkName(full, noun)
  return full
}

/** Keeps what `outer` shows of `inner` in step with it. */
class Mirror<Item> {
  readonly #inner: Registry<Item>
  readonly #outer: Registry<Item>
  readonly #rename: (key: string, item: Item) => [string, Item]
  /** Keys in `outer` that come from here, with the item of `inner` each shows. */
  readonly #shown = new Map<string, Item>()
  #unwatch: (() => void) | undefined

  constructor(inner: Registry<Item>, outer: Registry<Item>, rename: (key: string, item: Item) => [string, Item]) {
    this.#inner = inner
    this.#outer = outer
    this.#rename = rename
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
