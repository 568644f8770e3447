/** The limits of callers, kept over all replicas: what a call takes of them, at once where this replica has it at hand. */

import type { SharedState } from '../../state/shared/shared-state.ts'
import { type GatewayLimits, LimitError, type LimitPlace, type SharedLimits, type ToolLimits } from '../limits.ts'
import { SharedRate } from './shared-rate.ts'
import { SharedSlots } from './shared-slots.ts'

interface Books {
  readonly limits: ToolLimits
  readonly rate: SharedRate | undefined
  readonly slots: SharedSlots | undefined
}

export class SharedCallLimits implements SharedLimits {
  readonly #state: SharedState
  readonly #limits: GatewayLimits
  readonly #rate: SharedRate
  readonly #slots: SharedSlots
  readonly #rules: ReadonlyMap<string, Books>

  constructor(state: SharedState, limits: GatewayLimits) {
    this.#state = state
    this.#limits = limits
    this.#rate = new SharedRate(state, 'calls', limits.callsPerMinute)
    this.#slots = new SharedSlots(state, 'calls', limits.maxConcurrent)
    this.#rules = new Map(
      Object.entries(limits.tools ?? {}).map(([name, own]) => {
        const { callsPerMinute, maxConcurrent } = own
        const rate = callsPerMinute === undefined ? undefined : new SharedRate(state, `tool ${name}`, callsPerMinute)
        const slots = maxConcurrent === undefined ? undefined : new SharedSlots(state, `tool ${name}`, maxConcurrent)
        return [name, { limits: own, rate, slots }]
      }),
    )
  }

  get replicas(): number {
    return this.#state.replicas.ids.size
  }

  /** Counts a call: at once where its share is at hand, after borrowing otherwise. Throws, or rejects, beyond the limits. */
  enter(principal: string, rule: string | undefined): LimitPlace | Promise<LimitPlace> {
    if (rule !== undefined || !this.#slots.takeNow(principal)) return this.#wait(principal, rule)
    if (this.#rate.takeNow(principal)) return { principal, pair: undefined }
    this.#slots.give(principal)
    return this.#wait(principal, undefined)
  }

  leave({ principal, pair }: LimitPlace): void {
    this.#slots.give(principal)
    if (pair !== undefined) this.#rules.get(ruleOf(pair))?.slots?.give(pair)
  }

  async close(): Promise<void> {
    await Promise.all([this.#slots.close(), ...Array.from(this.#rules.values(), ({ slots }) => slots?.close())])
  }

  async #wait(principal: string, rule: string | undefined): Promise<LimitPlace> {
    const { callsPerMinute, maxConcurrent } = this.#limits
    await consume(this.#rate, principal, `callsPerMinute (${callsPerMinute})`)
    const own = rule === undefined ? undefined : this.#rules.get(rule)
    const pair = JSON.stringify([principal, rule])
    const of = ` of "${rule}"`
    if (own?.rate !== undefined) await consume(own.rate, pair, `callsPerMinute (${own.limits.callsPerMinute})${of}`)
    if (!(await this.#slots.take(principal))) throw new LimitError(`maxConcurrent (${maxConcurrent})`, undefined)
    if (own?.slots === undefined) return { principal, pair: undefined }
    try {
      if (await own.slots.take(pair)) return { principal, pair }
      throw new LimitError(`maxConcurrent (${own.limits.maxConcurrent})${of}`, undefined)
    } catch (error) {
      this.#slots.give(principal)
      throw error
    }
  }
}

async function consume(rate: SharedRate, key: string, limit: string): Promise<void> {
  const waitMs = await rate.take(key)
  if (waitMs > 0) throw new LimitError(limit, waitMs)
}

/** Pairs are made above: who, and the name of the rule. */
function ruleOf(pair: string): string {
  return (JSON.parse(pair) as [string, string])[1]
}
