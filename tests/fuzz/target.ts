/**
 * What can be fuzzed: a generator of inputs and the real part they go into. `run` throws where the part did something it
 * must never do; errors that belong to its contract it keeps to itself. `drive.ts` adds the promises that hold for all.
 */

import type fc from 'fast-check'

export interface Target {
  readonly name: string
  readonly about: string
  open(): Opened | Promise<Opened>
}

export interface Opened {
  readonly arbitrary: fc.Arbitrary<unknown>
  run(input: unknown): void | Promise<void>
  close?(): void | Promise<void>
}

/** Lets a target be written with the type of its inputs. */
export function opened<Input>(one: {
  readonly arbitrary: fc.Arbitrary<Input>
  run(input: Input): void | Promise<void>
  close?(): void | Promise<void>
}): Opened {
  // Only what the target's own generator made is ever passed to its `run`.
  return { ...one, run: (input) => one.run(input as Input) }
}

export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what)
}
