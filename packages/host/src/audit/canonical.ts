/**
 * One text and one digest for one JSON value, whatever the order of its keys: what records are hashed over, arguments
 * digested from and approved values compared by. Here a value that cannot be compared is one that is denied.
 */

import * as crypto from 'node:crypto'
import { toCanonicalJson as toText } from '@portico/sdk/internal'
import { HostError } from '../errors.ts'

/** JSON with sorted keys and no spaces. Members that JSON does not have are left out, as `JSON.stringify` does. */
export function toCanonicalJson(value: unknown): string {
  return toText(value, tooDeep)
}

/** SHA-256 over the canonical text, in hexadecimal. */
export function toDigest(value: unknown): string {
  return sha256(toCanonicalJson(value))
}

/** SHA-256 over a text, in hexadecimal: in one step where Node has one (20.12), which takes half the time. */
export const sha256: (text: string) => string =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text)
    : (text) => crypto.createHash('sha256').update(text).digest('hex')

function tooDeep(): HostError {
  return new HostError('denied', 'A value is nested too deeply to be compared')
}
