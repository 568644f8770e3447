/**
 * Who comes when: messages of one person in one thread one after the other, others side by side, and no more of them than the
 * bounds say. A flood fills the share of whoever sends it and nobody else's. Decides only; `engine.ts` runs what it gives.
 */

import type { ChatLimits } from './settings.ts'

/** What waits or runs. */
export interface Queued {
  /** Those with the same one run one after the other. */
  readonly lane: string
  readonly person: string
  readonly channel: string
}

/** Whose share is used up. */
type Full = 'person' | 'channel' | 'all'

type QueueLimits = Pick<
  ChatLimits,
  'perPerson' | 'perChannel' | 'waiting' | 'running' | 'runningPerChannel' | 'runningPerPerson'
>

export class TurnQueue<Item extends Queued> {
  readonly #limits: QueueLimits
  readonly #waiting = new Set<Item>()
  readonly #running = new Set<Item>()
  readonly #onEmpty: (() => void)[] = []

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Whose bound is reached; undefined where there is room. */
  room(item: Queued): Full | undefined {
    const { perPerson, perChannel, waiting } = this.#limits
    const all = [...this.#waiting, ...this.#running]
    if (all.filter(({ person }) => person === item.person).length >= perPerson) return 'person'
    if (all.filter(({ channel }) => channel === item.channel).length >= perChannel) return 'channel'
    return this.#waiting.size >= waiting ? 'all' : undefined
  }

  /** The same, where it was taken. */
  add(item: Item): Full | undefined {
    const full = this.room(item)
    if (full === undefined) this.#waiting.add(item)
    return full
  }

  /** The next that may run now, which counts as running until `done`. */
  next(): Item | undefined {
    const { running, runningPerChannel, runningPerPerson } = this.#limits
    if (this.#running.size >= running) return undefined
    const held = [...this.#running]
    const lanes = new Set(held.map(({ lane }) => lane))
    for (const item of this.#waiting) {
      const isFree = !lanes.has(item.lane)
      // Whoever comes later in the same lane comes later.
      lanes.add(item.lane)
      if (!isFree) continue
      if (held.filter(({ channel }) => channel === item.channel).length >= runningPerChannel) continue
      if (held.filter(({ person }) => person === item.person).length >= runningPerPerson) continue
      this.#waiting.delete(item)
      this.#running.add(item)
      return item
    }
    return undefined
  }

  done(item: Item): void {
    this.#running.delete(item)
    if (this.#running.size > 0) return
    for (const tell of this.#onEmpty.splice(0)) tell()
  }

  /** Resolves when nothing runs. */
  empty(): Promise<void> {
    return this.#running.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve))
  }

  /** Takes one out that has not begun; false where it has. */
  drop(item: Item): boolean {
    return this.#waiting.delete(item)
  }

  find(test: (item: Item) => boolean): { readonly item: Item; readonly runs: boolean } | undefined {
    for (const item of this.#running) if (test(item)) return { item, runs: true }
    for (const item of this.#waiting) if (test(item)) return { item, runs: false }
    return undefined
  }

  get all(): readonly Item[] {
    return [...this.#waiting, ...this.#running]
  }
}
