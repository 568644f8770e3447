/** Where the next page begins, as an opaque text that the model hands back (sec-136). */

import { createHash } from 'node:crypto'
import { PorticoError, ToolError } from '@portico/sdk/server'

/** The longest names of files and entities fit in, as they are written: what is made of a name may be many times as long. */
const MAX_LENGTH = 2_000
const PATTERN = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_LENGTH}}$`)

/** What every tool with pages of its own takes: a bound below this one would refuse what the tool itself gave out. */
export const CURSOR_INPUT = {
  type: 'string',
  maxLength: MAX_LENGTH,
  description: 'nextCursor of the page before',
} as const

/** `of` is what was asked: a page means nothing beside another question, so the cursor is good for that one alone. */
export function toCursor(position: string, of: readonly unknown[]): string {
  const cursor = encode(position, of)
  if (cursor.length <= MAX_LENGTH) return cursor
  throw new PorticoError('invalid-definition', `A cursor has ${cursor.length} characters and would be refused`)
}

export function fromCursor(cursor: string, of: readonly unknown[]): string {
  if (PATTERN.test(cursor)) {
    const bound = Buffer.from(cursor, 'base64url').toString('utf8')
    const position = bound.slice(bound.indexOf(' ') + 1)
    if (encode(position, of) === cursor) return position
  }
  throw badCursor()
}

/** A cursor that counts. */
export function countFrom(cursor: string | undefined, of: readonly unknown[]): number {
  if (cursor === undefined) return 0
  const position = fromCursor(cursor, of)
  const count = Number(position)
  if (position === '' || !Number.isSafeInteger(count) || count < 0) throw badCursor()
  return count
}

/** For one that does not say what a cursor of this tool says. */
export function badCursor(): ToolError {
  return new ToolError(
    'The cursor belongs to another question, or to none. Give it with the same arguments as the page before, or leave it out to begin with the first page',
  )
}

function encode(position: string, of: readonly unknown[]): string {
  return Buffer.from(`${digestOf(of)} ${position}`, 'utf8').toString('base64url')
}

function digestOf(of: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 16)
}
