/**
 * Change notices from the client's side. A subscription is a wish that outlives connections: on 2026-07-28 it is held as
 * a `subscriptions/listen` request, before that by `resources/subscribe` and the notices every session gets. When it was
 * interrupted, everything it covers is reported as changed once it stands again, since nobody knows what was missed.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RequestId, type RpcNotification } from '../../jsonrpc/message.ts'
import { wait } from '../../jsonrpc/time-limit.ts'
import { META_SUBSCRIPTION_ID } from '../../protocol/meta.ts'
import { type Change, readFilter, requireFilter, type SubscriptionFilter } from '../../protocol/subscriptions.ts'
import type { Connection } from '../connection.ts'
import type { ChangeNotice, Emitter } from '../events.ts'
import type { Reconnector } from '../reconnector.ts'
import type { Requests } from '../requests.ts'
import { type WaitOptions, within } from '../with-deadline.ts'

/** A subscription to changes, as `client.subscribe` makes it; it lasts until it is closed. */
export interface Subscription {
  /** What the server agreed to report. */
  readonly filter: SubscriptionFilter
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Entry {
  readonly wanted: SubscriptionFilter
  readonly callback: ((change: ChangeNotice) => void) | undefined
  readonly ending: AbortController
  /** The `subscriptions/listen` request in force, and the connection that it is on. */
  id: RequestId | undefined
  connection: Connection | undefined
  granted: SubscriptionFilter
  /** It stood before, so that standing again means there was a gap. */
  stood: boolean
  standing: () => void
}

/** Of no function's scope: one made within an attempt would hold that attempt, and through it all that were before. */
const nothing = (): void => {}

interface SubscriptionOptions {
  readonly acknowledgeMs: number
  /** Told of what may have changed while nobody listened, before anybody else is. */
  readonly missed: (change: Change) => void
}

export class Subscriptions {
  readonly #requests: Requests
  readonly #reconnector: Reconnector
  readonly #events: Emitter
  readonly #options: SubscriptionOptions
  readonly #entries = new Set<Entry>()
  /** How many subscriptions of this session name a URI (older revisions). */
  readonly #uris = new Map<string, number>()
  #lost: (() => void)[] = []

  constructor(requests: Requests, reconnector: Reconnector, events: Emitter, options: SubscriptionOptions) {
    this.#requests = requests
    this.#reconnector = reconnector
    this.#events = events
    this.#options = options
  }

  /** Resolves once the server has agreed. */
  async add(
    wanted: SubscriptionFilter,
    callback?: (change: ChangeNotice) => void,
    options: WaitOptions = {},
  ): Promise<Subscription> {
    requireFilter(wanted)
    const entry: Entry = {
      wanted,
      callback,
      ending: new AbortController(),
      id: undefined,
      connection: undefined,
      granted: {},
      stood: false,
      standing: nothing,
    }
    this.#entries.add(entry)
    const standing = new Promise<void>((resolve, reject) => {
      entry.standing = resolve
      void this.#maintain(entry).catch((error) => {
        this.#entries.delete(entry)
        reject(error)
      })
    })
    await within(standing, options, () => void this.#close(entry))
    const close = () => this.#close(entry)
    return {
      get filter() {
        return entry.granted
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  }

  /** Takes a change that the server announced. */
  changed(change: Change, params: JsonObject | undefined): void {
    const id = isObject(params?._meta) ? params._meta[META_SUBSCRIPTION_ID] : undefined
    if (this.#tells(id, change)) this.#events.emit('change', change)
    for (const entry of this.#entries) {
      if ((id === undefined || id === entry.id) && covers(entry.wanted, change)) this.#deliver(entry, change)
    }
  }

  /** Reports everything that is subscribed to as changed: what really did is not known. */
  missed(): void {
    for (const entry of this.#entries) if (entry.stood) this.#reportAll(entry)
  }

  /** Whether a session of the older revisions is subscribed to a URI. */
  holds(uri: string): boolean {
    return this.#uris.has(uri)
  }

  /** On 2026-07-28 each subscription that covers a change brings it: the first one is what all others hear of it by. */
  #tells(id: unknown, change: Change): boolean {
    if (id === undefined || this.#byId(id) === undefined) return true
    for (const entry of this.#entries) {
      if (entry.id !== undefined && covers(entry.granted, change)) return entry.id === id
    }
    return true
  }

  /** Takes a notice that is about a subscription itself. True when it was one. */
  own({ method, params }: RpcNotification): boolean {
    if (method === 'notifications/subscriptions/acknowledged') {
      const id = isObject(params?._meta) ? params._meta[META_SUBSCRIPTION_ID] : undefined
      const entry = this.#byId(id)
      if (entry !== undefined) this.#stands(entry, readFilter(params?.notifications) ?? {})
      return true
    }
    if (method !== 'notifications/cancelled') return false
    // The cancellation page lets a server end a subscription so; the subscriptions page, by its result. Both are taken.
    const entry = this.#byId(params?.requestId)
    if (entry?.id !== undefined) entry.connection?.peer.settle({ jsonrpc: '2.0', id: entry.id, result: {} })
    return true
  }

  /** The connection in use is gone. */
  lost(): void {
    for (const uri of this.#uris.keys()) this.#options.missed({ kind: 'resource', uri })
    this.#uris.clear()
    for (const wake of this.#lost.splice(0)) wake()
  }

  get size(): number {
    return this.#entries.size
  }

  closeAll(): void {
    for (const entry of this.#entries) entry.ending.abort()
    this.#entries.clear()
    this.lost()
  }

  async #maintain(entry: Entry): Promise<void> {
    const { signal } = entry.ending
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        if (entry.stood) await this.#reconnector.restore()
        const connection = await this.#reconnector.ready()
        const before = performance.now()
        if (connection.revision.era === 'modern') await this.#listen(entry)
        else await this.#hold(entry, connection)
        if (performance.now() - before > STEADY_MS) failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (!entry.stood) throw error
        if (error instanceof RpcError || (error as PorticoError).code === 'capability-missing') {
          const message = `A subscription could not be restored: ${(error as Error).message}`
          this.#events.emit('warning', { kind: 'subscription-lost', message })
          this.#entries.delete(entry)
          return
        }
      }
      if (this.#reconnector.closed) return
      const waitMs = Math.min(100 * 1.6 ** failures, 30_000) * (0.8 + 0.4 * Math.random())
      await wait(waitMs, signal)
    }
  }

  /** Holds a `subscriptions/listen` open. Returns when the server ends it, throws when it is lost. */
  async #listen(entry: Entry): Promise<void> {
    const attempt = new AbortController()
    const signal = AbortSignal.any([entry.ending.signal, attempt.signal])
    const timer = setTimeout(() => attempt.abort(), this.#options.acknowledgeMs)
    const standing = entry.standing
    entry.standing = () => {
      clearTimeout(timer)
      standing()
    }
    try {
      await this.#requests.send(
        {
          method: 'subscriptions/listen',
          params: { notifications: entry.wanted },
          timeoutMs: Number.POSITIVE_INFINITY,
          tasks: entry.wanted.taskIds !== undefined,
          onId: (id, connection) => {
            entry.id = id
            entry.connection = connection
          },
        },
        { signal },
      )
    } catch (error) {
      if (!attempt.signal.aborted) throw error
      throw new PorticoError('timeout', `No acknowledgement within ${this.#options.acknowledgeMs} ms`, {
        delivery: 'unknown',
      })
    } finally {
      clearTimeout(timer)
      entry.standing = nothing
      entry.id = undefined
    }
  }

  /** Subscribes within a session of the older revisions, and returns when that session is gone. */
  async #hold(entry: Entry, connection: Connection): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#lost.push(resolve))
    entry.connection = connection
    for (const uri of entry.wanted.resourceSubscriptions ?? []) {
      const count = this.#uris.get(uri) ?? 0
      if (count === 0) {
        await this.#requests.send({
          method: 'resources/subscribe',
          params: { uri },
          timeoutMs: this.#options.acknowledgeMs,
        })
      }
      this.#uris.set(uri, count + 1)
    }
    connection.peer.link.listen()
    this.#stands(entry, entry.wanted)
    await gone
  }

  #stands(entry: Entry, granted: SubscriptionFilter): void {
    const gap = entry.stood
    entry.granted = granted
    entry.stood = true
    entry.standing()
    if (gap) this.#reportAll(entry)
  }

