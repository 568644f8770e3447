/**
 * Reads a log from its first record to its head and says what is not as it was written: changed, missing, moved,
 * repeated or cut off. Needs nothing from the writer, and may run while it writes.
 */

import { type AuditHead, type AuditKey, fromHeadText, fromLine, GENESIS, isIntact, type StoredHead } from './chain.ts'
import type { HeadStore } from './head-store.ts'
import type { AuditRecord } from './record.ts'
import { type Line, listSegments, readHead, readLines } from './segments.ts'

/**
 * What can be wrong with an audit log: a record was changed, is missing, stands in another place or cannot be read
 * (`torn`: only half written), the end was cut off (`truncated`), or the note of where it ends (the head) or its copy
 * is gone or altered.
 */
export type AuditProblemKind =
  | 'changed'
  | 'missing'
  | 'out-of-place'
  | 'unreadable'
  | 'torn'
  | 'truncated'
  | 'head-missing'
  | 'head-altered'
  | 'head-lost'
  | 'copy-lost'
  | 'no-log'

/** Something in an audit log that is not as it was written. */
export interface AuditProblem {
  readonly kind: AuditProblemKind
  /** The record that it is about: the one that was there, or the first that should be. */
  readonly sequence?: number
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** Whether an audit log is as it was written, and what is not. */
export interface AuditReport {
  readonly ok: boolean
  readonly records: number
  /** The first hundred. */
  readonly problems: readonly AuditProblem[]
  /** Where the chain ends, by the records. */
  readonly head: AuditHead
  /** Records that the head does not know yet: written at this moment, or right before a crash. */
  readonly beyondHead: number
}

/** Options of `verifyAuditLog`: the key, and what is known from elsewhere about where the log ends. */
export interface VerifyOptions {
  /** The key that the log was opened with. */
  readonly key?: Uint8Array
  /** A head that was kept elsewhere: the log must still hold that record. */
  readonly expect?: AuditHead
  /** Where the log's writer keeps a copy of the head; what it says must still be in the log. */
  readonly headStore?: HeadStore
}

/**
 * Reads an audit log from its first record to its end and says what was changed, removed, moved or cut off. It may run
 * while the log is being written.
 *
 * @example
 * ```ts
 * import { verifyAuditLog } from '@portico/host/audit'
 *
 * const { ok, problems } = await verifyAuditLog('/home/ann/.portico/audit.jsonl')
 * ```
 */
export async function verifyAuditLog(file: string, options: VerifyOptions = {}): Promise<AuditReport> {
  for (let attempt = 1; ; attempt++) {
    const before = await fileNames(file)
    const report = await inspect(file, options)
    // A file that was full meanwhile has another name now, and would seem to be missing.
    if (report.ok || attempt === MAX_ATTEMPTS || before === (await fileNames(file))) return report
  }
}

const MAX_ATTEMPTS = 5
const MAX_PROBLEMS = 100

async function fileNames(file: string): Promise<string> {
  return (await listSegments(file)).map(({ path }) => path).join('\n')
}

async function inspect(file: string, { key, expect, headStore }: VerifyOptions): Promise<AuditReport> {
  // Before the records: whoever writes meanwhile saves a copy of what is there by then.
  const kept = headStore && (await load(headStore))
  const text = await readHead(file)
  const stored = text === undefined ? undefined : fromHeadText(text, key)
  const segments = await listSegments(file)
  const heads = [expect, kept].filter((head) => head !== undefined && head.sequence > 0) as AuditHead[]
  const walk = new Walk(stored, key, heads)
  for (const { path, number } of segments) {
    for await (const line of readLines(path)) walk.take(line, path, !Number.isFinite(number))
  }
  // A second look, since the first copy may have been saved meanwhile.
  if (headStore !== undefined && stored?.copied && kept === undefined && (await load(headStore)) === undefined) {
    walk.missCopy(file)
  }
  return walk.end(file, { hadHead: text !== undefined, hadFiles: segments.length > 0 })
}

/** A copy that cannot be read tells as little as one that is gone. */
function load(headStore: HeadStore): Promise<AuditHead | undefined> {
  return headStore.load().catch(() => undefined)
}

class Walk {
  readonly #stored: StoredHead | undefined
  readonly #key: AuditKey
  /** Heads from elsewhere that no record was found for yet. */
  readonly #expected: Set<AuditHead>
  readonly #problems: AuditProblem[] = []
  #last: AuditHead | undefined
  #records = 0
  #copiesBegun = 0
  /** The record at the place where the head points, to be compared with it. */
  #atHead: string | undefined

  constructor(stored: StoredHead | undefined, key: AuditKey, expected: readonly AuditHead[]) {
    this.#stored = stored
    this.#key = key
    // What is no longer kept cannot be looked for.
    this.#expected = new Set(expected.filter(({ sequence }) => sequence >= (stored?.from ?? 1)))
    if (stored === undefined || stored.from === 1) this.#last = GENESIS
  }

