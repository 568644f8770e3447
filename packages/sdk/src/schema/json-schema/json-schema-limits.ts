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
  /** How much work one validation may be: a step is about one keyword held against one value. */
  readonly maxValidationSteps?: number
  /** How many instructions the regular expressions of one schema may compile to, together. */
  readonly maxPatternSize?: number
}

export const SCHEMA_LIMITS: Required<SchemaLimits> = {
  maxSchemaDepth: 64,
  maxSubschemas: 5_000,
  maxValueDepth: 128,
  maxValidationSteps: 1_000_000,
  maxPatternSize: 20_000,
}

/** For an author's own schemas, where only the value may be hostile: room for the largest messages. */
export const TRUSTED_VALIDATION_STEPS = 10_000_000

/** Thrown inside a validation and caught at its top, where it becomes the one issue with the keyword `limit`. */
export class LimitReached {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Counts work, never time: whether a value is valid must not depend on how busy the machine is. */
export class Budget {
  #left: number
  readonly #steps: number

  constructor(steps: number) {
    this.#steps = steps
    this.#left = steps
  }

  reset(): void {
    this.#left = this.#steps
  }

  /** Pays for `steps` units of work, each of roughly equal and small cost. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) {
      throw new LimitReached(`the check took more than ${this.#steps} steps (maxValidationSteps)`)
    }
  }
}
