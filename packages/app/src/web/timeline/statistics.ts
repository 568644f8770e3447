/** Calls, errors and how long they took, counted as they happen: by minute for the last hour, and by server. */

import type { TimelineStats } from '../api-types/api.ts'

const MINUTE = 60_000
const MAX_MINUTES = 60
const MAX_SERVERS = 500
const MAX_SAMPLES = 512

export class Statistics {
  readonly #minutes = new Map<number, Tally>()
  readonly #servers = new Map<string, Tally>()

  add(server: string, at: number, durationMs: number, failed: boolean): void {
    tallyOf(this.#minutes, Math.floor(at / MINUTE) * MINUTE, MAX_MINUTES + 1).add(durationMs, failed)
    tallyOf(this.#servers, server, MAX_SERVERS).add(durationMs, failed)
  }

  view(now: number): TimelineStats {
    const since = now - MAX_MINUTES * MINUTE
    const minutes = [...this.#minutes].filter(([at]) => at > since).sort(([a], [b]) => a - b)
    return {
      minutes: minutes.map(([at, tally]) => ({ at, ...tally.view() })),
      servers: [...this.#servers].map(([server, tally]) => ({ server, ...tally.view() })),
    }
  }

  clear(): void {
    this.#minutes.clear()
    this.#servers.clear()
  }
}

class Tally {
  calls = 0
  errors = 0
  readonly #samples: number[] = []

  add(durationMs: number, failed: boolean): void {
    this.calls++
    if (failed) this.errors++
    // Every call has the same chance of being among the samples.
    const at = this.#samples.length < MAX_SAMPLES ? this.#samples.length : Math.floor(Math.random() * this.calls)
    if (at < MAX_SAMPLES) this.#samples[at] = durationMs
  }

  view(): { calls: number; errors: number; p50: number; p95: number } {
    const sorted = this.#samples.toSorted((a, b) => a - b)
    const share = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
    return { calls: this.calls, errors: this.errors, p50: share(0.5), p95: share(0.95) }
  }
}

function tallyOf<Key>(tallies: Map<Key, Tally>, key: Key, most: number): Tally {
  const known = tallies.get(key)
  if (known !== undefined) return known
  const tally = new Tally()
  tallies.set(key, tally)
  const [oldest] = tallies.keys()
  if (tallies.size > most && oldest !== undefined) tallies.delete(oldest)
  return tally
}
