/**
 * Who takes part: every process that uses the shared state has a row that lasts a few seconds and is written again as long as
 * the process lives. `portico status` shows the rows, and limits are shared out by how many there are.
 */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Bus, Store } from '@portico/sdk/state'

/** What a process says of itself. */
export interface Replica {
  readonly id: string
  readonly machine: string
  readonly pid: number
  /** In milliseconds since 1970. */
  readonly startedAt: number
  /** When it last wrote this, by its own clock. */
  readonly seenAt: number
  /** What it does now: sessions, calls, whether it is ready. */
  readonly facts: ReplicaFacts
}

/** Short texts and numbers that a process tells about itself. */
export interface ReplicaFacts {
  readonly [name: string]: string | number | boolean
}

/** The processes that use one place. */
export interface Replicas {
  /** This process. */
  readonly id: string
  /** All that there are, as of a few seconds ago; this one is always among them. */
  readonly ids: ReadonlySet<string>
  /** All that there are now. */
  list(): Promise<readonly Replica[]>
  /** Told when somebody came or went. */
  on(listener: () => void): () => void
  /** From now on these are asked for with every row. */
  describe(facts: () => ReplicaFacts): void
  /** Writes this process's row now, since its facts have changed; it is written every two seconds besides. */
  tell(): void
  /** Takes this process's row away. */
  close(): Promise<void>
}

const BEAT_MS = 2_000
const TTL_MS = 8_000
const PREFIX = 'replica/'
const TOPIC = 'replicas'
const MOST = 1_000

export async function joinReplicas(store: Store, bus: Bus): Promise<Replicas> {
  const joined = new JoinedReplicas(store, bus)
  await joined.start()
  return joined
}

/**
 * The rows of those who take part, for one who only looks.
 *
 * @example
 * ```ts
 * import { listReplicas, openState } from '@portico/host/state'
 *
 * const state = await openState({ sqlite: 'state.db' })
 * for (const { id, machine } of await listReplicas(state.store)) console.log(id, machine)
 * await state.close()
 * ```
 */
export async function listReplicas(store: Store): Promise<readonly Replica[]> {
  const rows = await store.list(PREFIX, { limit: MOST })
  // Only this file writes such rows, so the shape is known.
  return rows.map(({ value }) => JSON.parse(value) as Replica)
}

class JoinedReplicas implements Replicas {
  readonly id = randomUUID()
  ids: ReadonlySet<string> = new Set([this.id])
  readonly #store: Store
  readonly #bus: Bus
  readonly #listeners = new Set<() => void>()
  #unfollow: (() => void) | undefined
  readonly #startedAt = Date.now()
  #facts: () => ReplicaFacts = () => ({})
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> = Promise.resolve()
  #closed = false

  constructor(store: Store, bus: Bus) {
    this.#store = store
    this.#bus = bus
  }

  async start(): Promise<void> {
    await this.#beat()
    this.#unfollow = await this.#bus.subscribe(TOPIC, (id) => id !== this.id && this.tell()).catch(() => undefined)
    await this.#announce()
    this.#timer = setInterval(() => this.tell(), BEAT_MS)
    this.#timer.unref()
  }

  tell(): void {
    this.#beating = this.#beating.then(() => this.#beat())
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  list(): Promise<readonly Replica[]> {
    return listReplicas(this.#store)
  }

  describe(facts: () => ReplicaFacts): void {
    this.#facts = facts
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#timer)
    await this.#beating
    this.#unfollow?.()
    this.#listeners.clear()
    await this.#store.write([{ key: PREFIX + this.id }]).catch(() => {})
    await this.#announce()
  }

  /** The others look at once; without it they do so with their next row. */
  async #announce(): Promise<void> {
    await this.#bus.publish(TOPIC, this.id).catch(() => {})
  }

  /** Whoever cannot be reached is counted as before: the others are likely to be there all the same. */
  async #beat(): Promise<void> {
    if (this.#closed) return
    const row: Replica = {
      id: this.id,
      machine: hostname(),
      pid: process.pid,
      startedAt: this.#startedAt,
      seenAt: Date.now(),
      facts: this.#facts(),
    }
    try {
      await this.#store.write([{ key: PREFIX + this.id, value: JSON.stringify(row), ttlMs: TTL_MS }])
      const found = await this.list()
      const before = this.ids
      this.ids = new Set([this.id, ...found.map(({ id }) => id)])
      if (before.size === this.ids.size && [...before].every((id) => this.ids.has(id))) return
      for (const listener of [...this.#listeners]) listener()
    } catch {
      // Whether the place is away is told by others.
    }
  }
}
