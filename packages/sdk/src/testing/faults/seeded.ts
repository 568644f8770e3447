/** Chance that can be had again: everything random of a fault comes from its seed. */

/** Random choices that are the same for the same seed. */
export interface Seeded {
  readonly seed: number
  /** A number in [0, 1). */
  random(): number
  /** An integer below `n`. */
  pick(n: number): number
}

/**
 * Makes a source of random choices.
 *
 * @example
 * ```ts
 * import { createSeeded } from '@portico/sdk/testing/faults'
 *
 * const { pick } = createSeeded(7)
 * console.log(pick(10), pick(10))
 * ```
 */
export function createSeeded(seed: number): Seeded {
  let state = (seed * 2_654_435_761) % 4_294_967_296
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  return { seed, random, pick: (n) => Math.floor(random() * n) }
}
