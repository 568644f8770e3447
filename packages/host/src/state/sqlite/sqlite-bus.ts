/**
 * Messages in a table of the state file, read by whoever listens. A process looks for new ones many times a second, which
 * costs next to nothing while nobody wrote: SQLite tells by one number whether another connection did.
 */

import type { Bus, BusListener } from '@portico/sdk/state'
import { Listeners } from '../listeners.ts'
import type { Sql } from './sqlite-driver.ts'
import type { SqliteFile } from './sqlite-file.ts'

const LOOK_MS = 50
const BITE = 500
/** More are not kept: who is that far behind is told that messages were lost, and reads the store. */
const MAX_MESSAGES = 10_000

export class SqliteBus implements Bus {
  readonly #file: SqliteFile
  readonly #release: () => void
  readonly #listeners = new Listeners()
  #timer: ReturnType<typeof setInterval> | undefined
  /** The last message that was read. */
  #last = 0
  #generation = 0
  #dataVersion = -1
  #ownPublished = false

  constructor(file: SqliteFile) {
    this.#file = file
    this.#release = file.use()
  }

  async publish(topic: string, text: string): Promise<void> {
    await this.#file.transaction((sql) => {
      sql.run('INSERT INTO messages (topic, text, at) VALUES (?, ?, ?)', topic, text, Date.now())
      sql.run('DELETE FROM messages WHERE id <= ?', newestOf(sql) - MAX_MESSAGES)
    })
    if (this.#timer === undefined || this.#ownPublished) return
    // The number that SQLite tells does not count what this connection wrote.
    this.#ownPublished = true
    setImmediate(() => this.#look())
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    return this.#file.read((sql) => {
      if (this.#timer === undefined) this.#begin(sql)
      return this.#listeners.add(topic, listener, () => this.#listeners.size === 0 && this.#end())
    })
  }

  async close(): Promise<void> {
    this.#end()
    this.#listeners.clear()
    this.#release()
  }

  #begin(sql: Sql): void {
    this.#last = newestOf(sql)
    this.#generation = this.#file.generation
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const own = this.#ownPublished
    this.#ownPublished = false
    const found = this.#timer === undefined ? undefined : this.#file.readNow((sql) => this.#read(sql, own))
    // What could not be read now is read with the next look.
    if (found === undefined) this.#dataVersion = -1
    else this.#tell(found)
  }

  #tell({ messages, lost }: Found): void {
    if (lost) this.#listeners.tellLost()
    for (const { topic, text } of messages) this.#listeners.tell(topic, text)
    if (messages.length === BITE) setImmediate(() => this.#look())
  }

  #read(sql: Sql, own: boolean): Found {
    const dataVersion = Number(sql.all('PRAGMA data_version')[0]?.data_version)
    const isOther = this.#generation !== this.#file.generation
    if (dataVersion === this.#dataVersion && !own && !isOther) return NOTHING
    if (isOther) {
      this.#generation = this.#file.generation
      this.#last = newestOf(sql)
      return { messages: [], lost: true }
    }
    const rows = sql.all('SELECT id, topic, text FROM messages WHERE id > ? ORDER BY id LIMIT ?', this.#last, BITE)
    const first = Number(rows[0]?.id ?? newestOf(sql) + 1)
    const lost = first > this.#last + 1
    this.#last = Number(rows.at(-1)?.id ?? first - 1)
    // A full bite leaves the number unknown, so that the next look reads on.
    this.#dataVersion = rows.length === BITE ? -1 : dataVersion
    return { messages: rows.map(({ topic, text }) => ({ topic: String(topic), text: String(text) })), lost }
  }
}

interface Found {
  readonly messages: readonly { readonly topic: string; readonly text: string }[]
  readonly lost: boolean
}

const NOTHING: Found = { messages: [], lost: false }

/** The number of the newest message there ever was: numbers have no gaps and are never given again. */
function newestOf(sql: Sql): number {
  return Number(sql.all("SELECT seq FROM sqlite_sequence WHERE name = 'messages'")[0]?.seq ?? 0)
}
