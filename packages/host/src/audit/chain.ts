/**
 * How records hold on to each other: each hash covers the record before it, so that none can be changed, removed or
 * moved alone. The head, kept beside the log, says where the chain ends; with a key, neither can be made by somebody who
 * does not have it. No files here; `log.ts` writes what this makes and `verify.ts` checks it.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { sha256, toCanonicalJson } from './canonical.ts'
import type { AuditEntry, AuditRecord } from './record.ts'

/** Where a chain ends: enough to find out later that something is missing. Keep it elsewhere to be sure. */
export interface AuditHead {
  readonly sequence: number
  readonly hash: string
}

/** The head as its file holds it; `from` is the first record that is still kept. */
export interface StoredHead extends AuditHead {
  readonly from: number
  /** A copy is kept elsewhere since then: where there is none, it was taken away. */
  readonly copied?: true
}

/** The hash that the first record of all follows. */
export const GENESIS: AuditHead = { sequence: 0, hash: 'genesis' }

export type AuditKey = Uint8Array | undefined

/** An entry in its place, and the line that is written of it: the text that its hash is over, and the hash. */
interface Sealed {
  readonly record: AuditRecord
  readonly line: string
}

export function seal(entry: AuditEntry, after: AuditHead, key: AuditKey): Sealed {
  const unsealed = { ...entry, sequence: after.sequence + 1, previous: after.hash }
  const text = toCanonicalJson(unsealed)
  const hash = hashOf(text, key)
  return { record: { ...unsealed, hash }, line: `${text.slice(0, -1)},"hash":"${hash}"}\n` }
}

/** Whether the record's own hash is right; says nothing about its place. */
export function isIntact(record: AuditRecord, key: AuditKey): boolean {
  const { hash, ...unsealed } = record
  return isEqual(hash, hashOf(toCanonicalJson(unsealed), key))
}

/** A line as a record, or undefined for what is none. */
export function fromLine(line: string): AuditRecord | undefined {
  const value = parse(line)
  if (value === undefined || !Number.isSafeInteger(value.sequence)) return undefined
  if (typeof value.hash !== 'string' || typeof value.previous !== 'string') return undefined
  if (typeof value.at !== 'number' || typeof value.type !== 'string' || typeof value.what !== 'string') return undefined
  // The members that make a record were just looked at; what else is there is covered by its hash.
  return value as unknown as AuditRecord
}

/** Always of the same length, so that one can be written over another. */
export function toHeadText(head: StoredHead, key: AuditKey): string {
  return `${JSON.stringify({ ...head, mark: hashOf(toCanonicalJson(head), key) }).padEnd(HEAD_CHARS)}\n`
}

const HEAD_CHARS = 383

/** Undefined for a head that was altered, or made with another key. */
export function fromHeadText(text: string, key: AuditKey): StoredHead | undefined {
  const value = parse(text)
  if (value === undefined || !Number.isSafeInteger(value.sequence) || !Number.isSafeInteger(value.from))
    return undefined
  if (typeof value.hash !== 'string' || typeof value.mark !== 'string') return undefined
  // Both were just shown to be whole numbers.
  const head = {
    sequence: value.sequence as number,
    hash: value.hash,
    from: value.from as number,
    ...(value.copied === true && { copied: true as const }),
  }
  return isEqual(value.mark, hashOf(toCanonicalJson(head), key)) ? head : undefined
}

/** The prefix tells how it was made: a keyed log that was written anew without the key does not pass for the old one. */
function hashOf(text: string, key: AuditKey): string {
  if (key === undefined) return `sha256:${sha256(text)}`
  return `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function parse(text: string): { [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Any object may be looked at by key.
    return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : undefined
  } catch {
    return undefined
  }
}
