/**
 * Reads a log from its first record to its head and says what is not as it was written: changed, missing, moved,
 * repeated or cut off. Needs nothing from the writer, and may run while it writes.
 */

import { type AuditHead, type AuditKey, fromHeadText, fromLine, GENESIS, isIntact, type StoredHead } from './chain.ts'
import type { AuditRecord } from './record.ts'
import { type Line, listSegments, readHead, readLines } from './segments.ts'

export type AuditProblemKind =
  | 'changed'
  | 'missing'
  | 'out-of-place'
  | 'unreadable'
  | 'torn'
  | 'truncated'
  | 'head-missing'
  | 'head-altered'

export interface AuditProblem {
  readonly kind: AuditProblemKind
  /** The record that it is about: the one that was there, or the first that should be. */
  readonly sequence?: number
  readonly file: string
  readonly line?: number
  readonly message: string
}

export interface AuditVerdict {
  readonly ok: boolean
  readonly records: number
  /** The first hundred. */
  readonly problems: readonly AuditProblem[]
  /** Where the chain ends, by the records. */
  readonly head: AuditHead
  /** Records that the head does not know yet: written at this moment, or right before a crash. */
  readonly beyondHead: number
}

export interface VerifyOptions {
  /** The key that the log was opened with. */
  readonly key?: Uint8Array
  /** A head that was kept elsewhere: the log must still hold that record. */
  readonly expect?: AuditHead
}

export async function verifyAuditLog(file: string, options: VerifyOptions = {}): Promise<AuditVerdict> {
  for (let attempt = 1; ; attempt++) {
    const before = await fileNames(file)
    const verdict = await inspect(file, options)
    // A file that was full meanwhile has another name now, and would seem to be missing.
    if (verdict.ok || attempt === MAX_ATTEMPTS || before === (await fileNames(file))) return verdict
  }
}

const MAX_ATTEMPTS = 5
const MAX_PROBLEMS = 100

async function fileNames(file: string): Promise<string> {
  return (await listSegments(file)).map(({ path }) => path).join('\n')
}

async function inspect(file: string, { key, expect }: VerifyOptions): Promise<AuditVerdict> {
  const text = await readHead(file)
  const stored = text === undefined ? undefined : fromHeadText(text, key)
  const segments = await listSegments(file)
  const walk = new Walk(stored, key, expect)
  for (const { path, number } of segments) {
    for await (const line of readLines(path)) walk.take(line, path, !Number.isFinite(number))
  }
  return walk.end(file, text !== undefined)
}

class Walk {
  readonly #stored: StoredHead | undefined
  readonly #key: AuditKey
  readonly #expect: AuditHead | undefined
  readonly #problems: AuditProblem[] = []
  #last: AuditHead | undefined
  #records = 0
  #expectSeen = false
  /** The record at the place where the head points, to be compared with it. */
  #atHead: string | undefined

  constructor(stored: StoredHead | undefined, key: AuditKey, expect: AuditHead | undefined) {
    this.#stored = stored
    this.#key = key
    this.#expect = expect
    if (stored === undefined || stored.from === 1) this.#last = GENESIS
  }

  take(line: Line, file: string, isCurrent: boolean): void {
    const record = fromLine(line.text)
    const next = (this.#last?.sequence ?? (this.#stored?.from ?? 1) - 1) + 1
    if (record === undefined) {
      const kind = line.torn && isCurrent ? 'torn' : 'unreadable'
      this.#note(kind, next, file, line.number, 'the line is no record')
      // Its place is taken, so that the records after it are not called missing; what followed it cannot be known.
      if (kind === 'unreadable') this.#last = { sequence: next, hash: UNKNOWN }
      return
    }
    this.#records++
    if (!isIntact(record, this.#key)) {
      this.#note('changed', next, file, line.number, 'the record is not what was written')
      this.#last = { sequence: next, hash: record.hash }
      return
    }
    this.#place(record, next, file, line.number)
  }

  #place(record: AuditRecord, next: number, file: string, line: number): void {
    const { sequence, previous, hash } = record
    if (sequence < next) {
      this.#note('out-of-place', sequence, file, line, `record ${sequence} stands again, or after a later one`)
      return
    }
    if (sequence > next) {
      const which = sequence - 1 === next ? `record ${next} is` : `records ${next} to ${sequence - 1} are`
      this.#note('missing', next, file, line, `${which} missing before record ${sequence}`)
    } else if (this.#last !== undefined && this.#last.hash !== UNKNOWN && previous !== this.#last.hash) {
      this.#note('changed', sequence - 1, file, line, `record ${sequence} follows another record ${sequence - 1}`)
    }
    this.#last = { sequence, hash }
    if (sequence === this.#stored?.sequence) this.#atHead = hash
    if (sequence === this.#expect?.sequence && hash === this.#expect.hash) this.#expectSeen = true
  }

  end(file: string, hadHead: boolean): AuditVerdict {
    const last = this.#last ?? GENESIS
    const stored = this.#stored
    if (stored === undefined) {
      if (hadHead)
        this.#note('head-altered', last.sequence, file, undefined, 'the head was altered, or has another key')
      else if (this.#records > 0)
        this.#note('head-missing', last.sequence, file, undefined, 'the head is gone: the end may be, too')
    } else if (last.sequence < stored.sequence) {
      const message = `records ${last.sequence + 1} to ${stored.sequence} were cut off at the end`
      this.#note('truncated', last.sequence + 1, file, undefined, message)
    } else if (stored.sequence > 0 && this.#atHead !== undefined && this.#atHead !== stored.hash) {
      this.#note('changed', stored.sequence, file, undefined, 'the head knows another record in this place')
    }
    if (this.#expect !== undefined && this.#expect.sequence > 0 && !this.#expectSeen) {
      this.#note('truncated', this.#expect.sequence, file, undefined, 'the log does not hold the record that was kept')
    }
    return {
      ok: this.#problems.length === 0,
      records: this.#records,
      problems: this.#problems,
      head: { sequence: last.sequence, hash: last.hash },
      beyondHead: stored === undefined ? 0 : Math.max(0, last.sequence - stored.sequence),
    }
  }

  #note(kind: AuditProblemKind, sequence: number, file: string, line: number | undefined, message: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) return
    this.#problems.push({ kind, sequence, file, ...(line !== undefined && { line }), message })
  }
}

const UNKNOWN = 'unknown'
