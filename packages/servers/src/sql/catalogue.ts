/** The tables of the database by name. Kept for a moment, because completion asks for them at every key stroke. */

import { ToolError } from '@portico/sdk/server'
import type { Table } from './engine.ts'
import type { FairEngine } from './fair-engine.ts'

const KEEP_MS = 5000

export class Catalogue {
  readonly #engine: FairEngine
  #tables: Promise<readonly Table[]> | undefined
  #until = 0

  constructor(engine: FairEngine) {
    this.#engine = engine
  }

  tables(): Promise<readonly Table[]> {
    if (this.#tables === undefined || performance.now() > this.#until) {
      this.#until = performance.now() + KEEP_MS
      // Shared by whoever asks meanwhile, so it does not end with one of them.
      const asked = this.#engine.tables({ signal: new AbortController().signal, caller: undefined })
      asked.catch(() => this.forget())
      this.#tables = asked
    }
    return this.#tables
  }

  forget(): void {
    this.#tables = undefined
  }

  /** Names go into statements only from here: as the database itself spells them, quoted. */
  async find(name: string): Promise<Table | undefined> {
    const tables = await this.tables()
    const exact = tables.find(({ key }) => key === name)
    if (exact !== undefined) return exact
    const loose = tables.filter((table) => table.name === name)
    return loose.length === 1 ? loose[0] : undefined
  }

  async require(name: string): Promise<Table> {
    const table = await this.find(name)
    if (table !== undefined) return table
    const near = await this.proposals(name.slice(0, 3))
    const hint = near.length === 0 ? '' : ` Did you mean ${near.slice(0, 5).join(', ')}?`
    throw new ToolError(`There is no table "${name.slice(0, 100)}" here.${hint} list_tables names them all.`)
  }

  async proposals(typed: string): Promise<string[]> {
    const start = typed.toLowerCase()
    const tables = await this.tables()
    return tables
      .filter(({ key, name }) => key.toLowerCase().startsWith(start) || name.toLowerCase().startsWith(start))
      .map(({ key }) => key)
  }
}