  take(line: Line, file: string, isCurrent: boolean): void {
    const record = fromLine(line.text)
    const next = (this.#last?.sequence ?? (this.#stored?.from ?? 1) - 1) + 1
    if (record === undefined) {
      const kind = line.torn && isCurrent ? 'torn' : 'unreadable'
      this.#note(kind, next, { file, line: line.number }, 'the line is no record')
      // Its place is taken, so that the records after it are not called missing; what followed it cannot be known.
      if (kind === 'unreadable') this.#last = { sequence: next, hash: UNKNOWN }
      return
    }
    this.#records++
    if (!isIntact(record, this.#key)) {
      this.#note('changed', next, { file, line: line.number }, 'the record is not what was written')
      this.#last = { sequence: next, hash: record.hash }
      return
    }
    this.#place(record, next, file, line.number)
  }

  #place(record: AuditRecord, next: number, file: string, line: number): void {
    const { sequence, previous, hash } = record
    if (sequence < next) {
      this.#note('out-of-place', sequence, { file, line }, `record ${sequence} stands again, or after a later one`)
      return
    }
    if (sequence > next) {
      const which = sequence - 1 === next ? `record ${next} is` : `records ${next} to ${sequence - 1} are`
      this.#note('missing', next, { file, line }, `${which} missing before record ${sequence}`)
    } else if (this.#last !== undefined && this.#last.hash !== UNKNOWN && previous !== this.#last.hash) {
      this.#note('changed', sequence - 1, { file, line }, `record ${sequence} follows another record ${sequence - 1}`)
    }
    this.#last = { sequence, hash }
    if (sequence === this.#stored?.sequence) this.#atHead = hash
    for (const head of this.#expected) {
      if (head.sequence === sequence && head.hash === hash) this.#expected.delete(head)
    }
    this.#confess(record, file, line)
  }

  /** The writer itself has noted that the end could no longer be told: opening the log again does not mend that. */
  #confess({ type, what, reason = '', sequence }: AuditRecord, file: string, line: number): void {
    if (type !== 'event') return
    if (what === 'audit-copy-begun' && ++this.#copiesBegun > 1) {
      this.#note('head-lost', sequence, { file, line }, `before record ${sequence} the copy of the head was lost`)
    }
    // A gap in the numbers has been told of; where there is none, the records themselves were exchanged.
    const isTold = this.#problems.at(-1)?.kind === 'missing' && this.#problems.at(-1)?.line === line
    if (LOSSES.has(what) || (what === 'audit-gap' && !isTold)) {
      this.#note('head-lost', sequence, { file, line }, `before record ${sequence} the end was lost: ${reason}`)
    }
  }

  missCopy(file: string): void {
    const message = 'the copy of the head that is kept elsewhere is gone or cannot be read: the end may be cut off'
    this.#note('copy-lost', this.#last?.sequence ?? 0, { file }, message)
  }

  end(file: string, { hadHead, hadFiles }: { hadHead: boolean; hadFiles: boolean }): AuditReport {
    if (!hadFiles) this.#note('no-log', 0, { file }, 'there is no log under this name')
    const last = this.#last ?? GENESIS
    const stored = this.#stored
    if (stored === undefined) {
      if (hadHead) this.#note('head-altered', last.sequence, { file }, 'the head was altered, or has another key')
      else if (this.#records > 0)
        this.#note('head-missing', last.sequence, { file }, 'the head is gone: the end may be, too')
    } else if (last.sequence < stored.sequence) {
      const message = `records ${last.sequence + 1} to ${stored.sequence} were cut off at the end`
      this.#note('truncated', last.sequence + 1, { file }, message)
    } else if (stored.sequence > 0 && this.#atHead !== undefined && this.#atHead !== stored.hash) {
      this.#note('changed', stored.sequence, { file }, 'the head knows another record in this place')
    }
    for (const { sequence } of this.#expected) {
      this.#note('truncated', sequence, { file }, 'the log does not hold the record that was kept')
    }
    return {
      ok: this.#problems.length === 0,
      records: this.#records,
      problems: this.#problems,
      head: { sequence: last.sequence, hash: last.hash },
      beyondHead: stored === undefined ? 0 : Math.max(0, last.sequence - stored.sequence),
    }
  }

  #note(kind: AuditProblemKind, sequence: number, place: Pick<AuditProblem, 'file' | 'line'>, message: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ kind, sequence, ...place, message })
  }
}

/** Events of a writer that found its log, its head or the copy of that gone. */
const LOSSES: ReadonlySet<string> = new Set(['audit-head-lost', 'audit-copy-lost', 'audit-log-lost'])
const UNKNOWN = 'unknown'
