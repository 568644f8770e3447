/**
 * Answers the pings of a peer, one at a time: the `ws` package would put an answer to each into the socket, and a peer
 * that asks and does not read would have them all kept. While one is on its way, the newest ping waits and older ones are
 * passed over, which RFC 6455, 5.5.3 allows. For sockets that were made with `autoPong: false`.
 */

import { allowedMs } from '../../framing/pace.ts'

/** The part of a socket of the package `ws` that is used. */
export interface PingedSocket {
  readonly bufferedAmount: number
  on(type: 'ping', listener: (data: Uint8Array) => void): unknown
  pong(data: Uint8Array, mask: boolean | undefined, written: () => void): void
  terminate(): void
}

/** `stalledMs` is how long the peer may take nothing before it is dropped; for ever unless given. */
export function answerPings(socket: PingedSocket, stalledMs?: number): void {
  const pongs = new Pongs(socket, stalledMs)
  socket.on('ping', (data) => pongs.answer(data))
}

class Pongs {
  readonly #socket: PingedSocket
  readonly #stalledMs: number | undefined
  #isWriting = false
  #newest: Uint8Array | undefined
  #stalled: ReturnType<typeof setTimeout> | undefined

  constructor(socket: PingedSocket, stalledMs: number | undefined) {
    this.#socket = socket
    this.#stalledMs = stalledMs
  }

  answer(data: Uint8Array): void {
    if (this.#isWriting) {
      this.#newest = data
      return
    }
    this.#isWriting = true
    this.#socket.pong(data, undefined, this.#written)
    const { bufferedAmount } = this.#socket
    if (this.#stalledMs === undefined || bufferedAmount === 0) return
    // The answer is behind all that waits, which may be long.
    this.#stalled = setTimeout(() => this.#socket.terminate(), allowedMs(this.#stalledMs, bufferedAmount))
    this.#stalled.unref()
  }

  /** Also called when the socket is gone, which takes nothing more. */
  readonly #written = (): void => {
    clearTimeout(this.#stalled)
    this.#isWriting = false
    const data = this.#newest
    this.#newest = undefined
    if (data !== undefined) this.answer(data)
  }
}
