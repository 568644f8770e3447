/** Figures in words: the tables for the terminal and for `docs/benchmarks.md`, and the results on the floors. */

import type { Axis } from './axes.ts'
import { type Fault, type Figure, find } from './figures.ts'
import { FLOORS, type Floor } from './floors.ts'
import type { StaticAxis } from './static-axes.ts'

export interface FloorResult {
  readonly about: string
  /** The floor itself is reached. */
  readonly reached: boolean
  /** It is, or where it is out of reach the guard is held. */
  readonly held: boolean
  readonly words: string
  readonly why?: string
}

export interface Table {
  readonly title: string
  readonly about: string
  readonly rows: readonly (readonly string[])[]
}

export interface Run {
  readonly machine: string
  readonly date: string
  readonly commit: string
  readonly versions: { readonly [name: string]: string }
  readonly pace: string
  readonly figures: readonly Figure[]
  readonly faults: readonly Fault[]
  readonly results: readonly FloorResult[]
}

const NOT_MEASURED = 'not measured'

const HEADER = ['', 'median', 'spread', 'calls/s', 'of the limit', 'Portico is']

/** One table per axis and case, contestants in the order they were measured. */
export function toTables(axes: readonly (Axis | StaticAxis)[], figures: readonly Figure[]): Table[] {
  return axes.flatMap((axis) => {
    const { name, title, about } = axis
    const base = 'base' in axis ? axis.base : undefined
    const own = figures.filter(({ axis }) => axis === name)
    return [...new Set(own.map((figure) => figure.case))].map((variant) => {
      const rows = own.filter((figure) => figure.case === variant)
      const isBase = (contestant: string): boolean =>
        base === undefined ? contestant.startsWith('bare') || contestant === 'schemas alone' : contestant === base
      const limit = rows.find(({ contestant }) => isBase(contestant))
      const ours = rows.find(({ contestant }) => contestant === 'portico')
      return {
        title: `${title}: ${variant} (${rows[0]?.unit})`,
        about,
        rows: [HEADER, ...rows.map((row) => toRow(row, limit, ours))],
      }
    })
  })
}

function toRow(row: Figure, limit: Figure | undefined, ours: Figure | undefined): string[] {
  const own = row.contestant.startsWith('portico') || row.contestant.startsWith('bare')
  return [
    row.contestant,
    toNumber(row.median),
    row.low === row.high ? '' : `${toNumber(row.low)} – ${toNumber(row.high)}`,
    row.perSecond === undefined ? toStart(row) : Math.round(row.perSecond).toLocaleString('en'),
    limit === undefined ? '' : toRatio(row.median / limit.median),
    ours === undefined || own ? '' : toAdvantage(row.median / ours.median),
  ]
}

function toStart({ wallMs, rss }: Figure): string {
  return wallMs === undefined || rss === undefined ? '' : `${toNumber(wallMs)} ms, ${Math.round(rss / 1e6)} MB`
}

function toAdvantage(ratio: number): string {
  return ratio >= 1 ? `${toRatio(ratio)} lighter` : `${toRatio(1 / ratio)} heavier`
}

/** The figures of this run against the floors. Axes that were not run are left out; a figure missing from one that was fails. */
export function judge(figures: readonly Figure[]): FloorResult[] {
  return FLOORS.flatMap((floor) => {
    const ours = find(figures, floor.axis, floor.case, floor.ours ?? 'portico')
    if (!figures.some(({ axis }) => axis === floor.axis)) return []
    if (ours === undefined) return [{ about: floor.about, reached: false, held: false, words: NOT_MEASURED }]
    return [toLimitResult, toPeerResult, toValueResult].flatMap((judgeOne) => judgeOne(floor, ours, figures) ?? [])
  })
}

/** What becomes of a figure that has to be at most `goal`, or at least at most `guard`. */
function atMost(value: number, goal: number, guard: number | undefined, why: string | undefined) {
  const reached = value <= goal
  return { reached, held: reached || (guard !== undefined && value <= guard), ...(!reached && why && { why }) }
}

