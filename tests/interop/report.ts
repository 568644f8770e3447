/**
 * Where checks are counted: each suite opens a report of its own, `run.ts` prints them all as one table. A check is a
 * named function with a time limit; what it throws is kept and the suite goes on.
 */

export interface Failure {
  readonly suite: string
  readonly check: string
  readonly error: unknown
}

export class Report {
  readonly suite: string
  readonly failures: Failure[] = []
  passed = 0
  readonly #verbose: boolean

  constructor(suite: string, verbose: boolean) {
    this.suite = suite
    this.#verbose = verbose
  }

  async check(name: string, action: () => Promise<void> | void, limitMs = 20_000): Promise<void> {
    const began = performance.now()
    try {
      await withLimit(Promise.resolve().then(action), limitMs, name)
      this.passed += 1
      if (this.#verbose) console.log(`    ok    ${this.suite}: ${name} (${Math.round(performance.now() - began)} ms)`)
    } catch (error) {
      this.failures.push({ suite: this.suite, check: name, error })
      console.log(`    FAIL  ${this.suite}: ${name}\n${indent(describe(error))}`)
    }
  }
}

/** Rejects when `work` takes longer than `limitMs`; leaves no timer behind. */
export function withLimit<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing within ${limitMs} ms`)), limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Asks again until `test` holds, for what another process does in its own time. */
export async function until(test: () => Promise<boolean> | boolean, what: string, limitMs = 8_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export function toTable(reports: readonly Report[]): string {
  const rows = reports.map(({ suite, passed, failures }) => [suite, String(passed), String(failures.length)])
  const sum = (pick: (report: Report) => number) => String(reports.reduce((total, report) => total + pick(report), 0))
  const table = [
    ['suite', 'passed', 'failed'],
    ...rows,
    ['all', sum((report) => report.passed), sum((report) => report.failures.length)],
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const lines = table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
  const rule = '-'.repeat(lines[0]?.length ?? 0)
  return [lines[0], rule, ...lines.slice(1, -1), rule, lines.at(-1)].join('\n')
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  const code = 'code' in error ? ` [${String(error.code)}]` : ''
  const place = error.stack?.split('\n').find((line) => line.includes('/interop/') && !line.includes('node_modules'))
  return `${error.name}${code}: ${error.message}${place === undefined ? '' : `\n${place.trim()}`}${cause}`
}

function indent(text: string): string {
  return text.replace(/^/gm, '          ')
}
