/** Rows for people in columns that line up, and for programs with a tab between. */

import type { Io } from './io.ts'
import { toLine } from './plain-text.ts'

/** The last column takes what is left of the width and is cut there. */
export function toTable(rows: readonly (readonly string[])[], io: Pick<Io, 'terminal' | 'columns'>): string {
  if (!io.terminal) return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')
  const widths = rows.reduce<number[]>((known, row) => {
    return row.map((cell, at) => Math.min(MAX_WIDTH, Math.max(known[at] ?? 0, toLine(cell).length)))
  }, [])
  return rows
    .map((row) => {
      const { columns = USUAL_WIDTH } = io
      const start = row.slice(0, -1).map((cell, at) => toLine(cell).padEnd(widths[at] ?? 0))
      const used = start.reduce((sum, cell) => sum + cell.length + 2, 0)
      return [...start, toLine(row.at(-1) ?? '', Math.max(20, columns - used))].join('  ').trimEnd()
    })
    .join('\n')
}

const MAX_WIDTH = 60
const USUAL_WIDTH = 80
