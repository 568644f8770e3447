/**
 * The log that is written: entries are redacted (`redaction.ts`), chained (`chain.ts`) and appended in the order they
 * came, many at a time when many wait. What a crash leaves behind is put right at the next opening, and written down
 * (`recovery.ts`).
 */

import { ftruncateSync, renameSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { HostError, remedyOf } from '../errors.ts'
import { atExit } from './at-exit.ts'
import { type AuditHead, type AuditKey, fromLine, type StoredHead, seal, toHeadText } from './chain.ts'
import { HeadCopies, type HeadStore } from './head-store.ts'
import { LogFiles } from './log-files.ts'
import type { AuditEntry, AuditRecord, AuditSink } from './record.ts'
import { type Finding, recover } from './recovery.ts'
import { createRedactor, type RedactionOptions, type Redactor } from './redaction.ts'
import { listSegments, readLines } from './segments.ts'
import { acquireWriterLock, type WriterLock } from './writer-lock.ts'

/** Options of `openAuditLog`: the file, how it is protected, what is redacted, and how much is kept. */
export interface AuditLogOptions {
  readonly file: string
  /** At least 16 bytes that whoever can write the file does not have: nobody else can then make a chain that passes. */
  readonly key?: Uint8Array
  /** When a file is full and the next begins. 16 MiB unless given. */
  readonly maxBytes?: number
  /** How many full files are kept; all unless given. */
  readonly maxFiles?: number
  readonly redact?: RedactionOptions
  /** Keeps a copy of the head elsewhere: what was cut off is then found even when the head was cut off, too. */
  readonly headStore?: HeadStore
  /** `disk` waits for the disk, and survives a power failure; `system`, the default, a crash of the program. */
  readonly flush?: 'system' | 'disk'
  /** Is told what the log has lost, and when it cannot be written. Emits a process warning unless given. */
  readonly onWarning?: (message: string) => void
}

/**
 * An audit log that is open for writing. Each record carries the hash of the one before it, so that changes are found
 * out later.
 */
export interface AuditLog extends AuditSink {
  readonly file: string
  /** Where the chain ends now. Keep it elsewhere, and `verifyAuditLog` finds out if the whole log was put back in time. */
  head(): AuditHead
  /** Writes what waits, and lets others write. */
  close(): Promise<void>
}

/**
 * Opens an audit log for writing and makes the file if there is none. Rejects with `audit-broken` while another process
 * writes the log, or when the file cannot be written.
 *
 * @example
 * ```ts
 * import { openAuditLog } from '@portico/host/audit'
 *
 * const log = await openAuditLog({ file: '/home/ann/.portico/audit.jsonl' })
 * await log.append({ at: Date.now(), type: 'event', what: 'started' })
 * await log.close()
 * ```
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  if (options.key !== undefined && options.key.length < 16) {
    throw new HostError('audit-broken', 'The key of the audit log must be at least 16 bytes')
  }
  const lock = await acquireWriterLock(options.file).catch((error: unknown) => {
    throw cannotOpen(options.file, error)
  })
  let log: FileAuditLog | undefined
  try {
    const { head, size, findings } = await recover(options.file, options.key, options.headStore)
    log = new FileAuditLog(options, { lock, files: await LogFiles.open(options.file), head, size })
    for (const finding of findings) await log.append(log.toEntry(finding))
    // Before anything else is written: a log that has begun has its copy.
    await log.keep()
    return log
  } catch (error) {
    await (log?.close() ?? lock.release())
    throw cannotOpen(options.file, error)
  }
}

function cannotOpen(file: string, error: unknown): HostError {
  return error instanceof HostError ? error : broken(file, 'it could not be opened', error)
}

const RETRY_MS = 1_000
const MAX_WAITING = 100_000
const MAX_BATCH_ENTRIES = 512
const MAX_BATCH_BYTES = 1_048_576

interface Waiting {
  readonly entry: AuditEntry
  readonly resolve: (record: AuditRecord) => void
  readonly reject: (error: HostError) => void
}

/** Entries in their places, and what they and the head are when they are written. */
interface Batch {
  readonly waiting: readonly Waiting[]
  readonly records: readonly AuditRecord[]
  readonly text: string
  readonly bytes: number
  readonly head: StoredHead
}

interface OpenParts {
  readonly lock: WriterLock
  readonly files: LogFiles
  readonly head: StoredHead
  readonly size: number
}

class FileAuditLog implements AuditLog {
  readonly file: string
  readonly #key: AuditKey
  readonly #maxBytes: number
  readonly #maxFiles: number
  readonly #toDisk: boolean
  readonly #redact: Redactor
  readonly #copies: HeadCopies | undefined
  readonly #lock: WriterLock
  readonly #onWarning: (message: string) => void
  #files: LogFiles
  #head: StoredHead
  #size: number
  #waiting: Waiting[] = []
  /** What the log has to say of itself, before anything else is written. */
  #owed: AuditEntry[] = []
  #work: Promise<void> | undefined
  /** A batch is on its way to the file, and the head does not know of it yet. */
  #isWriting = false
  readonly #stopExit: () => void
  #closed = false
  #broken: unknown
  /** Since a write failed: tries to write down that it can be done again. */
  #retrying: NodeJS.Timeout | undefined

  constructor(options: AuditLogOptions, { lock, files, head, size }: OpenParts) {
    this.file = options.file
    this.#key = options.key
    this.#maxBytes = options.maxBytes ?? 16 * 1_048_576
    this.#maxFiles = options.maxFiles ?? Number.POSITIVE_INFINITY
    this.#toDisk = options.flush === 'disk'
    this.#redact = createRedactor(options.redact)
    this.#onWarning = options.onWarning ?? emitWarning
    this.#copies =
      options.headStore === undefined
        ? undefined
        : new HeadCopies(options.headStore, (error) => this.#warn(notCopied(error)))
    this.#lock = lock
    this.#files = files
    this.#head = head
    this.#size = size
    this.#stopExit = atExit(() => this.#writeAtExit())
  }

  append(entry: AuditEntry): Promise<AuditRecord> {
    if (this.#closed) return Promise.reject(new HostError('closed', 'The audit log is closed'))
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(broken(this.file, 'too many entries wait'))
    // A copy, so that what is changed after the call is not what is written. Redaction keeps the members of an entry.
    const redacted = this.#redact(entry) as AuditEntry
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry: redacted, resolve, reject })
      this.#work ??= this.#drain()
    })
  }

  get writable(): boolean {
    return this.#retrying === undefined
  }

  head(): AuditHead {
    return { sequence: this.#head.sequence, hash: this.#head.hash }
  }

  async keep(): Promise<void> {
    this.#copies?.note(this.#head)
    await this.#copies?.flush()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#retrying)
    await this.#work
    this.#stopExit()
    await this.#copies?.flush()
    await this.#files.close()
    await this.#lock.release()
  }

  async #drain(): Promise<void> {
    // Whoever appends in the same turn of the event loop goes into the first batch: what answers bring at once is one write.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      this.#isWriting = true
      const obstacle = this.#files.areInPlace(this.#size) ? this.#broken : await this.#reopen()
      this.#sayOwed()
      await this.#writeBatch(this.#nextBatch(), obstacle)
      this.#isWriting = false
    }
    this.#work = undefined
  }

  /** Somebody has removed, replaced or cut the files, or written into them. Gives why they cannot be had again. */
  async #reopen(): Promise<unknown> {
    const known = this.#head
    try {
      await this.#lock.renew()
      const { head, size, findings } = await recover(this.file, this.#key, { load: async () => known })
      const files = await LogFiles.open(this.file)
      await this.#files.close()
      this.#files = files
      this.#size = size
      this.#broken = undefined
      this.#head = { sequence: head.sequence, hash: head.hash, from: known.from, ...(known.copied && { copied: true }) }
      this.#owed.push(...findings.map((finding) => this.toEntry(finding, ' while it was being written')))
      return undefined
    } catch (error) {
      return error
    }
  }

  #sayOwed(): void {
    const owed = this.#owed.splice(0).map((entry) => ({
      entry,
      resolve: () => {},
      reject: () => void this.#owed.push(entry),
    }))
    this.#waiting.unshift(...owed)
  }

  /** A finding as an entry; whoever runs the program is told, too. */
  toEntry({ what, reason, detail }: Finding, when = ''): AuditEntry {
    if (what !== 'audit-copy-begun') this.#warn(`The audit log ${this.file} was found changed${when}: ${reason}`)
    return { at: Date.now(), type: 'event', what, reason, detail }
  }

  /** What is to be recorded does not depend on who listens, nor on what becomes of that. */
  #warn(message: string): void {
    new Promise((told) => told(this.#onWarning(message))).catch((error: unknown) => {
      emitWarning(`A listener failed: ${error instanceof Error ? error.message : error}`)
    })
  }

  /** As many of those that wait as one write may be. */
  #nextBatch(): Batch {
    const records: AuditRecord[] = []
    let text = ''
    let bytes = 0
    let head: AuditHead = this.#head
    for (const { entry } of this.#waiting) {
      const { record, line } = seal(entry, head, this.#key)
      const more = Buffer.byteLength(line)
      const isFull = records.length >= MAX_BATCH_ENTRIES || bytes + more > Math.min(MAX_BATCH_BYTES, this.#maxBytes)
      if (records.length > 0 && isFull) break
      records.push(record)
      text += line
      bytes += more
      head = record
    }
    const stored = { ...this.#head, sequence: head.sequence, hash: head.hash }
    return { waiting: this.#waiting.splice(0, records.length), records, text, bytes, head: stored }
  }

  async #writeBatch(batch: Batch, obstacle: unknown): Promise<void> {
    const { waiting, records, bytes } = batch
    try {
      if (obstacle !== undefined) throw obstacle
      if (this.#size > 0 && this.#size + bytes > this.#maxBytes) await this.#rotate()
      // Where a new file was begun, the head tells of fewer old ones.
      await this.#write({ ...batch, head: { ...batch.head, from: this.#head.from } })
      this.#resume()
      for (const [index, { resolve }] of waiting.entries()) resolve(records[index]!)
    } catch (error) {
      const failure = error instanceof HostError ? error : broken(this.file, 'a write failed', error)
      this.#suspend(failure)
      for (const { reject } of waiting) reject(failure)
    }
  }

  #suspend({ message }: HostError): void {
    if (this.#closed || this.#retrying !== undefined) return
    this.#retrying = setInterval(() => this.#retry(), RETRY_MS).unref()
    this.#warn(message)
  }

  #resume(): void {
    if (this.#retrying === undefined) return
    clearInterval(this.#retrying)
    this.#retrying = undefined
    this.#warn(`The audit log ${this.file} can be written again`)
  }

  /** Nobody may come where nothing can be written down, so nobody else would find out that it can be again. */
  #retry(): void {
    const reason = 'Entries could not be written for a while; what they were about was refused'
    this.append({ at: Date.now(), type: 'event', what: 'audit resumed', reason }).catch(() => {})
  }

  /** What waits when the program ends is written, as far as nothing else is being written. */
  #writeAtExit(): void {
    if (this.#isWriting || this.#broken !== undefined || !this.#files.areInPlace(this.#size)) return
    try {
      while (this.#waiting.length > 0) {
        const { text, head } = this.#nextBatch()
        writeWhole(this.#files.log.fd, Buffer.from(text))
        this.#writeHead(head)
        this.#head = head
      }
    } catch {
      // Nobody is left to be told.
    }
  }

  /** Records first, then the head: after a crash between the two the log is ahead, which can be told from a loss. */
  async #write({ text, bytes, head }: Batch): Promise<void> {
    try {
      // A few hundred bytes into the system's cache: done sooner than a thread could be asked to.
      writeWhole(this.#files.log.fd, Buffer.from(text))
      if (this.#toDisk) await this.#files.log.datasync()
      this.#writeHead(head)
    } catch (error) {
      // Entries that were refused must not be found in the log later.
      try {
        ftruncateSync(this.#files.log.fd, this.#size)
      } catch {
        this.#broken = error
      }
      throw error
    }
    this.#head = head
    this.#size += bytes
    this.#copies?.note(head)
  }

  /** In place, and within one sector: a new file in its stead would make many systems wait for the disk each time. */
  #writeHead(head: StoredHead): void {
    const bytes = Buffer.from(toHeadText(head, this.#key))
    writeSync(this.#files.head.fd, bytes, 0, bytes.length, 0)
  }

  async #rotate(): Promise<void> {
    const full = (await listSegments(this.file)).filter(({ number }) => Number.isFinite(number))
    await this.#files.close()
    try {
      renameSync(this.file, `${this.file}.${(full.at(-1)?.number ?? 0) + 1}`)
      this.#size = 0
    } finally {
      this.#files = await LogFiles.open(this.file)
    }
    const old = full.slice(0, Math.max(0, full.length + 1 - this.#maxFiles))
    if (old.length === 0) return
    const kept = full[old.length]?.path ?? `${this.file}.${(full.at(-1)?.number ?? 0) + 1}`
    for await (const { text } of readLines(kept)) {
      this.#head = { ...this.#head, from: fromLine(text)?.sequence ?? this.#head.from }
      break
    }
    // The head says first what is no longer kept: the other way round, a crash would look like a theft.
    this.#writeHead(this.#head)
    for (const { path } of old) await rm(path, { force: true })
  }
}

function emitWarning(message: string): void {
  process.emitWarning(message, { code: 'PORTICO_AUDIT' })
}

function notCopied(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `The copy of the audit log's head could not be saved: ${why}`
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}

function broken(file: string, why: string, cause?: unknown): HostError {
  const remedy = remedyOf(cause)
  const what =
    remedy === undefined ? why : `${why}, ${remedy}. Nothing is allowed unrecorded; the next entry tries again`
  return new HostError('audit-broken', `The audit log ${file} cannot be written: ${what}`, { cause })
}
