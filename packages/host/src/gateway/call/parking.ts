/**
 * Calls whose questions are out with a client of the newest revision, which answers in another request. They are found
 * again by the id that is sealed in that request's state, by the principal they are for and by nobody else. Their number
 * is bounded, and so is what is kept for them; one that is not taken up again in time is cancelled at its server.
 */

import { isWithinShare } from '@portico/sdk/internal'
import { RpcError } from '@portico/sdk/server'
import type { CallPlaces } from './call-places.ts'
import type { RelayedCall } from './relayed-call.ts'

/** Bounds for calls that wait until a client of the newest protocol revision answers a server's question. */
export interface ParkingLimits {
  /** How long a call waits for the client's answers. */
  readonly parkedMs: number
  /** Calls that wait at a time, of all principals. None gets so many of them that there is none for another. */
  readonly maxParked: number
  /** Calls that wait at a time, of one principal. */
  readonly maxParkedPerPrincipal: number
  /** Bytes kept for one call that waits: its arguments, questions, log messages, result. A character counts as two. */
  readonly maxKeptBytes: number
  /** Bytes kept for all calls that wait. No principal gets so many of them that there are none for another. */
  readonly maxTotalKeptBytes: number
}

const MEBIBYTE = 1024 * 1024

const PARKING_LIMITS: ParkingLimits = {
  parkedMs: 5 * 60_000,
  maxParked: 1_000,
  maxParkedPerPrincipal: 32,
  maxKeptBytes: 16 * MEBIBYTE,
  maxTotalKeptBytes: 64 * MEBIBYTE,
}

interface Place {
  readonly call: RelayedCall
  bytes: number
  timer: ReturnType<typeof setTimeout> | undefined
}

export class Parking implements CallPlaces {
  readonly #limits: ParkingLimits
  readonly #places = new Map<string, Place>()
  readonly #counts = new Map<string, number>()
  readonly #bytes = new Map<string, number>()
  #totalBytes = 0
  /** Calls that were given up because nobody came back for them. */
  abandoned = 0

  /** The name of this process among several: a call that waits here is taken up here. */
  readonly replica: string | undefined

  constructor(limits: Partial<ParkingLimits> = {}, replica?: string) {
    this.#limits = { ...PARKING_LIMITS, ...limits }
    this.replica = replica
  }

  get size(): number {
    return this.#places.size
  }

  /** Keeps a place for a call that is about to ask. */
  enter(call: RelayedCall): void {
    if (this.#places.has(call.id)) return
    const owner = call.principal ?? ''
    const { maxParked, maxParkedPerPrincipal } = this.#limits
    const count = this.#counts.get(owner) ?? 0
    const isFull = !isWithinShare(owner, count, maxParked - this.#places.size)
    if (isFull) throw full(`maxParked (${maxParked})`)
    if (count >= maxParkedPerPrincipal) throw full(`maxParkedPerPrincipal (${maxParkedPerPrincipal})`)
    this.#counts.set(owner, count + 1)
    this.#places.set(call.id, { call, bytes: 0, timer: undefined })
  }

  /** Counts so many bytes more that are kept for a call, or throws where there is no room for them. */
  keep(call: RelayedCall, bytes: number): void {
    const place = this.#places.get(call.id)
    const { maxKeptBytes, maxTotalKeptBytes } = this.#limits
    if (place === undefined) throw full('parking')
    if (place.bytes + bytes > maxKeptBytes) throw full(`maxKeptBytes (${maxKeptBytes})`)
    const owner = call.principal ?? ''
    const free = maxTotalKeptBytes - this.#totalBytes - bytes
    if (!isWithinShare(owner, this.#bytes.get(owner) ?? 0, free)) throw full(`maxTotalKeptBytes (${maxTotalKeptBytes})`)
    this.#count(place, bytes)
  }

  /** Gives back the room of what is no longer kept. */
  unkeep(call: RelayedCall, bytes: number): void {
    const place = this.#places.get(call.id)
    if (place !== undefined) this.#count(place, -Math.min(bytes, place.bytes))
  }

  #count(place: Place, bytes: number): void {
    const owner = place.call.principal ?? ''
    place.bytes += bytes
    this.#totalBytes += bytes
    const own = (this.#bytes.get(owner) ?? 0) + bytes
    if (own > 0) this.#bytes.set(owner, own)
    else this.#bytes.delete(owner)
  }

  /** The client has been asked, or its connection is lost: from now on somebody must come back in time. */
  wait(call: RelayedCall, until?: number): boolean {
    const place = this.#places.get(call.id)
    if (place === undefined) return false
    clearTimeout(place.timer)
    const { parkedMs } = this.#limits
    const abandon = (): void => {
      this.abandoned++
      this.leave(call)
      call.cancel(`Nobody took the call up again within parkedMs (${parkedMs})`)
    }
    place.timer = setTimeout(abandon, until === undefined ? parkedMs : Math.max(0, until - Date.now()))
    place.timer.unref()
    return true
  }

  /** The call that a later round belongs to, if it still waits and is this principal's. */
  take(id: string, principal: string | undefined): RelayedCall | undefined {
    const place = this.#places.get(id)
    if (place === undefined || place.call.principal !== principal) return undefined
    clearTimeout(place.timer)
    place.timer = undefined
    return place.call
  }

  leave(call: RelayedCall): void {
    const place = this.#places.get(call.id)
    if (place === undefined) return
    clearTimeout(place.timer)
    this.#count(place, -place.bytes)
    this.#places.delete(call.id)
    const owner = call.principal ?? ''
    const count = (this.#counts.get(owner) ?? 1) - 1
    if (count > 0) this.#counts.set(owner, count)
    else this.#counts.delete(owner)
  }

  /** Ends every call that waits; `kept` says that tasks are kept for another process. */
  close(reason: string, kept: boolean): void {
    for (const { call } of [...this.#places.values()]) {
      this.leave(call)
      call.end(reason, kept)
    }
  }
}

function full(limit: string): RpcError {
  return new RpcError(TOO_MANY, `Too many calls wait for their client's answers: ${limit} of the gateway exceeded`)
}

const TOO_MANY = -32603
