/**
 * One text for one JSON value, whatever the order of its keys: what records are hashed over, arguments digested from
 * and approved values compared by. The lowest piece of the host; knows no record.
 */

import { createHash } from 'node:crypto'
import { HostError } from '../errors.ts'

/** JSON with sorted keys and no spaces. Members that JSON does not have are left out, as `JSON.stringify` does. */
export function toCanonicalJson(value: unknown): string {
  return write(value, 0)
}

/** SHA-256 over the canonical text, in hexadecimal. */
export function toDigest(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex')
}

/** Deeper than any message that the SDK lets in. */
const MAX_DEPTH = 256

function write(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (depth > MAX_DEPTH) throw new HostError('denied', 'A value is nested too deeply to be compared')
  if (Array.isArray(value)) return `[${value.map((one) => write(one, depth + 1)).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => isJson(member))
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`).join(',')}}`
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
}
