/**
 * One text and one digest for one JSON value, whatever the order of its keys: what records are hashed over, arguments
 * digested from and approved values compared by. Here a value that cannot be compared is one that is denied.
 */

import { createHash } from 'node:crypto'
import { toCanonicalJson as toText } from '@portico/sdk/internal'
import { HostError } from '../errors.ts'

/** JSON with sorted keys and no spaces. Members that JSON does not have are left out, as `JSON.stringify` does. */
export function toCanonicalJson(value: unknown): string {
  return toText(value, tooDeep)
}

/** SHA-256 over the canonical text, in hexadecimal. */
export function toDigest(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex')
}

function tooDeep(): HostError {
  return new HostError('denied', 'A value is nested too deeply to be compared')
}
