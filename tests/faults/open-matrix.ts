/** The matrix as a plan of the suite: a trial for each link, whose cells run side by side with those of the others. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ACCOUNT_COLUMNS, addAccount, createAccount, isClean } from '@portico/sdk/testing/faults'
import type { Report } from '../support/report.ts'
import type { Plan } from '../support/suite.ts'
import { toTable } from '../support/table.ts'
import { FAULTS, LINKS, type LinkName, nameOf } from './cell.ts'
import { type AnyCell, cells, places } from './matrix.ts'
import { runCells, type Told } from './pool.ts'
import { bundlePrograms } from './rig/bundle.ts'
import { missingDatabase } from './rig/database.ts'

interface Choice {
  readonly cell?: readonly string[]
  readonly link?: readonly string[]
  readonly runs?: string
  readonly seed: string
  readonly workers: string
  readonly json?: string
  readonly short: boolean
  readonly list: boolean
  readonly matrix: boolean
}

export function openMatrix(choice: Choice): Plan {
  const runs = Number(choice.runs ?? (choice.short ? 1 : 10))
  const seed = Number(choice.seed)
  const workers = Number(choice.workers)
  for (const [name, value] of Object.entries({ runs, seed, workers }))
    if (!Number.isSafeInteger(value) || value < (name === 'seed' ? 0 : 1))
      throw new Error(`--${name} takes a whole number`)
  if (choice.matrix) console.log(`${toAbsent()}\n`)
  const chosen = choose(choice)
  if (chosen.length === 0) throw new Error('No cell has that name; see --list.')
  const links = [...new Set(chosen.map(({ link }) => link))]
  const told: Told[] = []
  const seeds = Array.from({ length: runs }, (_, index) => seed + index)
  // A fault on a link is run so often, its forms in turn; a cell that was asked for by name has them all.
  const runsOf = ({ link, fault }: AnyCell): number => {
    const forms = cells.filter((one) => one.link === link && one.fault === fault).length
    return choice.cell === undefined ? Math.ceil(runs / forms) : runs
  }
  const began = performance.now()
  const running = new Running(chosen, { seeds, workers, told, runsOf, quiet: choice.short })
  return {
    limitMs: 60 * 60_000,
    trials: links.map((link) => ({
      name: `${link} ${LINKS[link]}`,
      run: (report: Report) => running.follow(report, link),
    })),
    before: () => running.begin(),
    after: () => running.end(),
    summary: () => {
      if (choice.json !== undefined) writeFileSync(choice.json, `${toJson(told, seeds, choice.json)}\n`)
      return `${toSummary(told, choice.seed, runs)}, ${toMinutes(performance.now() - began)}${processorTime()}`
    },
  }
}

interface RunningOptions {
  readonly seeds: readonly number[]
  readonly workers: number
  readonly told: Told[]
  runsOf(cell: AnyCell): number
  /** Without a line for each cell as it ends. */
  readonly quiet: boolean
}

/** The cells as they run, and whoever waits for one. */
class Running {
  readonly #chosen: readonly AnyCell[]
  readonly #options: RunningOptions
  readonly #waiting = new Map<string, { readonly promise: Promise<Told>; resolve(told: Told): void }>()
  #left: Promise<string[]> | undefined
  #programs: { readonly folder: string; remove(): void } | undefined

  constructor(chosen: readonly AnyCell[], options: RunningOptions) {
    this.#chosen = chosen
    this.#options = options
    for (const cell of chosen) {
      let resolve: (told: Told) => void = () => {}
      const promise = new Promise<Told>((settle) => {
        resolve = settle
      })
      this.#waiting.set(nameOf(cell), { promise, resolve })
    }
  }

  async begin(): Promise<void> {
    this.#programs = await bundlePrograms()
    const { seeds, workers, told, runsOf } = this.#options
    this.#left = runCells(
      this.#chosen.map((cell) => ({ name: nameOf(cell), seeds: seeds.slice(0, runsOf(cell)) })),
      {
        workers,
        programs: this.#programs.folder,
        onTold: (one) => {
          told.push(one)
          const end = one.complaints.length === 0 && isClean(one.account) ? '' : ': not as it has to be'
          if (!this.#options.quiet)
            console.log(`${told.length} of ${this.#chosen.length}  ${one.name}, ${(one.ms / 1000).toFixed(1)} s${end}`)
          this.#waiting.get(one.name)?.resolve(one)
        },
      },
    )
    this.#left.catch(() => {})
  }

