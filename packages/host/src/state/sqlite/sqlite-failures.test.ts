/** What becomes of state in a SQLite file when the file is away, held, replaced or not ours. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openState } from '../open-state.ts'
import type { OpenedState } from '../opened-state.ts'
import { loadSqlite } from './sqlite-driver.ts'
import { SqliteFile } from './sqlite-file.ts'
import { SqliteStore } from './sqlite-store.ts'

let folder = ''
const opened: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-state-'))
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function open(path: string): Promise<OpenedState> {
  const state = await openState({ sqlite: path })
  opened.push(state)
  return state
}

describe('a state file that is opened twice by one process', () => {
  /** What another process reads, which opens the file and closes it again. */
  const readElsewhere = (path: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', READ, path], {
      cwd: new URL('.', import.meta.url),
      encoding: 'utf8',
    })
  const READ = `
    const own = process.getBuiltinModule?.('node:sqlite')
    const Database = own?.DatabaseSync ?? (await import('libsql')).default
    const db = new Database(process.argv[1])
    console.log(db.prepare("SELECT value FROM entries WHERE key = 'k'").get()?.value)
    db.close()`

  it('is still taken for in use by others, so that nothing written since is lost', async () => {
    const path = join(folder, 'state.db')
    const one = await open(path)
    await one.store.write([{ key: 'k', value: 'first' }])
    const two = await open(path)
    await two.store.get('k')
    await two.close()
    expect(readElsewhere(path)).toBe('first\n')
    await one.store.write([{ key: 'k', value: 'second' }])
    expect(readElsewhere(path)).toBe('second\n')
    expect(await one.store.get('k')).toMatchObject({ value: 'second' })
  })
})

describe('a state file that cannot be used', () => {
  it('says so in a typed error with what to do, and is used by the next call once it can be (stores 1)', async () => {
    const path = join(folder, 'taken')
    mkdirSync(path)
    const { store, bus, status } = await open(path)
    const refusal = { code: 'store-unavailable', message: expect.stringMatching(/cannot be used.*may be written/) }
    await expect(store.get('k')).rejects.toMatchObject(refusal)
    await expect(bus.publish('t', 'x')).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(await status()).toMatchObject({ available: false, reason: expect.stringContaining('cannot be used') })
    rmSync(path, { recursive: true })
    await store.write([{ key: 'k', value: 'v' }])
    expect(await status()).toMatchObject({ kind: 'sqlite', place: path, available: true })
  })

  // Windows deletes no file that is open.
  it.skipIf(process.platform === 'win32').each(['deleted', 'replaced'] as const)(
    'says at once that it was %s under a running process, and the next call goes on (tasks 21, stores 1)',
    async (fate) => {
      const path = join(folder, 'state.db')
      const { store } = await open(path)
      await store.write([{ key: 'k', value: 'v' }])
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      if (fate === 'replaced') writeFileSync(path, '')
      const refusal = { code: 'store-unavailable', message: expect.stringContaining('was deleted or replaced') }
      await expect(store.write([{ key: 'k', value: 'later' }])).rejects.toMatchObject(refusal)
      expect(await store.get('k')).toBeUndefined()
      await store.write([{ key: 'k', value: 'anew' }])
      expect(await store.get('k')).toMatchObject({ value: 'anew' })
    },
  )

  it('is no database of another program, which stays as it was (stores 1)', async () => {
    const path = join(folder, 'other.db')
    const connection = (await loadSqlite())(path)
    connection.exec('CREATE TABLE invoices (id INTEGER)')
    connection.close()
    const before = readFileSync(path)
    const { store } = await open(path)
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('another program'),
    })
    // Not even how it keeps its journal, which is written in the file.
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is no file of a later version either (stores 1)', async () => {
    const path = join(folder, 'later.db')
    await (await open(path)).store.get('k')
    const connection = (await loadSqlite())(path)
    connection.exec('PRAGMA user_version = 99')
    connection.close()
    await expect((await open(path)).store.get('k')).rejects.toMatchObject({
      message: expect.stringContaining('another version'),
    })
  })

  it('is waited for without stopping the process, and not for ever (stores 1)', async () => {
    const path = join(folder, 'held.db')
    const connect = await loadSqlite()
    const file = new SqliteFile({ path, open: connect, fullSync: false, waitMs: 100 })
    const store = new SqliteStore(file)
    opened.push(store)
    await store.write([{ key: 'k', value: 'v' }])
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await expect(store.write([{ key: 'k', value: 'w' }])).rejects.toMatchObject({ code: 'store-unavailable' })
    clearInterval(timer)
    // A busy machine gives few, and a process that stands still none.
    expect(turns).toBeGreaterThan(0)
    expect((await store.get('k'))?.value).toBe('v')
    other.exec('COMMIT')
    other.close()
    expect(await store.write([{ key: 'k', value: 'w' }])).toHaveLength(1)
  })
})

