/** Reads values out of what a service answered, whose shape nobody here decides. */

import { cutText } from '../text/cut.ts'

type Json = { readonly [name: string]: unknown }

export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : []
}

/** A text, a number as text, or nothing. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** One line, however the text was written: titles and names must not be able to make lines of their own. */
export function toLine(value: unknown, length = 200): string {
  const line = toText(value).replace(/\s+/g, ' ').trim()
  return line.length > length ? `${cutText(line, length - 1)}…` : line
}
