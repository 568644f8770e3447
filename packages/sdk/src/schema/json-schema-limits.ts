/**
 * The bounds that keep a hostile schema or value from holding the process: one table of options, and the budget that
 * a running validation spends. The compiler, the keywords and the pattern engine all draw on the same budget.
 */

export interface SchemaLimits {
  /** How deep subschemas may nest. */
  readonly maxSchemaDepth?: number
  /** How many subschemas one document may hold, those of `documents` included. */
  readonly maxSubschemas?: number
  /** How deep a checked value may nest. */
  readonly maxValueDepth?: number
  /** How long one validation may run, in milliseconds, once it has taken more steps than ordinary values need. */
  readonly maxValidationMs?: number
  /** How many instructions the regular expressions of one schema may compile to, together. */
  readonly maxPatternSize?: number
}

export const SCHEMA_LIMITS: Required<SchemaLimits> = {
  maxSchemaDepth: 64,
  maxSubschemas: 5_000,
  maxValueDepth: 128,
  maxValidationMs: 50,
  maxPatternSize: 20_000,
}

/** Thrown inside a validation and caught at its top, where it becomes the one issue with the keyword `limit`. */
export class LimitReached {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The clock is read once per this many steps, and so not at all in an ordinary validation. */
const STEPS_PER_LOOK = 2_048
/**
 * Looks before time counts: a quarter of a million steps, some 20 ms of work. Without them a value could fail because
 * the machine was busy elsewhere.
 */
const FREE_LOOKS = 128

export class Budget {
  #left = STEPS_PER_LOOK
  #looks = 0
  #deadline = 0
  readonly #milliseconds: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  reset(): void {
    this.#left = STEPS_PER_LOOK
    this.#looks = 0
    this.#deadline = 0
  }

  /** Pays for `steps` units of work, each of roughly equal and small cost. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) this.#look()
  }

  #look(): void {
    const now = Date.now()
    if (this.#deadline === 0) this.#deadline = now + this.#milliseconds
    else if (now >= this.#deadline && this.#looks > FREE_LOOKS) {
      throw new LimitReached(`the check took longer than ${this.#milliseconds} ms (maxValidationMs)`)
    }
    this.#looks++
    this.#left = STEPS_PER_LOOK
  }
}
