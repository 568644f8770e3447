/**
 * Opens a log where its last writer left it: a line that was not finished is taken off, records that the head does not
 * know yet are believed if they continue the chain, and what is missing is written down instead of being passed over.
 */

import { createHash } from 'node:crypto'
import { truncate } from 'node:fs/promises'
import type { JsonObject } from '@portico/sdk/server'
import { type AuditHead, type AuditKey, fromHeadText, fromLine, GENESIS, isIntact, type StoredHead } from './chain.ts'
import type { HeadStore } from './head-store.ts'
import { requireFile } from './log-files.ts'
import type { AuditRecord } from './record.ts'
import { headPath, listSegments, readHead, readLines, readTail } from './segments.ts'

interface Recovery {
  readonly head: StoredHead
  /** Of the file that is written. */
  readonly size: number
  readonly findings: readonly Finding[]
}

/** An event for the log itself. */
export interface Finding {
  readonly what: 'audit-torn-line' | 'audit-gap' | 'audit-head-lost' | 'audit-copy-begun' | 'audit-copy-lost'
  readonly reason: string
  readonly detail: JsonObject
}

export async function recover(file: string, key: AuditKey, headStore?: Pick<HeadStore, 'load'>): Promise<Recovery> {
  await Promise.all([file, headPath(file)].map(requireFile))
  const headText = await readHead(file)
  const stored = headText === undefined ? undefined : fromHeadText(headText, key)
  const findings: Finding[] = []
  const current = await readTail(file, TAIL_BYTES)
  if (current.torn.length > 0) {
    await truncate(file, current.size)
    findings.push({
      what: 'audit-torn-line',
      reason: 'A line at the end was not written to its end, and was taken off',
      detail: { bytes: current.torn.length, digest: createHash('sha256').update(current.torn).digest('hex') },
    })
  }
  const lines = current.lines.length > 0 ? current.lines : await readOlder(file)
  const records = lines.map(fromLine)
  const { head: resumed, finding } = resume(records, stored, headText !== undefined, key)
  if (finding !== undefined) findings.push(finding)
  const isCopied = headStore !== undefined || stored?.copied === true
  const head: StoredHead = { ...resumed, ...(isCopied && { copied: true }) }
  const kept = await headStore?.load()
  if (headStore !== undefined && kept === undefined && head.sequence > 0) {
    findings.push(withoutCopy(head, stored?.copied === true))
  }
  if (kept === undefined || (await holds(file, kept, head))) return { head, size: current.size, findings }
  // The numbers go on after the kept head, so that the gap stays for `verify` to see.
  findings.push({
    what: 'audit-gap',
    reason: 'Records that the copy of the head knows are missing or altered',
    detail: { expected: kept.sequence, found: head.sequence },
  })
  const ahead = kept.sequence >= head.sequence ? { ...head, sequence: kept.sequence, hash: kept.hash } : head
  return { head: ahead, size: current.size, findings }
}

/** A log from before copies were kept has none yet; one whose head tells of a copy has lost it. */
function withoutCopy({ sequence }: AuditHead, wasCopied: boolean): Finding {
  const detail = { continuesAfter: sequence }
  return wasCopied
    ? {
        what: 'audit-copy-lost',
        reason: 'The copy of the head is gone: whether the end is whole cannot be told',
        detail,
      }
    : { what: 'audit-copy-begun', reason: 'From here on a copy of the head is kept elsewhere; there was none', detail }
}

/** Whether the log still has the record of a head, as far as it reaches back. */
async function holds(file: string, kept: AuditHead, head: StoredHead): Promise<boolean> {
  if (kept.sequence === head.sequence) return kept.hash === head.hash
  if (kept.sequence > head.sequence) return false
  if (kept.sequence < head.from) return true
  for (const { path } of (await listSegments(file)).reverse()) {
    for await (const { text } of readLines(path)) {
      const record = fromLine(text)
      if (record?.sequence === kept.sequence) return record.hash === kept.hash
    }
  }
  return false
}

/** Twice what one write can be. */
const TAIL_BYTES = 4 * 1_048_576

/** The writer may have stopped right after a file was full. */
async function readOlder(file: string): Promise<readonly string[]> {
  const newest = (await listSegments(file)).filter(({ number }) => Number.isFinite(number)).at(-1)
  return newest === undefined ? [] : (await readTail(newest.path, TAIL_BYTES)).lines
}

interface Resumed {
  readonly head: StoredHead
  readonly finding?: Finding
}

function resume(
  records: readonly (AuditRecord | undefined)[],
  stored: StoredHead | undefined,
  hadHead: boolean,
  key: AuditKey,
): Resumed {
  const last = records.findLast((record) => record !== undefined)
  if (stored === undefined) {
    if (last === undefined && !hadHead) return { head: { ...GENESIS, from: 1 } }
    const head = { sequence: last?.sequence ?? 0, hash: last?.hash ?? GENESIS.hash, from: 1 }
    const reason = `The head of the log ${hadHead ? 'was altered' : 'is gone'}: whether the end is whole cannot be told`
    return { head, finding: { what: 'audit-head-lost', reason, detail: { continuesAfter: head.sequence } } }
  }
  const end = follow(records, stored, key)
  if (end !== undefined) return { head: { sequence: end.sequence, hash: end.hash, from: stored.from } }
  // The numbers go on after the head, so that the gap stays for `verify` to see.
  return {
    head: stored,
    finding: {
      what: 'audit-gap',
      reason: 'Records at the end are missing or altered',
      detail: { expected: stored.sequence, found: last?.sequence ?? 0 },
    },
  }
}

/** The end of the records that continue the chain after the head; undefined where they do not. */
function follow(records: readonly (AuditRecord | undefined)[], head: AuditHead, key: AuditKey): AuditHead | undefined {
  const at = records.findIndex((record) => record?.sequence === head.sequence && record.hash === head.hash)
  if (at < 0 && head.sequence > 0) return undefined
  let end = head
  for (const record of records.slice(at + 1)) {
    if (record === undefined || record.sequence !== end.sequence + 1) return undefined
    if (record.previous !== end.hash || !isIntact(record, key)) return undefined
    end = record
  }
  return end
}
