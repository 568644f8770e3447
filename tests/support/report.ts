/**
 * How one trial goes. A trial that holds many checks counts them here, each a named function with a time limit: what one
 * throws is kept and the trial goes on. `suite.ts` opens a report for every trial and prints them all.
 */

import { withLimit } from './wait.ts'

export interface CheckOptions {
  readonly limitMs?: number
}

export class Report {
  readonly name: string
  readonly failures: string[] = []
  /** How many of its checks were not tried. */
  skipped = 0
  /** Why nothing of it was tried. */
  untried: string | undefined
  /** Said at the end of its line. */
  note = ''
  readonly #groups = new Map<string, { passed: number; failed: number }>()
  readonly #verbose: boolean

  constructor(name: string, verbose: boolean) {
    this.name = name
    this.#verbose = verbose
  }

  get passed(): number {
    return [...this.#groups.values()].reduce((sum, { passed }) => sum + passed, 0)
  }

  get checks(): number {
    return [...this.#groups.values()].reduce((sum, { passed, failed }) => sum + passed + failed, 0)
  }

  /** Whether it passed. */
  check(name: string, action: () => unknown, options?: CheckOptions): Promise<boolean> {
    return this.checkIn('', name, action, options)
  }

  /** The same, counted in a column of the table. */
  async checkIn(group: string, name: string, action: () => unknown, options: CheckOptions = {}): Promise<boolean> {
    const { limitMs = 20_000 } = options
    const cell = this.#groups.get(group) ?? { passed: 0, failed: 0 }
    this.#groups.set(group, cell)
    const began = performance.now()
    try {
      await withLimit(
        Promise.resolve().then(async () => void (await action())),
        limitMs,
        name,
      )
      cell.passed += 1
      if (this.#verbose) console.log(`  ok      ${name} (${seconds(began)} s)`)
      return true
    } catch (error) {
      cell.failed += 1
      this.fail(name, error)
      return false
    }
  }

  fail(name: string, error: unknown): void {
    this.failures.push(name)
    console.log(`  FAILED  ${this.name}: ${name}\n${describe(error).replace(/^/gm, '          ')}`)
  }

  /** Notes that a part of it was not tried. */
  skip(name: string, why: string): void {
    this.skipped += 1
    console.log(`skipped ${name}: ${why}`)
  }

  /** A cell of the table: how many checks of a group passed, out of how many where some did not. */
  cell(group: string): string {
    const { passed, failed } = this.#groups.get(group) ?? { passed: 0, failed: 0 }
    if (passed + failed === 0) return '–'
    return failed === 0 ? String(passed) : `${passed}/${passed + failed}`
  }
}

export function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1)
}

/** An error with its code, its causes and the line of a suite where it came up. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  const code = 'code' in error ? ` [${String(error.code)}]` : ''
  const isOurs = (line: string): boolean => /[\\/]tests[\\/]/.test(line) && !/node_modules|tests[\\/]support/.test(line)
  const place = error.stack?.split('\n').find(isOurs)
  return `${error.name}${code}: ${error.message}${place === undefined ? '' : `\n${place.trim()}`}${cause}`
}