  #reportAll(entry: Entry): void {
    for (const change of changesOf(entry.granted)) {
      const notice: ChangeNotice = { ...change, synthetic: true }
      this.#options.missed(change)
      this.#events.emit('change', notice)
      this.#deliver(entry, notice)
    }
  }

  #deliver(entry: Entry, change: ChangeNotice): void {
    if (entry.callback !== undefined) this.#events.tell(entry.callback, change, 'a subscription')
  }

  async #close(entry: Entry): Promise<void> {
    if (!this.#entries.delete(entry)) return
    entry.ending.abort()
    const { connection, wanted } = entry
    if (connection?.revision.era !== 'legacy' || this.#reconnector.current !== connection) return
    for (const uri of wanted.resourceSubscriptions ?? []) {
      const count = (this.#uris.get(uri) ?? 0) - 1
      if (count > 0) {
        this.#uris.set(uri, count)
        continue
      }
      this.#uris.delete(uri)
      this.#options.missed({ kind: 'resource', uri })
      const request = { method: 'resources/unsubscribe', params: { uri }, timeoutMs: this.#options.acknowledgeMs }
      // The caller is done with it either way; a server that refuses merely sends notices nobody listens to.
      await this.#requests.send(request).catch(() => {})
    }
  }

  #byId(id: unknown): Entry | undefined {
    if (id === undefined) return undefined
    for (const entry of this.#entries) if (entry.id === id) return entry
    return undefined
  }
}

/** How long a subscription must have stood for its interruption to count as the first. */
const STEADY_MS = 5_000

/** Whether a filter asks for a change. An update may name a part of the resource that was subscribed to. */
function covers(filter: SubscriptionFilter, change: Change): boolean {
  switch (change.kind) {
    case 'tools':
      return filter.toolsListChanged === true
    case 'prompts':
      return filter.promptsListChanged === true
    case 'resources':
      return filter.resourcesListChanged === true
    case 'resource':
      return (filter.resourceSubscriptions ?? []).some((uri) => change.uri === uri || change.uri.startsWith(uri))
    case 'extension':
      return filter[change.filter] !== undefined
  }
}

function changesOf(filter: SubscriptionFilter): Change[] {
  return [
    ...(filter.toolsListChanged ? [{ kind: 'tools' } as const] : []),
    ...(filter.promptsListChanged ? [{ kind: 'prompts' } as const] : []),
    ...(filter.resourcesListChanged ? [{ kind: 'resources' } as const] : []),
    ...(filter.resourceSubscriptions ?? []).map((uri) => ({ kind: 'resource', uri }) as const),
  ]
}
