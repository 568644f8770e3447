/** Rows for people in columns that line up, and for programs with a tab between. */

import type { Io } from './io.ts'
import { toLine } from './plain-text.ts'

/**
 * Every column is as wide as its cells as long as the line has room; then the widest is cut first, the last before others. `whole` is
 * the column whose cells are there to be typed: none of them is cut.
 */
export function toTable(
  rows: readonly (readonly string[])[],
  io: Pick<Io, 'terminal' | 'columns'>,
  whole?: number,
): string {
  if (!io.terminal) return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')
  const count = Math.max(0, ...rows.map((row) => row.length))
  const wanted = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...rows.map((row) => toLine(row[at] ?? '').length)),
  )
  const columns = io.columns ?? USUAL_WIDTH
  const widths = toWidths(wanted, columns)
  const isCut = whole !== undefined && (widths?.[whole] ?? 0) < (wanted[whole] ?? 0)
  if (widths === undefined || isCut) return rows.map((row) => flow(row, columns, whole)).join('\n')
  return rows
    .map((row) =>
      row
        .map((cell, at) => toLine(cell, widths[at]).padEnd(widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** Where columns would be too narrow to be read: whole cells one after another, further lines indented. */
export function flow(row: readonly string[], columns: number, whole?: number): string {
  const lines: string[] = []
  for (const [at, cell] of row.entries()) {
    const line = lines.at(-1)
    const text = at === whole ? toLine(cell) : toLine(cell, columns - GAP.length)
    if (line !== undefined && line.length + GAP.length + text.length <= columns)
      lines[lines.length - 1] = line + GAP + text
    else lines.push(line === undefined ? text : GAP + text)
  }
  return lines.join('\n')
}

/** The last column gives way down to what can still be read, then the widest of all does. None where that is not enough. */
export function toWidths(wanted: readonly number[], columns: number): number[] | undefined {
  const last = wanted.length - 1
  const widths = wanted.map((width, at) => (at === last ? width : Math.min(MAX_WIDTH, width)))
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns
  if (over <= 0) return widths
  const given = Math.min(over, Math.max(0, (widths[last] ?? 0) - LEAST_LAST))
  widths[last] = (widths[last] ?? 0) - given
  for (over -= given; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= LEAST) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const GAP = '  '
const MAX_WIDTH = 60
const USUAL_WIDTH = 80
const LEAST_LAST = 20
const LEAST = 10
