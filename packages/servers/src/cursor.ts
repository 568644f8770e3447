/** Where the next page begins, as an opaque text that the model hands back (sec-136). */

import { createHash } from 'node:crypto'
import { ToolError } from '@portico/sdk/server'

/** `of` is what was asked, where a page means nothing beside another question: the cursor is then good for that one alone. */
export function toCursor(position: string, of?: readonly unknown[]): string {
  const bound = of === undefined ? position : `${digestOf(of)} ${position}`
  return Buffer.from(bound, 'utf8').toString('base64url')
}

export function fromCursor(cursor: string, of?: readonly unknown[]): string {
  if (/^[A-Za-z0-9_-]{1,2000}$/.test(cursor)) {
    const bound = Buffer.from(cursor, 'base64url').toString('utf8')
    const position = of === undefined ? bound : bound.slice(bound.indexOf(' ') + 1)
    if (toCursor(position, of) === cursor) return position
  }
  throw badCursor(of)
}

/** A cursor that counts. */
export function countFrom(cursor: string | undefined, of?: readonly unknown[]): number {
  if (cursor === undefined) return 0
  const position = fromCursor(cursor, of)
  const count = Number(position)
  if (position === '' || !Number.isSafeInteger(count) || count < 0) throw badCursor(of)
  return count
}

function digestOf(of: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 16)
}

function badCursor(of: readonly unknown[] | undefined): ToolError {
  const whose = of === undefined ? 'is not one that this tool gave out' : 'belongs to another question, or to none'
  return new ToolError(`The cursor ${whose}. Leave it out to begin with the first page`)
}
