/**
 * What contract suites have in common. A suite is a list of cases for one interface; any test runner can run them, since a
 * case throws when the promise is broken.
 */

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

const LOOK_MS = 5

/** Waits until something is so; the case's own time bounds it. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS))
}

export function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}

export function expectEqual(actual: unknown, expected: unknown): void {
  const [got, wanted] = [String(JSON.stringify(actual)), String(JSON.stringify(expected))]
  expect(got === wanted, `expected ${wanted.slice(0, 500)} but got ${got.slice(0, 500)}`)
}