describe('a state file that changes under its users', () => {
  // Windows does not let go of a file that is open.
  it.skipIf(process.platform === 'win32')(
    'is opened anew when it was taken away, and listeners are told (stores 1)',
    async () => {
      const path = join(folder, 'state.db')
      const { store, bus } = await open(path)
      const [version = 0] = (await store.write([{ key: 'k', value: 'old' }])) ?? []
      const lost = new Promise<void>((resolve) => {
        void bus.subscribe('t', (text) => text === undefined && resolve())
      })
      await bus.publish('t', 'x')
      for (const name of ['', '-wal', '-shm']) rmSync(`${path}${name}`, { force: true })
      await lost
      await expect(store.get('k')).rejects.toMatchObject({ code: 'store-unavailable' })
      expect(await store.get('k')).toBeUndefined()
      const second = await open(path)
      const [later = 0] = (await second.store.write([{ key: 'k', value: 'new' }])) ?? []
      expect((await store.get('k'))?.value).toBe('new')
      expect(later).toBeGreaterThan(version)
    },
  )

  it('tells listeners to read again when messages were cleared away before they looked (stores 1)', async () => {
    const path = join(folder, 'state.db')
    const { bus } = await open(path)
    const heard: (string | undefined)[] = []
    await bus.subscribe('t', (text) => heard.push(text))
    const connection = (await loadSqlite())(path)
    connection.exec(
      "BEGIN; INSERT INTO messages (topic, text, at) VALUES ('t', 'lost', 0); DELETE FROM messages; INSERT INTO messages (topic, text, at) VALUES ('t', 'kept', 0); COMMIT",
    )
    connection.close()
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([undefined, 'kept'])
  })

  it.skipIf(process.platform === 'win32')('is for its user alone (sec-380)', async () => {
    const path = join(folder, 'deeper', 'state.db')
    const { store } = await open(path)
    await store.write([{ key: 'k', value: 'v' }])
    const rights = (name: string): number => statSync(name).mode & 0o777
    expect([rights(join(folder, 'deeper')), rights(path), rights(`${path}-wal`)]).toEqual([0o700, 0o600, 0o600])
  })
})

describe('a file that is none', () => {
  it('does not take a broken file for an empty one (stores 1)', async () => {
    const path = join(folder, 'broken.db')
    writeFileSync(path, 'this is no database, and long enough to be looked at as one'.repeat(20))
    await expect((await open(path)).store.get('k')).rejects.toMatchObject({ code: 'store-unavailable' })
  })
})

describe('what is over', () => {
  it('is cleared from the file in small bites by whoever has it open (stores 1)', async () => {
    const path = join(folder, 'state.db')
    const { store } = await open(path)
    for (let from = 0; from < 640; from += 64) {
      await store.write(Array.from({ length: 64 }, (_, at) => ({ key: `${from + at}`, value: 'x', ttlMs: 1 })))
    }
    await store.lease('l', 'o', 1)
    const connection = (await loadSqlite())(path)
    const left = connection.prepare('SELECT (SELECT count(*) FROM entries) + (SELECT count(*) FROM leases) AS n')
    await expect.poll(() => left.all([])[0]?.n, { timeout: 10_000 }).toBe(0)
    connection.close()
  })
})

describe('reliability clocks: leases in a state file', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['an hour forward', 3_600_000],
    ['an hour back', -3_600_000],
    ['a year forward', 365 * 86_400_000],
  ])('hold when the clock of the day is set %s: nobody takes over, and the holder renews', async (_, ms) => {
    const path = join(folder, 'state.db')
    const [one, other] = [await open(path), await open(path)]
    const lease = await one.store.lease('k', 'one', 600_000)
    if (lease === undefined) throw new Error('no lease was given')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
    expect(await other.store.lease('k', 'other', 600_000)).toBeUndefined()
    expect(await other.store.holder('k')).toEqual(lease)
    expect(await one.store.renew('k', lease, 600_000)).toBe(true)
  })

  it.each([
    ['sooner', -50_000_000],
    ['later', 50_000_000],
  ])('of before the machine was started anew are free, where its time stands %s than then', async (_, ms) => {
    const path = join(folder, 'state.db')
    const [one, other] = [await open(path), await open(path)]
    await one.store.lease('k', 'one', 600_000)
    const connection = (await loadSqlite())(path)
    connection.exec(`UPDATE leases SET expires = expires - ${ms}`)
    connection.close()
    expect(await other.store.holder('k')).toBeUndefined()
    expect(await other.store.lease('k', 'other', 600_000)).toMatchObject({ owner: 'other' })
  })

  it('a file of the first version is taken over with what it keeps, without the leases', async () => {
    const path = join(folder, 'state.db')
    const connection = (await loadSqlite())(path)
    for (const statement of FIRST_VERSION) connection.exec(statement)
    connection.close()
    const { store } = await open(path)
    expect(await store.get('kept')).toMatchObject({ value: 'v' })
    expect(await store.lease('held', 'me', 600_000)).toMatchObject({ owner: 'me' })
  })
})

const FIRST_VERSION = [
  'CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER)',
  'CREATE TABLE leases (key TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL)',
  'CREATE TABLE count (number INTEGER NOT NULL)',
  'INSERT INTO count VALUES (7)',
  'CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL)',
  "INSERT INTO entries VALUES ('kept', 'v', 3, NULL)",
  "INSERT INTO leases VALUES ('held', 'x', 4, 99999999999999)",
  'PRAGMA application_id = 0x504f5254',
  'PRAGMA user_version = 1',
]
