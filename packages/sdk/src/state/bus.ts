/**
 * How processes wake each other. A message says that something changed, and where to look; what it changed to is read from
 * the store, so that a message that comes twice, late or out of order does no harm.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import { requireKey } from './store.ts'

/**
 * What hears a topic. Undefined in place of a text means that messages may have been lost (a connection was away): read the
 * store again. What a listener throws is dropped.
 */
export type BusListener = (text: string | undefined) => void

/**
 * Messages from any process to those that listen.
 *
 * - A topic is what a key of the store may be; a text has at most `BUS_LIMITS.maxTextBytes` bytes in UTF-8, is well-formed
 *   and has no U+0000. `requireMessage` refuses what is not so; every implementation calls it first.
 * - At least once: what is published after `subscribe` resolved reaches the listener, perhaps more than once, or the listener
 *   is called with undefined. The publisher's own listeners hear it too. Never inside the call of `publish`.
 * - A call rejects with a `PorticoError`: `closed` after `close`, `store-unavailable` when the message could not be handed on.
 */
export interface Bus {
  /** Hands a text to everybody who listens to a topic, in every process; nobody listening is no error. */
  publish(topic: string, text: string): Promise<void>
  /**
   * Listens to one topic from when this resolves until the function that it gives is called, after which the listener is not
   * called again. The same listener may listen twice and is then called for each.
   */
  subscribe(topic: string, listener: BusListener): Promise<() => void>
  /** Ends this process's part: its listeners are not called again. Closing twice is no error. */
  close(): Promise<void>
}

/** What every bus takes, and none has to take more of. */
export const BUS_LIMITS = { maxTextBytes: 4000 } as const

/**
 * Throws unless a bus can carry this text on this topic.
 *
 * @example
 * ```ts
 * import { requireMessage } from '@portico/sdk/state'
 *
 * requireMessage('tasks', '4f1c')
 * ```
 */
export function requireMessage(topic: string, text: string): void {
  requireKey(topic)
  if (text.includes('\0') || /\p{Surrogate}/u.test(text)) {
    throw new PorticoError('invalid-definition', 'A message is a well-formed text without U+0000')
  }
  if (new TextEncoder().encode(text).length > BUS_LIMITS.maxTextBytes) {
    throw new PorticoError('limit-exceeded', `maxTextBytes: a message has at most ${BUS_LIMITS.maxTextBytes} bytes`)
  }
}
