/** The matrix as a plan of the suite: a trial for each link, whose cells run side by side with those of the others. */

import { writeFileSync } from 'node:fs'
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
  const running = new Running(chosen, { seeds, workers, told })
  return {
    limitMs: 60 * 60_000,
    trials: links.map((link) => ({
      name: `${link} ${LINKS[link]}`,
      run: (report: Report) => running.follow(report, link),
    })),
    before: () => running.begin(),
    after: () => running.end(),
    summary: () => {
      if (choice.json !== undefined) writeFileSync(choice.json, `${toJson(told, choice, seeds)}\n`)
      return toSummary(told, choice.seed, runs)
    },
  }
}

interface RunningOptions {
  readonly seeds: readonly number[]
  readonly workers: number
  readonly told: Told[]
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
    const { seeds, workers, told } = this.#options
    this.#left = runCells(this.#chosen.map(nameOf), {
      seeds,
      workers,
      programs: this.#programs.folder,
      onTold: (one) => {
        told.push(one)
        this.#waiting.get(one.name)?.resolve(one)
      },
    })
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
  return `${toTable([head, ...rows, last])}\n\n${told.length} cells, ${runs} runs each, seed ${seed}`
}

function rank({ name }: Told, order: ReadonlyMap<string, number>): number {
  const link = Number(name.slice(1, 2))
  const fault = Number(/F(\d+)/.exec(name)?.[1])
  return link * 100_000 + fault * 1_000 + (order.get(name) ?? 0)
}

/** What the pages of the docs are made from. */
function toJson(told: readonly Told[], { runs, seed }: Choice, seeds: readonly number[]): string {
  const absent = places().flatMap(({ link, fault, absent }) => (absent === undefined ? [] : [{ link, fault, absent }]))
  const results = told.map(({ name, runs, account, slowest }) => ({
    name,
    runs,
    account,
    slowest: slowest.map(Math.round),
  }))
  return JSON.stringify(
    { links: LINKS, faults: FAULTS, runs: runs ?? seeds.length, seed, absent, cells: results },
    null,
    1,
  )
}

function toAbsent(): string {
  return places()
    .flatMap(({ link, fault, absent }) => (absent === undefined ? [] : [`${link} F${fault}: ${absent}`]))
    .join('\n')
}
