/**
 * The one gate before every kind of database: so many statements run at a time, and the callers that wait take turns, so that
 * nobody's long ones keep others from theirs. SQLite has one writer at a time by its nature; it waits apart from those who read.
 */

import { ToolError } from '@portico/sdk/server'
import type { Asker } from '../caller.ts'
import { FairTurns } from '../machine/fair-turns.ts'
import type { Dialect, Engine, Outcome, Page, Rows, Statement, Table, TableDetails } from './engine.ts'
import { MAX_CONNECTIONS } from './limits.ts'

/** Statements of one caller that wait for their turn. */
const MAX_WAITING = 32

function createTurns(slots: number): FairTurns {
  const refusal = (): Error =>
    new ToolError(`${MAX_WAITING} of your statements wait for this database already. Try again when one has ended.`)
  return new FairTurns({ slots, maxWaiting: MAX_WAITING, refusal })
}

export class FairEngine {
  readonly #engine: Engine
  readonly #reading = createTurns(MAX_CONNECTIONS)
  readonly #writing: FairTurns

  constructor(engine: Engine) {
    this.#engine = engine
    this.#writing = engine.dialect === 'sqlite' ? createTurns(1) : this.#reading
  }

  get dialect(): Dialect {
    return this.#engine.dialect
  }

  get placeholder(): string {
    return this.#engine.placeholder
  }

  get effects(): ReadonlySet<string> | undefined {
    return this.#engine.effects
  }

  query(statement: Statement, page: Page, { caller, signal }: Asker): Promise<Rows> {
    return this.#reading.run(caller, () => this.#engine.query(statement, page, signal), signal)
  }

  explain(statement: Statement, { caller, signal }: Asker): Promise<string> {
    return this.#reading.run(caller, () => this.#engine.explain(statement, signal), signal)
  }

  execute(statement: Statement, maxRows: number, { caller, signal }: Asker): Promise<Outcome> {
    return this.#writing.run(caller, () => this.#engine.execute(statement, maxRows, signal), signal)
  }

  tables({ caller, signal }: Asker): Promise<readonly Table[]> {
    return this.#reading.run(caller, () => this.#engine.tables(signal), signal)
  }

  describe(table: Table, { caller, signal }: Asker): Promise<TableDetails> {
    return this.#reading.run(caller, () => this.#engine.describe(table, signal), signal)
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}
