/**
 * A few connections that take turns. A connection goes back only after `reset` has wiped what a statement may have left
 * in its session; one that failed in any other way than by an answer of the database is not used again.
 */

import { ToolError } from '@portico/sdk/server'

interface PoolOptions<C> {
  readonly size: number
  open(): Promise<C>
  reset(connection: C): Promise<void>
  /** Ends at once, whatever is running. */
  destroy(connection: C): void
}

/** What a turn came to; `keep: false` for a connection in an unknown state. An `error` is thrown to whoever asked. */
type Turn<T> =
  | { readonly ok: true; readonly value: T; readonly keep: boolean }
  | { readonly ok: false; readonly error: unknown; readonly keep: boolean }

export class Pool<C> {
  readonly #options: PoolOptions<C>
  readonly #idle: C[] = []
  readonly #all = new Set<C>()
  readonly #waiting: (() => void)[] = []
  #free: number
  #closed = false

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#free = options.size
  }

  async use<T>(action: (connection: C) => Promise<Turn<T>>): Promise<T> {
    await this.#take()
    let connection: C | undefined
    let keep = false
    try {
      connection = this.#idle.pop() ?? (await this.#open())
      const turn = await action(connection)
      keep = turn.keep
      if (turn.ok) return turn.value
      throw turn.error
    } finally {
      if (connection !== undefined) this.#giveBack(connection, keep)
      else this.#release()
    }
  }

  /** For a connection that said by itself that it ended. */
  drop(connection: C): void {
    this.#all.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  close(): void {
    this.#closed = true
    for (const connection of this.#all) this.#options.destroy(connection)
    this.#all.clear()
    this.#idle.length = 0
  }

  async #open(): Promise<C> {
    if (this.#closed) throw new ToolError('The database is closed.')
    const connection = await this.#options.open()
    this.#all.add(connection)
    return connection
  }

  #giveBack(connection: C, keep: boolean): void {
    const end = (): void => {
      this.drop(connection)
      this.#options.destroy(connection)
      this.#release()
    }
    if (!keep || this.#closed || !this.#all.has(connection)) {
      end()
      return
    }
    this.#options.reset(connection).then(() => {
      if (this.#closed || !this.#all.has(connection)) {
        end()
        return
      }
      this.#idle.push(connection)
      this.#release()
    }, end)
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
