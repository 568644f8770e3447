/** What a client tells its user without being asked, and the listeners to it. A listener that throws harms nobody else. */

import type { PorticoError } from '../jsonrpc/errors.ts'
import { requireName } from '../jsonrpc/nearest.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import type { LogMessage } from '../protocol/logging.ts'
import type { Change } from '../protocol/subscriptions.ts'
import type { Negotiated } from './negotiated.ts'

/** A change that the server announced, or that may have gone unseen while the connection was down (`synthetic`). */
export type ChangeNotice = Change & { readonly synthetic?: true }

/** Something about a server that was put right, left out or not checked, in words for a person. */
export interface Warning {
  readonly kind:
    | 'tool-left-out'
    | 'item-left-out'
    | 'list-missing'
    | 'schema-not-checked'
    | 'irregular'
    | 'notifications-dropped'
    | 'handler-failed'
    | 'subscription-lost'
    | 'cache-failed'
  readonly message: string
  /** The tool, method or text that it is about. */
  readonly subject?: string
}

/** The events of a client, and what a listener of each is given. */
export interface ClientEvents {
  log: LogMessage
  change: ChangeNotice
  warning: Warning
  /** Any other notification, such as those of extensions. */
  notification: { readonly method: string; readonly params: { [key: string]: unknown } | undefined }
  /** A new connection stands in for one that was lost. */
  reconnect: Negotiated
  disconnect: PorticoError
  /** What a child process writes to standard error. */
  stderr: string
  close: PorticoError | undefined
}

/** The name of an event of a client. */
export type ClientEvent = keyof ClientEvents

const EVENTS: { readonly [Event in ClientEvent]: true } = {
  log: true,
  change: true,
  warning: true,
  notification: true,
  reconnect: true,
  disconnect: true,
  stderr: true,
  close: true,
}

/** Warnings in one second. A server can bring about as many as it sends messages, and each may end up in a log. */
const MAX_WARNINGS = 200

export class Emitter {
  #warned = 0
  #warningsSince = 0
  readonly #listeners = new Map<ClientEvent, Set<(value: never) => void>>()

  /** Adds a listener; the function that comes back removes it. */
  on<E extends ClientEvent>(event: E, listener: (value: ClientEvents[E]) => void): () => void {
    requireName('event', event, Object.keys(EVENTS))
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  has(event: ClientEvent): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0
  }

  emit<E extends ClientEvent>(event: E, value: ClientEvents[E]): void {
    if (event === 'warning' && !this.#admitsWarning(value as Warning)) return
    this.#tellAll(event, value)
  }

  #tellAll<E extends ClientEvent>(event: E, value: ClientEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      // `on` admits only listeners of this event's type under its name.
      this.tell(listener as (value: ClientEvents[E]) => void, value, event)
    }
  }

  /** The first one too many says that the others of this second are left out. Those of floods come once a second anyhow. */
  #admitsWarning({ kind }: Warning): boolean {
    if (kind === 'notifications-dropped') return true
    const now = performance.now()
    if (now - this.#warningsSince >= 1_000) {
      this.#warningsSince = now
      this.#warned = 0
    }
    if (++this.#warned === MAX_WARNINGS) {
      const message = `More than ${MAX_WARNINGS} warnings in a second: the others are left out`
      this.#tellAll('warning', { kind: 'irregular', message })
    }
    return this.#warned < MAX_WARNINGS
  }

  /** Calls any listener of the user's. One that throws or rejects ends nothing and becomes a warning, or is said on standard error. */
  tell<Value>(listener: (value: Value) => void, value: Value, subject: string): void {
    tellObserver(
      () => listener(value),
      (error) => {
        // A listener to warnings that fails would be told of its own failure without end.
        if (subject !== 'warning' && this.has('warning')) this.emit('warning', listenerFailed(subject, error))
        else console.error('[portico] a listener failed:', error)
      },
    )
  }
}

function listenerFailed(subject: string, error: unknown): Warning {
  return { kind: 'handler-failed', message: `A listener to ${subject} failed: ${String(error)}`, subject }
}
