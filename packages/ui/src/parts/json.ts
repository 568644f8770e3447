/** JSON as the page handles it: what a value is, how one member is set without trusting its name, how text becomes one. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonRecord
export interface JsonRecord {
  readonly [name: string]: JsonValue
}

export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy with one member set, or removed for `undefined`. Any name is an ordinary one, and order is kept. */
export function withMember(record: JsonRecord, name: string, value: JsonValue | undefined): JsonRecord {
  const entries = Object.entries(record)
  const place = entries.findIndex(([key]) => key === name)
  if (value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name))
  if (place === -1) entries.push([name, value])
  else entries[place] = [name, value]
  return Object.fromEntries(entries)
}

/** Only what the record itself holds: `constructor` is nobody's member unless it was sent. */
export function memberOf(record: unknown, name: string): JsonValue | undefined {
  // Whoever has a record here got it from JSON.
  return isRecord(record) && Object.hasOwn(record, name) ? (record[name] as JsonValue) : undefined
}

type ParsedJson = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string }

export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue }
  } catch (error) {
    return { ok: false, problem: toProblem(text, error) }
  }
}

/** Browsers word it differently; the place is what helps. */
function toProblem(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return text.trim() === '' ? 'Empty' : `Not JSON: ${message}`
  const before = text.slice(0, Number(position)).split('\n')
  return `Not JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? ''
}
