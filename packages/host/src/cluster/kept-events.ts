/**
 * What can be replayed of the streams of sessions, in memory and soon after in the store, so that a client that comes back to
 * another replica has the rest of a stream. A message never waits for the store, and one that the store does not take is
 * only not replayed elsewhere. What is kept is bounded for each stream, and gone by itself after `replayMs`.
 */

import { createMemoryEvents, type EventStore, type EventStoreFactory, type StoredEvent } from '@portico/sdk/http'
import type { RequestId, ServeLimits, StreamRecord } from '@portico/sdk/internal'
import { type Change, STORE_LIMITS, type Store } from '@portico/sdk/state'
import { type Seal, toRowName } from './seal.ts'

interface KeptEventsOptions {
  readonly store: Store
  readonly seal: Seal
  readonly prefix: string
  readonly onError: (error: unknown) => void
}

interface Waiting {
  readonly value: unknown
  readonly size: number
}

/** What may wait for the store before events are no longer kept there. */
const MAX_WAITING = 32 * 1024 * 1024
const MAX_EVENTS = 512
const END = 'end'

export class KeptEvents {
  readonly #options: KeptEventsOptions
  /** By key; undefined deletes. */
  readonly #waiting = new Map<string, Waiting | undefined>()
  #size = 0
  #writing: Promise<void> | undefined
  #replayMs = 1

  constructor(options: KeptEventsOptions) {
    this.#options = options
  }

  /** Makes the store of each session. */
  factory(limits: ServeLimits): EventStoreFactory {
    const inMemory = createMemoryEvents(limits)
    this.#replayMs = limits.replayMs
    return (id) => new SessionEvents(inMemory(id), this, id, limits.maxReplayBytes)
  }

  keep(session: string, name: string, value: unknown, size: number): void {
    if (this.#size + size > MAX_WAITING) return
    this.#wait(session, name, { value, size })
  }

  forget(session: string, name: string): void {
    this.#wait(session, name, undefined)
  }

  /** Resolves when the store has been told of everything so far. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  /** What an earlier replica kept of a session's streams. */
  async read(session: string): Promise<readonly StreamRecord[]> {
    const prefix = this.#key(session, '')
    const rows = await this.#options.store.list(prefix, { limit: STORE_LIMITS.maxListed })
    const streams = new Map<string, { requests: RequestId[]; events: StoredEvent[]; ended: boolean }>()
    for (const { key, value } of rows) {
      const found = this.#options.seal.openText(value, key)
      const [stream = '', name = ''] = key.slice(prefix.length).split('/')
      if (found === undefined) continue
      const record = streams.get(stream) ?? { requests: [], events: [], ended: false }
      streams.set(stream, record)
      const seq = Number(name)
      if (name === END) record.ended = true
      else if (seq === 0) record.requests = found as RequestId[]
      else record.events.push({ seq, text: found as string })
    }
    return [...streams].map(([id, record]) => ({ id, ...record }))
  }

  #wait(session: string, name: string, waiting: Waiting | undefined): void {
    const key = this.#key(session, name)
    this.#size += (waiting?.size ?? 0) - (this.#waiting.get(key)?.size ?? 0)
    this.#waiting.set(key, waiting)
    this.#writing ??= new Promise((resolve) => {
      // What one turn of the event loop says goes together.
      setImmediate(() => {
        this.#write().finally(() => {
          this.#writing = undefined
          resolve()
        })
      })
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const changes: Change[] = []
      for (const [key, waiting] of this.#waiting) {
        if (changes.length === STORE_LIMITS.maxChanges) break
        this.#waiting.delete(key)
        this.#size -= waiting?.size ?? 0
        changes.push(waiting === undefined ? { key } : this.#toChange(key, waiting.value))
      }
      try {
        await this.#options.store.write(changes)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }

  #toChange(key: string, value: unknown): Change {
    return { key, value: this.#options.seal.sealText(value, key), ttlMs: this.#replayMs }
  }

  #key(session: string, name: string): string {
    return `${this.#options.prefix}event/${toRowName(session)}/${name}`
  }
}

interface KeptStream {
  readonly kept: { readonly name: string; readonly size: number }[]
  size: number
}

class SessionEvents implements EventStore {
  readonly #inMemory: EventStore
  readonly #all: KeptEvents
  readonly #session: string
  readonly #maxBytes: number
  readonly #streams = new Map<string, KeptStream>()

  constructor(inMemory: EventStore, all: KeptEvents, session: string, maxBytes: number) {
    this.#inMemory = inMemory
    this.#all = all
    this.#session = session
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#inMemory.size
  }

  opened(stream: string, requests: readonly RequestId[]): void {
    this.#keep(stream, toName(stream, 0), requests, 0)
  }

  ended(stream: string): void {
    this.#keep(stream, `${stream}/${END}`, true, 0)
  }

  append(stream: string, seq: number, text: string): void {
    this.#inMemory.append(stream, seq, text)
    const kept = this.#keep(stream, toName(stream, seq), text, text.length)
    while (kept.kept.length > 1 && (kept.size > this.#maxBytes || kept.kept.length > MAX_EVENTS)) {
      const oldest = kept.kept.shift()
      if (oldest === undefined) return
      kept.size -= oldest.size
      this.#all.forget(this.#session, oldest.name)
    }
  }

  replay(stream: string, afterSeq: number): readonly StoredEvent[] {
    return this.#inMemory.replay(stream, afterSeq)
  }

  drop(stream: string): void {
    this.#inMemory.drop(stream)
    for (const { name } of this.#streams.get(stream)?.kept ?? []) this.#all.forget(this.#session, name)
    for (const name of [toName(stream, 0), `${stream}/${END}`]) this.#all.forget(this.#session, name)
    this.#streams.delete(stream)
  }

  #keep(stream: string, name: string, value: unknown, size: number): KeptStream {
    const kept = this.#streams.get(stream) ?? { kept: [], size: 0 }
    this.#streams.set(stream, kept)
    if (size > 0) {
      kept.kept.push({ name, size })
      kept.size += size
    }
    this.#all.keep(this.#session, name, value, size)
    return kept
  }
}

/** Keys are in the order of their bytes, and so are these. */
function toName(stream: string, seq: number): string {
  return `${stream}/${String(seq).padStart(16, '0')}`
}