function toLimitResult(floor: Floor, ours: Figure, figures: readonly Figure[]): FloorResult | undefined {
  if (floor.limit === undefined) return undefined
  const limit = find(figures, floor.axis, floor.case, floor.limit.contestant)
  if (limit === undefined)
    return { about: `${floor.about}, against the limit`, reached: false, held: false, words: NOT_MEASURED }
  const { atMost: times, plus = 0, guard } = floor.limit
  const bound = limit.median * times + plus
  const guarded = guard === undefined ? '' : ` (guarded at ${toRatio(guard)})`
  const shown =
    plus === 0
      ? `${toRatio(ours.median / limit.median)} of ${toRatio(times)}${guarded}`
      : `${toNumber(ours.median)} of ${toNumber(bound)}`
  const words = `${shown}: ${toNumber(ours.median)} against ${limit.contestant} ${toNumber(limit.median)} ${ours.unit}`
  const outcome = atMost(ours.median, bound, guard && limit.median * guard, floor.why)
  return { about: `${floor.about}, against the limit`, ...outcome, words }
}

function toPeerResult(floor: Floor, ours: Figure, figures: readonly Figure[]): FloorResult | undefined {
  if (floor.peer === undefined) return undefined
  const peers = floor.peer.contestants
    .map((name) => find(figures, floor.axis, floor.case, name))
    .filter((figure) => figure !== undefined)
    .sort((a, b) => a.median - b.median)
  const best = peers[0]
  if (best === undefined)
    return { about: `${floor.about}, against the best peer`, reached: false, held: false, words: NOT_MEASURED }
  const { over } = floor.peer
  const base = over === undefined ? 0 : (find(figures, floor.axis, floor.case, over)?.median ?? 0)
  const [theirs, own] = [best.median - base, ours.median - base]
  const ratio = theirs / own
  const added = over === undefined ? '' : ` over ${over}`
  const words = `${toRatio(ratio)} of ${toRatio(floor.peer.atLeast)}: ${best.contestant} ${toNumber(theirs)} against ${toNumber(own)} ${ours.unit}${added}`
  const reached = ratio >= floor.peer.atLeast
  return { about: `${floor.about}, against the best peer`, reached, held: reached, words }
}

function toValueResult({ about, value, why }: Floor, ours: Figure): FloorResult | undefined {
  if (value === undefined) return undefined
  const guarded = value.guard === undefined ? '' : ` (guarded at ${toNumber(value.guard)})`
  const words = `${toNumber(ours.median)} of ${toNumber(value.atMost)}${guarded} ${ours.unit}`
  return { about, ...atMost(ours.median, value.atMost, value.guard, why), words }
}

export function toText({ title, rows }: Table): string {
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
  return `\n${title}\n${lines.join('\n')}`
}

export function toResultText({ about, reached, held, words }: FloorResult): string {
  return `${reached ? 'holds ' : held ? 'misses' : 'FAILS '} ${about}: ${words}`
}

export function toMarkdown(run: Run, tables: readonly Table[]): string {
  const results = run.results.map(
    ({ about, reached, held, words, why }) =>
      `| ${about} | ${reached ? 'yes' : held ? 'not the goal' : '**no**'} | ${words}${why ? `. ${why}` : ''} |`,
  )
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} ${version}`)
  return `# Benchmarks

Written by \`npm run bench\`; do not edit. How it is measured, what each axis is and how to add a peer:
[bench/README.md](../bench/README.md).

- Machine: ${run.machine}
- Date: ${run.date}, commit ${run.commit}
- ${run.pace}
- Peers: ${versions.join(', ')}

CPU time is the steadier measure on a shared machine, so it comes first. "The limit" is what Node itself needs for the
same work with no library at all.

![CPU per call as a multiple of the limit](benchmarks.svg)

## Floors

| floor | held | figures |
|---|---|---|
${results.join('\n')}

${tables.map(toMarkdownTable).join('\n\n')}
${run.faults.length === 0 ? '' : `\n## Not measured\n\n${run.faults.map(toFaultLine).join('\n')}\n`}`
}

function toMarkdownTable({ title, about, rows: [header = [], ...rows] }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = `|---|${header
    .slice(1)
    .map(() => '---:|')
    .join('')}`
  return `## ${title}\n\n${about}\n\n${line(header)}\n${rule}\n${rows.map(line).join('\n')}`
}

function toFaultLine({ axis, case: name, contestant, reason }: Fault): string {
  return `- ${axis}, ${name}, ${contestant}: ${reason.split('\n')[0]?.slice(0, 200)}`
}

export function toNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}

export function toRatio(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)} ×`
}
