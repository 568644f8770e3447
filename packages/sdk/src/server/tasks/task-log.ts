/**
 * The effect log of a task: what each `ctx.step` came to, kept before the handler goes on. A step that was begun and has no
 * outcome was interrupted: its process died, and nobody knows whether its effect happened.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { StepLog, StepOutcome } from '../../session/handler-run.ts'
import { digestOf } from '../../session/sealed-state.ts'
import type { TaskBook } from './task-book.ts'

interface LogEntry {
  readonly name: string
  /** Its place in the order in which steps were begun. */
  readonly at: number
  /** Absent while the step runs. */
  readonly outcome?: StepOutcome
}

/** What earlier runs did, in the order in which they began it. */
interface Done {
  readonly outcomes: readonly [name: string, outcome: StepOutcome][]
  /** Every step that was begun. */
  readonly begun: readonly string[]
}

export class TaskLog implements StepLog {
  readonly #book: TaskBook
  readonly #id: string
  readonly #prefix: string
  readonly #ttlMs: () => number
  /** The version that the guard of this run has now. */
  #guard: number
  /** The last write: one after the other, since each changes the guard. */
  #last: Promise<unknown> = Promise.resolve()
  /** The place of each step. */
  readonly #places = new Map<string, number>()
  readonly #interrupted = new Set<string>()

  constructor(book: TaskBook, id: string, guard: number, ttlMs: () => number) {
    this.#book = book
    this.#id = id
    this.#prefix = book.logPrefix(id)
    this.#guard = guard
    this.#ttlMs = ttlMs
  }

  async read(): Promise<Done> {
    const entries: LogEntry[] = []
    for (let after = this.#prefix; ; ) {
      const page = await this.#book.store.list(this.#prefix, { limit: PAGE, after })
      for (const { key, value } of page) {
        // Only this class writes under such keys, so the shape is known.
        const entry = (await this.#book.sealer.open(value, key)) as LogEntry
        this.#places.set(entry.name, entry.at)
        entries.push(entry)
      }
      if (page.length < PAGE) break
      after = page.at(-1)?.key ?? after
    }
    entries.sort((one, other) => one.at - other.at)
    for (const { name, outcome } of entries) if (outcome === undefined) this.#interrupted.add(name)
    return {
      outcomes: entries.flatMap(({ name, outcome }): [string, StepOutcome][] =>
        outcome === undefined ? [] : [[name, outcome]],
      ),
      begun: entries.map(({ name }) => name),
    }
  }

  async begin(name: string): Promise<{ interrupted: boolean }> {
    await this.#note(name, undefined)
    return { interrupted: this.#interrupted.delete(name) }
  }

  async end(name: string, outcome: StepOutcome): Promise<void> {
    await this.#note(name, outcome)
  }

  #note(name: string, outcome: StepOutcome | undefined): Promise<void> {
    const noted = this.#last.then(() => this.#write(name, outcome))
    this.#last = noted.catch(() => {})
    return noted
  }

  /** A run whose lease another took over meanwhile can note nothing more: the guard has another version. */
  async #write(name: string, outcome: StepOutcome | undefined): Promise<void> {
    const at = this.#places.get(name) ?? this.#places.size
    this.#places.set(name, at)
    const key = `${this.#prefix}${await digestOf(name)}`
    const entry: LogEntry = { name, at, ...(outcome !== undefined && { outcome }) }
    const value = await this.#book.sealer.seal(entry, key)
    const ttlMs = this.#ttlMs()
    const guard = this.#book.guarded(this.#id, this.#guard, ttlMs)
    const written = await this.#book.store.write([guard, { key, value, ttlMs }])
    if (written === undefined) throw new PorticoError('aborted', 'Another worker has taken this task over')
    this.#guard = written[0] ?? 0
  }
}

const PAGE = 1000
