/** What came of the faults, for people and for programs: the other side's figures beside Portico's. */

import { ACCOUNT_COLUMNS, type FaultRow } from '@portico/sdk/testing/faults'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { flow } from '../terminal/table.ts'

export interface FaultTables {
  readonly subject: string
  readonly rows: readonly FaultRow[]
  /** The same faults on Portico itself. */
  readonly portico: readonly FaultRow[]
}

/** What Portico's own rows are called beside those of the other side, which may be Portico, too. */
export function ownLabel(subject: string): string {
  return subject === 'portico' ? 'portico itself' : 'portico'
}

const HEADS = ['sent', 'answered', 'failed', 'lost', 'wrong', 'doubled', 'untrue', 'hung']
const LAST_HEAD = 'well after'

/** Lines that are as wide as they have to be: figures are not cut off. Where a terminal has no room for them, each has its name. */
export function toFaultTable(tables: FaultTables, { terminal, columns }: Pick<Io, 'terminal' | 'columns'>): string {
  const wide = toWide(tables)
  const isTooWide = terminal && columns !== undefined && wide.split('\n').some((line) => line.length > columns)
  return isTooWide ? toNarrow(tables, columns) : wide
}

function toNarrow({ subject, rows, portico }: FaultTables, columns: number): string {
  const named = (who: string, row: FaultRow): string => {
    const cells = figures(row).map((figure, at) => `${[...HEADS, LAST_HEAD][at]} ${figure}`)
    return flow([who, ...cells], columns - 2).replace(/^/gm, '  ')
  }
  return rows
    .flatMap((row) => {
      const own = ownOf(row, portico)
      return [
        `${row.fault} ${row.about}`,
        named(subject, row),
        ...(own === undefined ? [] : [named(ownLabel(subject), own)]),
      ]
    })
    .join('\n')
}

function ownOf(row: FaultRow, portico: readonly FaultRow[]): FaultRow | undefined {
  return portico.find(({ fault, about }) => fault === row.fault && about === row.about)
}

function toWide({ subject, rows, portico }: FaultTables): string {
  const lines = [
    ['fault', '', ...HEADS, LAST_HEAD],
    ...rows.flatMap((row) => {
      const own = ownOf(row, portico)
      return [
        [`${row.fault} ${row.about}`, subject, ...figures(row)],
        ...(own === undefined ? [] : [['', ownLabel(subject), ...figures(own)]]),
      ]
    }),
  ]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? []
  const toText = (line: readonly string[]): string =>
    line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')
  return lines.map((line) => toText(line).trimEnd()).join('\n')
}

/** `?` for what cannot be seen from here. */
function figures({ account, unseen, notes }: FaultRow): string[] {
  const hidden: readonly string[] = unseen
  return [
    ...ACCOUNT_COLUMNS.map((column) => (hidden.includes(column) ? '?' : String(account[column]))),
    notes.length === 0 ? 'yes' : 'no',
  ]
}

/** What went wrong, a line for each. */
export function toNotes({ rows }: FaultTables): string[] {
  return rows.flatMap(({ fault, about, notes }) => notes.map((note) => `${fault} ${about}: ${toLine(note, 300)}`))
}
