/**
 * Remembers which rounds were already taken, so that a resent request or a reused `requestState` gets the outcome of
 * the first instead of running the handler twice. In process by default; several replicas share one of their own.
 */

import { withoutUndefined } from '../../jsonrpc/members.ts'
import { onDemand } from '../../jsonrpc/on-demand.ts'
import { requireOptions, toBoundTable } from '../../jsonrpc/option-table.ts'
import { DEFAULT_ROUNDS, ROUND_LIMITS, type RoundLimits, type RoundStore } from './round-keeping.ts'
import type { RoundMemory } from './round-memory.ts'

export type { RoundLimits, RoundStore } from './round-keeping.ts'

const ROUND_OPTIONS = toBoundTable({ maxRounds: 0, ...ROUND_LIMITS })

const load = onDemand(() => import('./round-memory.ts'))

/**
 * Keeps rounds in the memory of this process, within bounds on their number and on the bytes of their outcomes. When it is
 * full, the principal with the most loses its oldest: first the outcome is forgotten, and much later that the round was
 * taken at all. Until then the round is refused and does not run again.
 */
export class MemoryRoundStore implements RoundStore {
  readonly #make: () => RoundMemory | Promise<RoundMemory>

  constructor(maxRounds = DEFAULT_ROUNDS, limits: Partial<RoundLimits> = {}) {
    requireOptions('MemoryRoundStore', { maxRounds, ...limits }, ROUND_OPTIONS)
    const bounds = { ...ROUND_LIMITS, ...withoutUndefined(limits) }
    let memory: RoundMemory | undefined
    const make = (loaded: Awaited<ReturnType<typeof load>>): RoundMemory => {
      memory ??= new loaded.RoundMemory(maxRounds, bounds)
      return memory
    }
    this.#make = () => {
      const loaded = load()
      return memory ?? (loaded instanceof Promise ? loaded.then(make) : make(loaded))
    }
  }

  async take(round: string, ttlMs: number, principal?: string): Promise<string | undefined> {
    const memory = this.#make()
    return (memory instanceof Promise ? await memory : memory).take(round, ttlMs, principal)
  }

  settle(round: string, outcome: string): Promise<void> | void {
    const memory = this.#make()
    return memory instanceof Promise
      ? memory.then((made) => made.settle(round, outcome))
      : memory.settle(round, outcome)
  }

  release(round: string): Promise<void> | void {
    const memory = this.#make()
    return memory instanceof Promise ? memory.then((made) => made.release(round)) : memory.release(round)
  }
}
