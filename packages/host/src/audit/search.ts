/** Finds records in a log without holding it in memory: file by file, line by line, from old to new. */

import { fromLine } from './chain.ts'
import type { AuditRecord } from './record.ts'
import { listSegments, readLines } from './segments.ts'

/** Everything given must hold. Texts are compared whole, except for `text`. */
export interface AuditQuery {
  readonly since?: number
  readonly until?: number
  readonly type?: AuditRecord['type']
  readonly what?: string
  readonly server?: string
  readonly item?: string
  readonly principal?: string
  readonly session?: string
  readonly outcome?: string
  readonly rule?: string
  readonly traceId?: string
  readonly ref?: string
  readonly argumentDigest?: string
  /** Anywhere in the record, in any case. */
  readonly text?: string
  readonly limit?: number
  /** The last `limit` matches (100 unless given), newest first; they are held until the end is reached. */
  readonly newest?: boolean
}

/**
 * Reads the records of an audit log that match a query, oldest first unless `newest` is set. Lines that are no records
 * are passed over: `verifyAuditLog` is for finding those.
 *
 * @example
 * ```ts
 * import { searchAudit } from '@portico/host/audit'
 *
 * const denied = searchAudit('/home/ann/.portico/audit.jsonl', { server: 'git', outcome: 'deny', newest: true, limit: 20 })
 * for await (const { at, item, reason } of denied) process.stdout.write(`${new Date(at).toISOString()} ${item} ${reason}\n`)
 * ```
 */
export async function* searchAudit(file: string, query: AuditQuery = {}): AsyncGenerator<AuditRecord, void> {
  const limit = Math.max(0, query.limit ?? (query.newest ? 100 : Number.POSITIVE_INFINITY))
  if (query.newest) {
    let kept: AuditRecord[] = []
    for await (const record of matches(file, query)) {
      kept.push(record)
      // In steps, so that not every match moves all others.
      if (kept.length > 2 * limit + 100) kept = kept.slice(-limit)
    }
    yield* limit === 0 ? [] : kept.slice(-limit).reverse()
    return
  }
  let count = 0
  if (limit === 0) return
  for await (const record of matches(file, query)) {
    yield record
    if (++count >= limit) return
  }
}

const EXACT = [
  'type',
  'what',
  'server',
  'item',
  'principal',
  'session',
  'outcome',
  'rule',
  'traceId',
  'ref',
  'argumentDigest',
] as const

async function* matches(file: string, query: AuditQuery): AsyncGenerator<AuditRecord, void> {
  const wanted = EXACT.filter((name) => query[name] !== undefined)
  const text = query.text?.toLowerCase()
  for (const { path } of await listSegments(file)) {
    for await (const line of readLines(path)) {
      if (text !== undefined && !line.text.toLowerCase().includes(text)) continue
      const record = fromLine(line.text)
      if (record === undefined) continue
      if (query.since !== undefined && record.at < query.since) continue
      if (query.until !== undefined && record.at >= query.until) continue
      if (wanted.every((name) => record[name] === query[name])) yield record
    }
  }
}
