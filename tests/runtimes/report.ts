/** Where checks are counted: a report for each target, all of them printed as one table of targets and groups. */

import { GROUPS, type Group, withLimit } from './checks/check.ts'

export class Report {
  readonly target: string
  readonly failures: string[] = []
  /** Why the whole target was not run. */
  skipped: string | undefined
  readonly #cells = new Map<Group, { passed: number; failed: number }>()
  readonly #verbose: boolean

  constructor(target: string, verbose: boolean) {
    this.target = target
    this.#verbose = verbose
  }

  get passed(): number {
    return [...this.#cells.values()].reduce((sum, { passed }) => sum + passed, 0)
  }

  async check(group: Group, name: string, action: () => Promise<void>, limitMs = 15_000): Promise<void> {
    const cell = this.#cells.get(group) ?? { passed: 0, failed: 0 }
    this.#cells.set(group, cell)
    const began = performance.now()
    try {
      await withLimit(action(), limitMs, name)
      cell.passed += 1
      if (this.#verbose) console.log(`    ok    ${name} (${Math.round(performance.now() - began)} ms)`)
    } catch (error) {
      cell.failed += 1
      this.fail(name, error)
    }
  }

  fail(name: string, error: unknown): void {
    this.failures.push(name)
    console.log(`    FAIL  ${this.target}: ${name}\n${describe(error).replace(/^/gm, '          ')}`)
  }

  cell(group: Group): string {
    const { passed, failed } = this.#cells.get(group) ?? { passed: 0, failed: 0 }
    if (passed + failed === 0) return '–'
    return failed === 0 ? String(passed) : `${passed}/${passed + failed}`
  }
}

export function toTable(reports: readonly Report[]): string {
  const rows = reports.map((report) => {
    const verdict = report.skipped !== undefined ? 'skipped' : report.failures.length === 0 ? 'ok' : 'FAIL'
    return [report.target, ...GROUPS.map((group) => report.cell(group)), verdict]
  })
  const table = [['target', ...GROUPS, ''], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
  return [lines[0], '-'.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n')
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  const place = error.stack?.split('\n').find((line) => line.includes('/runtimes/') && !line.includes('node_modules'))
  return `${error.name}: ${error.message}${place === undefined ? '' : `\n${place.trim()}`}${cause}`
}
