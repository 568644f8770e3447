/**
 * What a session remembers of its event streams, so that a client that lost its connection can have the rest
 * (2025-11-25, transports, "Resumability and Redelivery"). Each session has one store, made when a stream is first
 * written; the stream itself numbers its events and asks for them back.
 */

import type { RequestId } from '../../jsonrpc/message.ts'
import type { ServeLimits } from '../rules/limits.ts'

/** One event of a stream, as it was written to the wire. */
export interface StoredEvent {
  readonly seq: number
  readonly text: string
}

/** What a session keeps of its streams. Yours passes `eventStoreContract` of `@portico/sdk/testing`. */
export interface EventStore {
  /** Told of a stream before its first event: the requests that it answers, none for messages about no request. */
  opened?(stream: string, requests: readonly RequestId[]): void
  /** Told that a stream has all its events: no more are coming. */
  ended?(stream: string): void
  /** Keeps one event. `seq` grows within a stream. */
  append(stream: string, seq: number, text: string): void
  /** The kept events of a stream after `afterSeq`, oldest first. */
  replay(stream: string, afterSeq: number): readonly StoredEvent[]
  /** Forgets a stream. */
  drop(stream: string): void
  /** Bytes kept at the moment, as far as the store knows. */
  readonly size: number
}

/** Makes the store of one session. */
export type EventStoreFactory = (sessionId: string) => EventStore

/**
 * Stores in memory under three bounds: per stream, per session and for all sessions together. The newest event of a
 * stream, which may be the answer, is always kept; older ones give way. The default of `serveHttp`.
 *
 * @example
 * ```ts
 * import { createMemoryEvents, serveHttp } from '@portico/sdk/http'
 *
 * const events = createMemoryEvents({ maxReplayBytes: 1e6, maxSessionReplayBytes: 4e6, maxTotalReplayBytes: 1e9 })
 * await serveHttp(server, { port: 3000, events })
 * ```
 */
export function createMemoryEvents(
  limits: Pick<ServeLimits, 'maxReplayBytes' | 'maxSessionReplayBytes' | 'maxTotalReplayBytes'>,
): EventStoreFactory {
  const total: Total = { size: 0 }
  return () => new MemoryEvents(limits, total)
}

type Bounds = Parameters<typeof createMemoryEvents>[0]

interface Total {
  size: number
}

interface Kept {
  /** Events before `first` have given way; the array is cut when they are half of it. */
  events: StoredEvent[]
  first: number
  size: number
}

class MemoryEvents implements EventStore {
  readonly #bounds: Bounds
  readonly #total: Total
  readonly #streams = new Map<string, Kept>()
  #size = 0

  constructor(bounds: Bounds, total: Total) {
    this.#bounds = bounds
    this.#total = total
  }

  get size(): number {
    return this.#size
  }

  append(stream: string, seq: number, text: string): void {
    let kept = this.#streams.get(stream)
    if (kept === undefined) {
      kept = { events: [], first: 0, size: 0 }
      this.#streams.set(stream, kept)
    }
    kept.events.push({ seq, text })
    this.#count(kept, text.length)
    while (kept.size > this.#bounds.maxReplayBytes && this.#shift(kept)) {}
    if (this.#isOver()) this.#makeRoom()
  }

  replay(stream: string, afterSeq: number): readonly StoredEvent[] {
    const kept = this.#streams.get(stream)
    return kept === undefined ? [] : kept.events.slice(kept.first).filter((event) => event.seq > afterSeq)
  }

  drop(stream: string): void {
    const kept = this.#streams.get(stream)
    if (kept === undefined) return
    this.#streams.delete(stream)
    this.#count(kept, -kept.size)
  }

  #makeRoom(): void {
    for (const kept of this.#streams.values()) {
      while (this.#isOver() && this.#shift(kept)) {}
      if (!this.#isOver()) return
    }
  }

  #isOver(): boolean {
    return this.#size > this.#bounds.maxSessionReplayBytes || this.#total.size > this.#bounds.maxTotalReplayBytes
  }

  #shift(kept: Kept): boolean {
    const oldest = kept.events[kept.first]
    if (oldest === undefined || kept.events.length - kept.first <= 1) return false
    kept.first++
    if (kept.first > kept.events.length / 2) {
      kept.events = kept.events.slice(kept.first)
      kept.first = 0
    }
    this.#count(kept, -oldest.text.length)
    return true
  }

  #count(kept: Kept, bytes: number): void {
    kept.size += bytes
    this.#size += bytes
    this.#total.size += bytes
  }
}
