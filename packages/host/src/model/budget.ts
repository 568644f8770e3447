/** What a conversation may use up: steps and time for each turn, tokens and money for all of it. */

import { HostError } from '../errors.ts'
import type { ModelConfig } from './model-config.ts'

/** What a conversation may use up. */
export interface BudgetLimits {
  /** Requests to the model in one turn. */
  readonly steps: number
  /** Milliseconds of one turn; waiting for a person does not count. */
  readonly timeMs: number
  /** Input and output tokens of the whole conversation. */
  readonly tokens: number
  /** US dollars for the whole conversation, where the model's price is known. */
  readonly cost: number
}

/** The limits of a conversation where its options give no others. */
export const DEFAULT_BUDGET: BudgetLimits = { steps: 20, timeMs: 600_000, tokens: 1_000_000, cost: 5 }

/** What a conversation has used so far: tokens, requests to the model (`steps`), and US dollars. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly steps: number
  /** Absent where no price is known. */
  readonly cost?: number
}

/** Counts what a conversation uses of a model and stops it when a limit is reached. */
export class Budget {
  readonly limits: BudgetLimits
  #inputTokens = 0
  #outputTokens = 0
  #steps = 0
  #cost = 0
  #priced = false

  constructor(limits: Partial<BudgetLimits> = {}) {
    this.limits = { ...DEFAULT_BUDGET, ...limits }
  }

  get usage(): Usage {
    return {
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      steps: this.#steps,
      ...(this.#priced && { cost: this.#cost }),
    }
  }

  /** Takes up where an earlier conversation of the same id ended. */
  restore(usage: Usage): void {
    this.#inputTokens = usage.inputTokens
    this.#outputTokens = usage.outputTokens
    this.#steps = usage.steps
    this.#cost = usage.cost ?? 0
    this.#priced = usage.cost !== undefined
  }

  spend(tokens: { readonly input: number; readonly output: number }, config: ModelConfig): void {
    this.#inputTokens += tokens.input
    this.#outputTokens += tokens.output
    this.#steps += 1
    if (config.price === undefined) return
    this.#priced = true
    this.#cost += (tokens.input * config.price.input + tokens.output * config.price.output) / 1_000_000
  }

  /** Throws `budget-exhausted` when another step is not covered. */
  check(turn: { readonly steps: number; readonly elapsedMs: number }): void {
    const { steps, timeMs, tokens, cost } = this.limits
    if (turn.steps >= steps) throw exhausted('steps', `${steps} steps in one turn`)
    if (turn.elapsedMs >= timeMs) throw exhausted('timeMs', `${timeMs / 1000} seconds in one turn`)
    if (this.#inputTokens + this.#outputTokens >= tokens) throw exhausted('tokens', `${tokens} tokens`)
    if (this.#priced && this.#cost >= cost) throw exhausted('cost', `${cost} US dollars`)
  }
}

function exhausted(budget: keyof BudgetLimits, words: string): HostError {
  const message = `The conversation's budget of ${words} is used up. Raise \`budget.${budget}\` to go on.`
  return new HostError('budget-exhausted', message, { data: { budget } })
}
