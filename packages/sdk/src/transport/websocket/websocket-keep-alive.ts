/**
 * Notices peers that are gone without a word, for all WebSocket connections of one server from one timer. A peer that
 * was silent is pinged; one that stays silent until the next beat is dropped. The channel says what it heard.
 */

import { Heartbeat, type HeartbeatStream } from '../http-heartbeat.ts'

/** How often to ask whether the other side is there, and how long to wait for it. */
export interface KeepAliveOptions {
  /** The time between pings on a silent connection: 15 s unless given; 0 for none. */
  readonly pingMs?: number
  /** The time that the peer has to answer: 5 s unless given. Within both together, a dead peer is dropped. */
  readonly pongMs?: number
}

/** A connection as the keep-alive sees it. */
export interface Watched {
  /** Whether the peer gave a sign of life since the last question. */
  heard(): boolean
  ping(): void
  drop(): void
}

/** Notices a WebSocket whose other side has gone without closing it, and drops it. */
export class KeepAlive {
  readonly #heartbeat: Heartbeat
  readonly #quietBeats: number

  constructor({ pingMs = 15_000, pongMs = 5_000 }: KeepAliveOptions = {}) {
    this.#heartbeat = new Heartbeat(pingMs <= 0 ? 0 : pongMs)
    // One beat less than the time allows: a sign of life is noticed only at the beat that follows it.
    this.#quietBeats = Math.max(1, Math.floor(pingMs / pongMs) - 1)
  }

  /** Begins to watch a connection; the function that comes back ends it. */
  watch(peer: Watched): () => void {
    const watch = new Watch(peer, this.#quietBeats)
    this.#heartbeat.add(watch)
    return () => this.#heartbeat.delete(watch)
  }
}

/** Counts beats, not milliseconds: a process that was suspended itself does not take its peers for dead. */
class Watch implements HeartbeatStream {
  readonly #peer: Watched
  readonly #quietBeats: number
  #quiet = 0

  constructor(peer: Watched, quietBeats: number) {
    this.#peer = peer
    this.#quietBeats = quietBeats
  }

  beat(): void {
    this.#quiet = this.#peer.heard() ? 0 : this.#quiet + 1
    if (this.#quiet === this.#quietBeats) this.#peer.ping()
    else if (this.#quiet > this.#quietBeats) this.#peer.drop()
  }
}
