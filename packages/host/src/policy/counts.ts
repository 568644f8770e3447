/**
 * How often something was permitted, for rules with a `count`: by session, or by principal within the last hour or day.
 * Kept in memory: a restart begins anew.
 */

import type { Circumstances } from './effect.ts'
import type { CountPeriod } from './rule.ts'

/** Tells how often a rule has counted something so far, in the session or in the last hour or day. */
export interface Counts {
  used(rule: string, per: CountPeriod, circumstances: Circumstances): number
}

/** Counts how often something was permitted, for rules with a `count`. */
export interface Counter extends Counts {
  /** Counts one. Returns a function that takes it back, for what was permitted and then did not happen. */
  add(rule: string, per: CountPeriod, circumstances: Circumstances): () => void
}

/**
 * Makes a counter for rules with a `count`. It is kept in memory: a restart begins anew.
 *
 * @example
 * ```ts
 * import { createCounter } from '@portico/host/policy'
 *
 * const counter = createCounter()
 * const here = { session: 'chat-1', unattended: false, tainted: false, at: Date.now() }
 * counter.add('at most ten mails', 'session', here)
 * counter.used('at most ten mails', 'session', here) // 1
 * ```
 */
export function createCounter(): Counter {
  return new MemoryCounter()
}

/** An hour or a day is counted in twelve parts, of which the oldest falls away. */
const PARTS = 12
const LENGTHS: { readonly [period in CountPeriod]: number } = {
  session: Number.POSITIVE_INFINITY,
  hour: 3_600_000 / PARTS,
  day: 86_400_000 / PARTS,
}
const MAX_TALLIES = 50_000

interface Tally {
  readonly parts: Map<number, number>
}

class MemoryCounter implements Counter {
  readonly #tallies = new Map<string, Tally>()

  used(rule: string, per: CountPeriod, circumstances: Circumstances): number {
    const tally = this.#tallies.get(keyOf(rule, per, circumstances))
    if (tally === undefined) return 0
    const oldest = partAt(circumstances.at, per) - PARTS
    let sum = 0
    for (const [part, count] of tally.parts) if (per === 'session' || part > oldest) sum += count
    return sum
  }

  add(rule: string, per: CountPeriod, circumstances: Circumstances): () => void {
    const key = keyOf(rule, per, circumstances)
    const part = partAt(circumstances.at, per)
    const tally = this.#tallies.get(key) ?? { parts: new Map() }
    // Written last, so that the tallies that nobody adds to are the first to go.
    this.#tallies.delete(key)
    this.#tallies.set(key, tally)
    for (const old of tally.parts.keys()) if (old <= part - PARTS) tally.parts.delete(old)
    tally.parts.set(part, (tally.parts.get(part) ?? 0) + 1)
    if (this.#tallies.size > MAX_TALLIES) this.#tallies.delete(this.#tallies.keys().next().value!)
    let isCounted = true
    return () => {
      if (isCounted) tally.parts.set(part, (tally.parts.get(part) ?? 1) - 1)
      isCounted = false
    }
  }
}

function partAt(at: number, per: CountPeriod): number {
  return per === 'session' ? 0 : Math.floor(at / LENGTHS[per])
}

function keyOf(rule: string, per: CountPeriod, { session, principal }: Circumstances): string {
  return JSON.stringify([rule, per, principal?.id ?? null, per === 'session' ? session : null])
}
