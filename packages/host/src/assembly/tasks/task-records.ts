/** What is written down about the tasks of a host: in the list that the next process finds, and in the audit log. */

import type { AuditSink } from '../../audit/record.ts'
import { HostError } from '../../errors.ts'
import { isOver, type KeptTask, type TaskBook } from './task-book.ts'

interface RecordParts {
  readonly book: TaskBook
  readonly audit: AuditSink
  warn(message: string): void
}

export class TaskRecords {
  readonly #parts: RecordParts

  constructor(parts: RecordParts) {
    this.#parts = parts
  }

  list(): Promise<readonly KeptTask[]> {
    return this.#parts.book.list()
  }

  async find(label: string): Promise<KeptTask> {
    const kept = (await this.list()).find((task) => task.label === label)
    if (kept !== undefined) return kept
    const message = `There is no task "${label}"; its server may have forgotten it`
    throw new HostError('unknown-item', message, { data: { name: label } })
  }

  /** What is too large to be kept whole is kept without its arguments: it is listed, and not taken up again. */
  async keep(kept: KeptTask): Promise<void> {
    const { call: _, ...rest } = kept
    try {
      if (!(await this.#parts.book.keep(kept))) await this.#parts.book.keep(rest)
    } catch (error) {
      this.#warn(error)
    }
  }

  async change({ label }: KeptTask, change: Partial<KeptTask>): Promise<void> {
    await this.#parts.book.change(label, (kept) => ({ ...kept, ...change })).catch((error) => this.#warn(error))
  }

  /**
   * Takes a task for this process, and for another session where one is given: looked at and written in one step, so that of several
   * that want it one has it. Undefined where it is somebody's, is handed over already, or could not be written.
   */
  async claim(
    label: string,
    isFree: (kept: KeptTask) => boolean,
    session?: string,
    follower = process.pid,
  ): Promise<KeptTask | undefined> {
    let claimed: KeptTask | undefined
    const claim = (kept: KeptTask): KeptTask => {
      // May be done again where another process wrote meanwhile.
      claimed = undefined
      if (kept.call === undefined || kept.delivered === true || !isFree(kept)) return kept
      claimed = { ...kept, call: { ...kept.call, session: session ?? kept.call.session }, follower }
      return claimed
    }
    const written = await this.#parts.book.change(label, claim).catch((error) => this.#warn(error))
    return written === undefined ? undefined : claimed
  }

  /** Its server has forgotten it. */
  async lose(kept: KeptTask): Promise<KeptTask> {
    const lost = { ...kept, status: isOver(kept) ? kept.status : ('failed' as const), delivered: true }
    await this.change(kept, lost)
    await this.note(kept, 'forgotten')
    return lost
  }

  forget(label: string): Promise<void> {
    return this.#parts.book.forget(label)
  }

  /** By its label alone: whoever reads the log must not be able to fetch the result. */
  async note(kept: KeptTask, outcome: string, more: { readonly question?: string } = {}): Promise<void> {
    const { server, tool, label, generation, call } = kept
    const detail = { task: label, generation, ...more }
    const entry = { at: Date.now(), type: 'event', what: 'task', server, item: tool, outcome, detail } as const
    const session = call === undefined ? {} : { session: call.session }
    await this.#parts.audit.append({ ...entry, ...session }).catch((error) => this.#warn(error))
  }

  #warn(error: unknown): void {
    this.#parts.warn(`A task could not be written down: ${error instanceof Error ? error.message : error}`)
  }
}
