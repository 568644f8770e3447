/** JSON for people: rows as a table where they are rows, everything else over several lines and in colours. */

import type { Io } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'

const MAX_COLUMNS = 8
const MAX_CELL = 40

export function showJson(value: unknown, { paint }: Pick<Io, 'paint'>): string {
  return toRows(value, paint) ?? pretty(value, paint, '')
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

/** Objects with plain values and mostly the same keys; alone, or as the only list of an object. */
function toRows(value: unknown, paint: Io['paint']): string | undefined {
  if (isPlainObject(value)) {
    const [only, ...others] = Object.values(value)
    return others.length === 0 && Array.isArray(only) ? toRows(only, paint) : undefined
  }
  if (!Array.isArray(value) || value.length < 2 || !value.every(isFlat)) return undefined
  const keys = [...new Set(value.flatMap((row) => Object.keys(row)))]
  if (keys.length === 0 || keys.length > MAX_COLUMNS) return undefined
  const cells = value.map((row) => keys.map((key) => toLine(String(row[key] ?? ''), MAX_CELL)))
  const heads = keys.map((key) => toLine(key, MAX_CELL))
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const isNumber = keys.map((key) => value.every((row) => typeof row[key] === 'number'))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [paint.bold(line(heads)), ...cells.map(line)].join('\n')
}

function isFlat(value: unknown): value is { readonly [key: string]: unknown } {
  return isPlainObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null)
}

function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quote(text: string): string {
  return toPlain(JSON.stringify(text))
}
