/**
 * What contract suites have in common. A suite is a list of cases for one interface; any test runner can run them, since a
 * case throws when the promise is broken.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

/** One promise of an interface, and how to try it. */
export interface ContractCase {
  readonly name: string
  run(): Promise<void>
}

const CASE_MS = 60_000

/** Fails a case that does not end: a store that waits for ever is as wrong as one that forgets. */
export async function inTime(work: Promise<void>, name: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${CASE_MS} ms: ${name}`)), CASE_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes one case of two handles on one fresh place. */
export type PairCase<Part> = (name: string, body: (one: Part, other: Part) => Promise<void>) => ContractCase

/** Gives how cases are made of pairs; both of a pair are closed after its case. */
export function pairCase<Part extends { close(): Promise<void> }>(
  make: () => Promise<readonly [Part, Part]>,
): PairCase<Part> {
  return (name, body) => ({
    name,
    run: async () => {
      const [one, other] = await make()
      try {
        await inTime(body(one, other), name)
      } finally {
        await one.close()
        await other.close()
      }
    },
  })
}

const LOOK_MS = 5

/** Waits until something is so; the case's own time bounds it. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS))
}

export function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}

/** Fails unless a call rejects with an error of this code. */
export async function expectCode(call: () => Promise<unknown>, code: string): Promise<void> {
  const outcome = await Promise.resolve()
    .then(call)
    .then(
      () => 'it was done',
      (error: unknown) => (error instanceof PorticoError ? error.code : String(error)),
    )
  expectEqual(outcome, code)
}

export function expectEqual(actual: unknown, expected: unknown): void {
  const [got, wanted] = [String(JSON.stringify(actual)), String(JSON.stringify(expected))]
  expect(got === wanted, `expected ${wanted.slice(0, 500)} but got ${got.slice(0, 500)}`)
}
