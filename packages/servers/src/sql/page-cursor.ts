/**
 * Where the next page of a result begins. The cursor is opaque, belongs to one statement with its parameters, and holds
 * as long as the database gives the rows in the same order: the statement is run again and read on from there.
 */

import { createHash } from 'node:crypto'
import { ToolError } from '@portico/sdk/server'
import type { Statement } from './engine.ts'

const MAX_OFFSET = 10_000_000

export function toPageCursor(statement: Statement, offset: number): string {
  return Buffer.from(`${offset}.${digestOf(statement)}`).toString('base64url')
}

export function fromPageCursor(statement: Statement, cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const [offset, digest] = Buffer.from(cursor, 'base64url').toString().split('.')
  const count = Number(offset)
  if (digest === digestOf(statement) && Number.isSafeInteger(count) && count >= 0 && count <= MAX_OFFSET) return count
  throw new ToolError('This cursor belongs to another statement. Leave it out to begin with the first page.')
}

function digestOf({ sql, params }: Statement): string {
  return createHash('sha256')
    .update(JSON.stringify([sql, params]))
    .digest('base64url')
    .slice(0, 16)
}