  /** Counts every cell of a link as a check. */
  async follow(report: Report, link: LinkName): Promise<void> {
    for (const cell of this.#chosen.filter((one) => one.link === link)) {
      const name = nameOf(cell)
      const ended = this.#left?.then((left) => ({ left }))
      const one = await Promise.race([this.#waiting.get(name)?.promise, ended])
      await report.check(name, () => {
        if (one === undefined || 'left' in one) throw new Error(`it was not run: ${one?.left.join('; ')}`)
        if (one.complaints.length > 0 || !isClean(one.account)) throw new Error(toComplaint(one))
      })
    }
    const left = (await this.#left) ?? []
    await report.check('workers end by themselves', () => {
      if (left.length > 0) throw new Error(left.join('\n'))
    })
  }

  async end(): Promise<void> {
    await this.#left?.catch(() => {})
    this.#programs?.remove()
  }
}

function choose({ cell = [], link = [], short }: Choice): AnyCell[] {
  const isChosen = (one: AnyCell): boolean => {
    const name = `${nameOf(one)} `
    // "F1" is not the beginning of "F13".
    const fits = (words: string) =>
      words
        .split(/\s+/)
        .every(
          (word) =>
            name.toLowerCase().includes(`${word.toLowerCase()} `) ||
            (!/^[LF]\d+$/i.test(word) && name.toLowerCase().includes(word.toLowerCase())),
        )
    return (cell.length === 0 || cell.some(fits)) && (link.length === 0 || link.includes(one.link))
  }
  const chosen = cells.filter(isChosen).filter((one) => {
    const missing = 'database' in one ? missingDatabase(one.database) : undefined
    if (missing !== undefined) console.log(`skipped ${nameOf(one)}: ${missing}`)
    return missing === undefined
  })
  return short && cell.length === 0 ? chosen.filter(isShort) : chosen
}

/** The short form has one cell for each of these places, another of its cells on every link; the others repeat these in kind. */
const SHORT: { readonly [link in LinkName]: readonly number[] } = {
  L1: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 21, 22, 24, 25, 26],
  L2: [1, 3, 4, 5, 6, 7, 13, 14, 16, 17, 18, 19, 21, 22, 23, 26],
  L3: [2, 13, 15, 18, 19, 25],
  L4: [1, 7, 13, 14, 15, 18, 22],
  L5: [2, 7, 13, 14, 18, 22],
  L6: [3, 7, 13],
}

function isShort(one: AnyCell, _: number, all: readonly AnyCell[]): boolean {
  if (!SHORT[one.link].includes(one.fault)) return false
  const own = all.filter(({ link, fault }) => link === one.link && fault === one.fault)
  return own[Number(one.link.slice(1)) % own.length] === one
}

function toComplaint({ complaints, account }: Told): string {
  const shown = complaints.slice(0, 5).join('\n')
  const more = complaints.length > 5 ? `\nand ${complaints.length - 5} more` : ''
  return `${shown}${more}\n${JSON.stringify(account)}`
}

function toSummary(told: readonly Told[], seed: string, runs: number): string {
  const total = createAccount()
  for (const { account } of told) addAccount(total, account)
  const order = new Map(cells.map((cell, index) => [nameOf(cell), index]))
  const sorted = [...told].sort((a, b) => rank(a, order) - rank(b, order))
  const rows = sorted.map(({ name, runs, account, slowest, ms }) => [
    name,
    String(runs),
    ...ACCOUNT_COLUMNS.map((column) => String(account[column])),
    String(Math.round(Math.max(0, ...slowest))),
    (ms / 1000).toFixed(1),
  ])
  const last = ['total', '', ...ACCOUNT_COLUMNS.map((column) => String(total[column])), '', '']
  const head = ['cell', 'runs', ...ACCOUNT_COLUMNS, 'slowest ms', 's']
  return `${toTable([head, ...rows, last])}\n\n${told.length} cells, each fault ${runs} times on its link, seed ${seed}`
}

function toMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** What all of it took of the processors, where the system tells: on a machine that has others to serve, the clock says little. */
function processorTime(): string {
  if (process.platform !== 'linux') return ''
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // User and system time of this process and of all that have ended below it, in hundredths of a second (proc(5)).
  const seconds = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100
  return `, ${Math.round(seconds)} s of processor time on ${availableParallelism()} cores`
}

function rank({ name }: Told, order: ReadonlyMap<string, number>): number {
  const link = Number(name.slice(1, 2))
  const fault = Number(/F(\d+)/.exec(name)?.[1])
  return link * 100_000 + fault * 1_000 + (order.get(name) ?? 0)
}

/** What the pages of the docs are made from. Cells that were not run now stay as the file has them. */
function toJson(told: readonly Told[], seeds: readonly number[], file: string): string {
  const absent = places().flatMap(({ link, fault, absent }) => (absent === undefined ? [] : [{ link, fault, absent }]))
  const before: KeptCell[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cells : []
  const kept = new Map(before.map((cell) => [cell.name, cell]))
  for (const { name, runs, account, slowest } of told)
    kept.set(name, { name, runs, seed: seeds[0] ?? 0, account, slowest: Math.round(Math.max(0, ...slowest)) })
  const results = cells.flatMap((cell) => kept.get(nameOf(cell)) ?? [])
  return JSON.stringify({ links: LINKS, faults: FAULTS, node: process.version, absent, cells: results }, null, 1)
}

interface KeptCell {
  readonly name: string
  readonly runs: number
  readonly seed: number
  readonly account: Told['account']
  /** The longest time from the fault to the end of a call that failed of it. */
  readonly slowest: number
}

function toAbsent(): string {
  return places()
    .flatMap(({ link, fault, absent }) => (absent === undefined ? [] : [`${link} F${fault}: ${absent}`]))
    .join('\n')
}
