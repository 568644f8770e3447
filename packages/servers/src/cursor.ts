/** Where the next page begins, as an opaque text that the model hands back (sec-136). */

import { ToolError } from '@portico/sdk/server'

export function toCursor(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url')
}

export function fromCursor(cursor: string): string {
  if (/^[A-Za-z0-9_-]{1,2000}$/.test(cursor)) {
    const position = Buffer.from(cursor, 'base64url').toString('utf8')
    if (toCursor(position) === cursor) return position
  }
  throw badCursor()
}

/** A cursor that counts. */
export function countFrom(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const count = Number(fromCursor(cursor))
  if (!Number.isSafeInteger(count) || count < 0) throw badCursor()
  return count
}

function badCursor(): ToolError {
  return new ToolError('The cursor is not one that this tool gave out. Leave it out to begin with the first page')
}
