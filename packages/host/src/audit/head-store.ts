/**
 * A copy of a log's head in another place, so that whoever cuts the log and its head does not take everything along
 * that tells of it. Saved a moment after the records are written: it may be behind them, never ahead.
 */

import type { AuditHead } from './chain.ts'

/** Keeps a copy of where an audit log ends, outside the log, so that a log whose end was cut off is found out. */
export interface HeadStore {
  /** Undefined where none was saved yet. */
  load(): Promise<AuditHead | undefined>
  save(head: AuditHead): Promise<void>
}

const PAUSE_MS = 1_000

/** Saves the newest head, one at a time and not more often than is sensible. */
export class HeadCopies {
  readonly #headStore: HeadStore
  readonly #onFailure: (error: unknown) => void
  #newest: AuditHead | undefined
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(headStore: HeadStore, onFailure: (error: unknown) => void) {
    this.#headStore = headStore
    this.#onFailure = onFailure
  }

  note(head: AuditHead): void {
    this.#newest = head
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), PAUSE_MS)
    this.#timer.unref()
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#work = this.#work
      .then(async () => {
        const head = this.#newest
        if (head === undefined) return
        this.#newest = undefined
        await this.#headStore.save({ sequence: head.sequence, hash: head.hash })
      })
      .catch(this.#onFailure)
    return this.#work
  }
}
