/**
 * Where the answers of one request on a duplex connection go: onto the channel at once, or into the one array that
 * answers a batch. Made by `connection.ts`, written to by the endpoint.
 */

import type { BatchReply } from '../jsonrpc/batch.ts'
import type { Channel, Outlet, Urgency } from '../jsonrpc/channel.ts'
import type { IncomingCall } from '../jsonrpc/incoming.ts'

/** The connection that an outlet belongs to. Both are called once. */
export interface OutletOwner {
  /** The answer is there, or none will come. */
  answered(outlet: ConnectionOutlet): void
  /** The work for it is over. */
  settled(outlet: ConnectionOutlet): void
}

export class ConnectionOutlet implements Outlet {
  /** The running call, once known: when it is cancelled, nothing more is sent for it (sec-42). */
  call: IncomingCall | undefined
  /** What the request counts as. */
  readonly kind: 'request' | 'listener'
  readonly takesValues: boolean
  readonly #channel: Channel
  readonly #batch: BatchReply | undefined
  readonly #owner: OutletOwner
  #done = false
  #settled = false

  constructor(
    channel: Channel,
    batch: BatchReply | undefined,
    owner: OutletOwner,
    kind: 'request' | 'listener' = 'request',
  ) {
    this.kind = kind
    this.takesValues = batch === undefined && channel.sendValue !== undefined
    this.#channel = channel
    this.#batch = batch
    this.#owner = owner
    batch?.expect()
  }

  send(text: string, urgency: Urgency, key?: string | number): void {
    if (!this.#done && this.call?.cancelled !== true) this.#channel.send(text, urgency, key)
  }

  end(text: string): void {
    this.#finish(this.call?.cancelled === true ? undefined : text)
  }

  endWith(message: object): boolean {
    if (this.#done || this.call?.cancelled === true) {
      this.#finish(undefined)
      return true
    }
    if (this.#channel.sendValue?.(message) !== true) return false
    this.#finish(undefined)
    return true
  }

  close(): void {
    this.#finish(undefined)
  }

  settled(): void {
    if (this.#settled) return
    this.#settled = true
    this.#owner.settled(this)
  }

  #finish(text: string | undefined): void {
    if (this.#done) return
    this.#done = true
    if (this.#batch !== undefined) this.#batch.answered(text)
    else if (text !== undefined) this.#channel.send(text)
    this.#owner.answered(this)
  }
}
