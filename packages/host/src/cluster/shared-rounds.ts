/**
 * Rounds of input that each run once over all replicas: a round is taken by writing its name, its outcome is written beside
 * it, and whoever asks for a round that is running elsewhere waits until the bus says that it is over.
 */

import { PorticoError, type RoundStore } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'
import type { Seal } from './seal.ts'

interface SharedRoundsOptions {
  readonly store: Store
  readonly bus: Bus
  readonly seal: Seal
  readonly prefix: string
  readonly onError: (error: unknown) => void
}

interface RoundRow {
  /** Absent while the handler runs. */
  readonly outcome?: string
  /** It was too long to be kept. */
  readonly gone?: true
}

const MAX_OUTCOME_BYTES = 1024 * 1024
/** How often one that waits looks by itself, in case no message comes. */
const LOOK_MS = 2_000
const DEFAULT_TTL_MS = 10 * 60_000

export function createSharedRounds(options: SharedRoundsOptions): RoundStore {
  return new SharedRounds(options)
}

class SharedRounds implements RoundStore {
  readonly #options: SharedRoundsOptions
  /** The rounds that run here: the version under which each was taken, and how long it is known. */
  readonly #running = new Map<string, { readonly version: number; readonly until: number }>()

  constructor(options: SharedRoundsOptions) {
    this.#options = options
  }

  async take(round: string, ttlMs: number): Promise<string | undefined> {
    const { store, seal } = this.#options
    const key = this.#key(round)
    const until = performance.now() + ttlMs
    for (;;) {
      const taken = await store.write([{ key, value: seal.sealText({}, key), ifVersion: 0, ttlMs }])
      if (taken?.[0] !== undefined) {
        this.#running.set(round, { version: taken[0], until })
        return undefined
      }
      const row = await this.#outcome(key, until)
      if (row?.gone === true) {
        throw new PorticoError('state-refused', 'This round was taken already, and its outcome is no longer kept')
      }
      if (row?.outcome !== undefined) return row.outcome
    }
  }

  async settle(round: string, outcome: string): Promise<void> {
    const row: RoundRow = outcome.length > MAX_OUTCOME_BYTES ? { gone: true } : { outcome }
    await this.#end(round, row)
  }

  async release(round: string): Promise<void> {
    await this.#end(round, undefined)
  }

  async #end(round: string, row: RoundRow | undefined): Promise<void> {
    const running = this.#running.get(round)
    if (running === undefined) return
    this.#running.delete(round)
    const { store, bus, seal, onError } = this.#options
    const key = this.#key(round)
    const left = Math.ceil(running.until - performance.now())
    const value = row === undefined ? {} : { value: seal.sealText(row, key), ttlMs: left > 0 ? left : DEFAULT_TTL_MS }
    try {
      await store.write([{ key, ifVersion: running.version, ...value }])
      await bus.publish(key, 'over')
    } catch (error) {
      // Whoever waits looks again by itself; the round stays taken.
      onError(error)
    }
  }

  /** How a round that somebody took ended; undefined once it was given back. */
  async #outcome(key: string, until: number): Promise<RoundRow | undefined> {
    const { store, bus, seal } = this.#options
    let wake: () => void = () => undefined
    const stop = await bus.subscribe(key, () => wake())
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        const kept = await store.get(key)
        if (kept === undefined) return undefined
        // What no replica wrote is no outcome, and cannot be taken either.
        const row = (seal.openText(kept.value, key) as RoundRow | undefined) ?? { gone: true }
        if (row.outcome !== undefined || row.gone === true) return row
        if (performance.now() > until) return { gone: true }
        await orTimeout(woken, LOOK_MS)
      }
    } finally {
      stop()
    }
  }

  #key(round: string): string {
    return `${this.#options.prefix}round/${round}`
  }
}

async function orTimeout(woken: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([woken, time])
  clearTimeout(timer)
}
