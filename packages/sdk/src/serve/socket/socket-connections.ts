/**
 * The connections that one listening socket has open, for WebSocket and for plain sockets: counted against their
 * bounds before they are served, and drained together when the server goes down.
 */

import type { Principal } from '../../auth/principal.ts'
import type { Receiving } from '../../framing/receiving.ts'
import type { Connection } from '../../session/connection.ts'
import { Heartbeat, type HeartbeatStream } from '../../transport/http-heartbeat.ts'
import { keptShare } from '../rules/http-load.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import type { ConnectionLimits } from '../rules/limits.ts'
import { busy, lastPlaces, tooMuch } from '../rules/refusals.ts'

export class Connections {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #places = new Set<Place>()
  readonly #perPrincipal = new Map<string | undefined, number>()
  readonly #named: boolean
  readonly #beatMs: number
  readonly #beats: Heartbeat

  /** `named` says that it is known who connects; whoever has a connection then leaves the last to those who have none. */
  constructor(limits: ConnectionLimits, named = false) {
    this.#max = limits.maxConnections
    this.#named = named
    this.#maxPerPrincipal = limits.maxConnectionsPerPrincipal
    this.#beatMs = limits.requestTimeoutMs / BEATS
    this.#beats = new Heartbeat(this.#beatMs)
  }

  get size(): number {
    return this.#places.size
  }

  /** A place for a connection that is being made, or why there is none. Whoever gets one gives it back with `leave`. */
  enter(): Place | Refusal {
    if (this.#places.size >= this.#max) return busy(`maxConnections (${this.#max}) reached`)
    const place = new Place(this)
    this.#places.add(place)
    return place
  }

  /** Counts the place for its principal, once that is known. */
  claim(place: Place, principal: Principal | undefined): Refusal | undefined {
    if (!this.#places.has(place)) return undefined
    const own = (this.#perPrincipal.get(principal?.id) ?? 0) + 1
    if (principal !== undefined && own > this.#maxPerPrincipal) {
      return tooMuch('maxConnectionsPerPrincipal', this.#maxPerPrincipal)
    }
    if (own > 1 && this.#named && this.#places.size > this.#max - keptShare(this.#max)) {
      return lastPlaces('maxConnections', this.#max)
    }
    this.#perPrincipal.set(principal?.id, own)
    place.principal = principal
    place.claimed = true
    return undefined
  }

  /** Drops the connection when a message on it has begun and does not end. Beats are counted: a process that was suspended drops nobody. */
  watch(place: Place, receiving: Receiving, drop: () => void): void {
    place.beat = () => {
      if (receiving.isLate(this.#beatMs, BEATS)) drop()
    }
    this.#beats.add(place)
  }

  leave(place: Place): void {
    this.#beats.delete(place)
    if (!this.#places.delete(place)) return
    if (!place.claimed) return
    const id = place.principal?.id
    const own = (this.#perPrincipal.get(id) ?? 0) - 1
    if (own > 0) this.#perPrincipal.set(id, own)
    else this.#perPrincipal.delete(id)
  }

  /** Lets requests under way finish, at most for `graceMs`, and closes every connection. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([...this.#places].map(({ connection }) => connection?.drain(graceMs)))
  }
}

/** In the time that a message has. */
const BEATS = 4

export class Place implements HeartbeatStream {
  principal: Principal | undefined
  /** Whether it is counted for its principal, or for all those without. */
  claimed = false
  /** Set once the connection is served. */
  connection: Connection | undefined
  readonly #connections: Connections
  beat = (): void => {}

  constructor(connections: Connections) {
    this.#connections = connections
  }

  claim(principal: Principal | undefined): Refusal | undefined {
    return this.#connections.claim(this, principal)
  }

  watch(receiving: Receiving, drop: () => void): void {
    this.#connections.watch(this, receiving, drop)
  }

  leave(): void {
    this.#connections.leave(this)
  }
}
