/** What came of the faults, for people and for programs: the other side's figures beside Portico's. */

import { ACCOUNT_COLUMNS, type FaultRow } from '@portico/sdk/testing/faults'
import { toLine } from '../terminal/plain-text.ts'

export interface FaultTables {
  readonly subject: string
  readonly rows: readonly FaultRow[]
  /** The same faults on Portico itself. */
  readonly portico: readonly FaultRow[]
}

const HEADS = ['sent', 'answered', 'failed', 'lost', 'wrong', 'doubled', 'untrue', 'hung']

/** Lines that are as wide as they have to be: figures are not cut off. */
export function toFaultTable({ subject, rows, portico }: FaultTables): string {
  const lines = [
    ['fault', '', ...HEADS, 'well after'],
    ...rows.flatMap((row) => {
      const own = portico.find(({ fault, about }) => fault === row.fault && about === row.about)
      return [
        [`${row.fault} ${row.about}`, subject, ...figures(row)],
        ...(own === undefined ? [] : [['', 'portico', ...figures(own)]]),
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
