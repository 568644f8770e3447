/**
 * The effect log of a task: what each `ctx.step` came to, kept before the handler goes on. A step that was begun and has no
 * outcome was interrupted: its process died, and nobody knows whether its effect happened.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { StepLog, StepOutcome } from '../../session/handler-run.ts'
import { digestOf } from '../../session/sealed-state.ts'
import type { Store } from '../../state/store.ts'

interface LogEntry {
  readonly name: string
  /** Absent while the step runs. */
  readonly outcome?: StepOutcome
}

export class TaskLog implements StepLog {
  readonly #store: Store
  readonly #prefix: string
  readonly #ttlMs: () => number
  readonly #versions = new Map<string, number>()
  readonly #interrupted = new Set<string>()

  constructor(store: Store, id: string, ttlMs: () => number) {
    this.#store = store
    this.#prefix = `task-log/${id}/`
    this.#ttlMs = ttlMs
  }

  /** What earlier runs have done. */
  async read(): Promise<[name: string, outcome: StepOutcome][]> {
    const done: [string, StepOutcome][] = []
    for (let after: string | undefined; ; ) {
      const page = await this.#store.list(this.#prefix, { limit: PAGE, ...(after !== undefined && { after }) })
      for (const { value, version } of page) {
        // Only this class writes under such keys, so the shape is known.
        const { name, outcome } = JSON.parse(value) as LogEntry
        this.#versions.set(name, version)
        if (outcome === undefined) this.#interrupted.add(name)
        else done.push([name, outcome])
      }
      if (page.length < PAGE) return done
      after = page.at(-1)?.key
    }
  }

  async begin(name: string): Promise<{ interrupted: boolean }> {
    await this.#write({ name })
    return { interrupted: this.#interrupted.delete(name) }
  }

  async end(name: string, outcome: StepOutcome): Promise<void> {
    await this.#write({ name, outcome })
  }

  /** Guarded by version: a run whose lease another took over meanwhile can note nothing more. */
  async #write(entry: LogEntry): Promise<void> {
    const key = `${this.#prefix}${await digestOf(entry.name)}`
    const ifVersion = this.#versions.get(entry.name) ?? 0
    const written = await this.#store.write([{ key, value: JSON.stringify(entry), ifVersion, ttlMs: this.#ttlMs() }])
    if (written === undefined) throw new PorticoError('aborted', 'Another worker has taken this task over')
    this.#versions.set(entry.name, written[0] ?? 0)
  }
}

const PAGE = 1000
