/** JSON for people: rows as a table where they are rows and fit, everything else over several lines and in colours. */

import type { Io } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'
import { toWidths } from './table.ts'

const MAX_COLUMNS = 8
const MAX_CELL = 40

/** How it is shown: in which colours, and how wide lines may be where that is known. */
export type Shown = Pick<Io, 'paint'> & Partial<Pick<Io, 'columns'>>

export function showJson(value: unknown, io: Shown): string {
  return toRows(value, io) ?? pretty(value, io.paint, '')
}

function pretty(value: unknown, paint: Io['paint'], indent: string): string {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((one) => inner + pretty(one, paint, inner)).join(',\n')}\n${indent}]`
  }
  if (typeof value === 'object' && value !== null) {
    const lines = Object.entries(value).map(
      ([key, one]) => `${inner}${paint.cyan(quote(key))}: ${pretty(one, paint, inner)}`,
    )
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`
  }
  if (typeof value === 'string') return paint.green(quote(value))
  return typeof value === 'number' ? paint.yellow(String(value)) : paint.dim(String(value))
}

/** Rows alone, or as the one list of rows in an object whose other values are plain: those stand below. */
function toRows(value: unknown, io: Shown): string | undefined {
  if (Array.isArray(value)) return value.length < 2 ? undefined : tableOf(value, io)
  if (!isPlainObject(value)) return undefined
  const members = Object.entries(value)
  const [rows, ...more] = members.filter(([, one]) => isRows(one))
  const others = members.filter((member) => member !== rows)
  if (rows === undefined || more.length > 0 || !others.every(([, one]) => isPlain(one) || isPlainList(one)))
    return undefined
  // It has just been found to be a list.
  const table = tableOf(rows[1] as readonly unknown[], io)
  if (table === undefined || others.length === 0) return table
  const below = others.map(([key, one]) => `${io.paint.cyan(toLine(key, MAX_CELL))}: ${toLine(textOf(one))}`)
  return [table, '', ...below].join('\n')
}

/** Objects with plain values and mostly the same keys, in columns; undefined where they are none, or do not fit. */
function tableOf(rows: readonly unknown[], { paint, columns }: Shown): string | undefined {
  if (!rows.every(isFlat)) return undefined
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (keys.length === 0 || keys.length > MAX_COLUMNS) return undefined
  const cells = rows.map((row) => keys.map((key) => toLine(String(row[key] ?? ''), MAX_CELL)))
  const heads = keys.map((key) => toLine(key, MAX_CELL))
  const wanted = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const widths = toWidths(wanted, columns ?? Number.POSITIVE_INFINITY)
  if (widths === undefined) return undefined
  const isNumber = keys.map((key) => rows.every((row) => typeof row[key] === 'number'))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => {
        const width = widths[at] ?? 0
        return isNumber[at] ? toLine(cell, width).padStart(width) : toLine(cell, width).padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [paint.bold(line(heads)), ...cells.map(line)].join('\n')
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : String(value)
}

function isRows(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isFlat)
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isPlainList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPlain)
}

function isFlat(value: unknown): value is { readonly [key: string]: unknown } {
  return isPlainObject(value) && Object.values(value).every(isPlain)
}

function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quote(text: string): string {
  return toPlain(JSON.stringify(text))
}
