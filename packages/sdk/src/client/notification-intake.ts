/**
 * What becomes of a server's notifications: logs and changes are read and passed on, the rest is offered as it is. A
 * server that sends too many in a second loses logs, but no change: those are kept, once each, until the second is over;
 * where they are too many for that, everything that somebody listens to counts as changed.
 */

import { isObject, type JsonObject, type RpcNotification } from '../jsonrpc/message.ts'
import type { Change } from '../protocol/subscriptions.ts'
import type { Emitter } from './events.ts'
import { readLogMessage } from './features/logging.ts'

interface NotificationHandlers {
  changed(change: Change, params: JsonObject | undefined): void
  /** There were more changes than could be kept: anything may have changed. */
  missed(): void
  /** Notifications that belong to a feature of the client's own; true when it was one. */
  own(message: RpcNotification): boolean
}

export class NotificationIntake {
  readonly #events: Emitter
  readonly #handlers: NotificationHandlers
  readonly #perSecond: number
  readonly #kept = new Map<string, RpcNotification>()
  #windowEnds = 0
  #count = 0
  #dropped = 0
  #missed = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(events: Emitter, handlers: NotificationHandlers, perSecond: number) {
    this.#events = events
    this.#handlers = handlers
    this.#perSecond = perSecond
  }

  take(message: RpcNotification): void {
    if (this.#handlers.own(message)) return
    if (this.#counts()) this.#deliver(message)
    else this.#hold(message)
  }

  /** Counts a notification that somebody else takes. False when there were too many, and it is to be dropped. */
  admits(): boolean {
    if (this.#counts()) return true
    this.#dropped++
    this.#releaseLater()
    return false
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#kept.clear()
    this.#missed = false
  }

  #deliver(message: RpcNotification): void {
    const { method, params } = message
    const change = readChange(method, params)
    if (change !== undefined) {
      this.#handlers.changed(change, params)
      return
    }
    const log = method === 'notifications/message' ? readLogMessage(params) : undefined
    if (log !== undefined) this.#events.emit('log', log)
    else this.#events.emit('notification', { method, params })
  }

  /** Whether one more is within what a second allows. */
  #counts(): boolean {
    const now = performance.now()
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + 1_000
      this.#count = 0
    }
    return ++this.#count <= this.#perSecond
  }

  #hold(message: RpcNotification): void {
    const change = readChange(message.method, message.params)
    const key = change === undefined ? undefined : JSON.stringify([change, message.params?._meta])
    if (key === undefined) this.#dropped++
    else if (this.#kept.has(key) || this.#kept.size < MAX_KEPT) this.#kept.set(key, message)
    else this.#missed = true
    this.#releaseLater()
  }

  #releaseLater(): void {
    this.#timer ??= setTimeout(() => this.#release(), Math.max(0, this.#windowEnds - performance.now()))
  }

  #release(): void {
    this.#timer = undefined
    const kept = [...this.#kept.values()]
    this.#kept.clear()
    if (this.#dropped > 0) {
      const message = `${this.#dropped} notifications were dropped: notificationsPerSecond (${this.#perSecond}) exceeded`
      this.#dropped = 0
      this.#events.emit('warning', { kind: 'notifications-dropped', message })
    }
    for (const message of kept) this.#deliver(message)
    if (!this.#missed) return
    this.#missed = false
    this.#handlers.missed()
  }
}

const MAX_KEPT = 1_000

/** The change that a notification announces, if it announces one. */
function readChange(method: string, params: JsonObject | undefined): Change | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return { kind: 'tools' }
    case 'notifications/prompts/list_changed':
      return { kind: 'prompts' }
    case 'notifications/resources/list_changed':
      return { kind: 'resources' }
    case 'notifications/resources/updated':
      return isObject(params) && typeof params.uri === 'string' ? { kind: 'resource', uri: params.uri } : undefined
    default:
      return undefined
  }
}
