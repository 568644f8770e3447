/** SQLite files that other programs use at the same time: another library, another process, and Python where there is one. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolResult } from '@portico/sdk/client'
import { type TestClient, testClient } from '@portico/sdk/testing'
import Database from 'libsql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSqlServer, type SqlServerOptions } from '../server.ts'

let folder: string
let file: string
let counter = 0
const closers: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-locks-'))
})

beforeEach(() => {
  file = join(folder, `shared-${counter++}.db`)
  const db = new Database(file)
  db.exec('CREATE TABLE t (src TEXT, pad TEXT)')
  db.close()
})

afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options: SqlServerOptions = {}): Promise<TestClient> {
  const { server, close } = await createSqlServer({ url: `sqlite:${file}`, structured: true, ...options })
  const client = await testClient(server)
  closers.push(close, () => client.close())
  return client
}

async function run(client: TestClient, tool: string, sql: string, params: unknown[] = []): Promise<CallToolResult> {
  return (await client.callTool(tool, { sql, params })) as CallToolResult
}

const rowsOf = (result: CallToolResult): unknown => (result.structuredContent as { rows?: unknown } | undefined)?.rows

const NODE = `
const Database = require(process.argv[1])
const db = new Database(process.argv[2], { timeout: 20000 })
const add = db.prepare("INSERT INTO t VALUES ('other', ?)")
for (let i = 0; i < 150; i++) add.run(['x'.repeat(200)])
db.close()`

const PYTHON = `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
for i in range(150): c.execute("INSERT INTO t VALUES ('other', ?)", ('x' * 200,))
c.close()`

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['-c', 'import sqlite3'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const library = createRequire(import.meta.url).resolve('libsql')
const WRITERS: readonly [name: string, present: boolean, start: () => ReturnType<typeof spawn>][] = [
  ['another process', true, () => spawn(process.execPath, ['-e', NODE, library, file], { stdio: 'ignore' })],
  ['Python', hasPython, () => spawn('python3', ['-c', PYTHON, file], { stdio: 'ignore' })],
]

describe.each(WRITERS.filter(([, present]) => present))('while %s writes', (_, __, start) => {
  it('sec-233: every change that was acknowledged is there, on both sides (servers 2)', async () => {
    const client = await open({ write: true, allowUnasked: true })
    const other = start()
    const ended = once(other, 'exit')
    let acknowledged = 0
    while (other.exitCode === null) {
      const result = await run(client, 'execute', "INSERT INTO t VALUES ('own', ?)", ['y'.repeat(200)])
      if (!result.isError) acknowledged++
    }
    expect((await ended)[0]).toBe(0)
    const counts = await run(client, 'query', 'SELECT src, count(*) FROM t GROUP BY src ORDER BY src')
    expect(rowsOf(counts)).toEqual([
      ['other', 150],
      ['own', acknowledged],
    ])
    expect(new Database(file).prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  })

  it('servers 8: the file is read in place and not copied', async () => {
    const client = await open({ maxDatabaseBytes: 1 })
    const other = start()
    const ended = once(other, 'exit')
    while (other.exitCode === null) {
      expect((await run(client, 'query', 'SELECT count(*) FROM t')).isError).toBeFalsy()
    }
    await ended
    expect(rowsOf(await run(client, 'query', 'SELECT count(*) FROM t'))).toEqual([[150]])
  })
})

describe('a lock of another program', () => {
  it('servers 2: is waited for, and then named', async () => {
    const client = await open({ write: true, allowUnasked: true, timeoutMs: 5000 })
    const db = new Database(file)
    db.exec('BEGIN IMMEDIATE')
    const refused = await run(client, 'execute', "INSERT INTO t VALUES ('own', '')")
    expect(JSON.stringify(refused.content)).toContain('Another program')
    db.exec('ROLLBACK')
    db.close()
    expect((await run(client, 'execute', "INSERT INTO t VALUES ('own', '')")).isError).toBeFalsy()
  })

  it('servers 2: a page that is not the last leaves none behind', async () => {
    const db = new Database(file)
    db.exec(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) INSERT INTO t SELECT x, '' FROM c",
    )
    const client = await open({ maxRows: 3 })
    expect((await run(client, 'query', 'SELECT src FROM t')).structuredContent).toMatchObject({ truncated: true })
    db.exec("INSERT INTO t VALUES ('after', '')")
    db.close()
    expect(rowsOf(await run(client, 'query', "SELECT src FROM t WHERE src = 'after'"))).toEqual([['after']])
  })
})

describe('what a statement may reach', () => {
  const attempts = [
    "SELECT readfile('/etc/hostname')",
    'SELECT "readfile"(\'/etc/hostname\')',
    "SELECT writefile('PLACE', 'x')",
    "SELECT * FROM fsdir('/etc')",
    'SELECT * FROM "FSDIR"(\'/etc\')',
    "SELECT sha3_query('SELECT 1')",
    "SELECT load_extension('x')",
    'SELECT file FROM pragma_database_list',
    'SELECT * FROM "PRAGMA_Database_List"()',
    'SELECT * FROM pragma_compile_options',
    "SELECT * FROM pragma_table_info('t'), pragma_module_list",
    'SELECT * FROM sqlite_dbpage',
    "SELECT * FROM (SELECT 1) WHERE 1 = (SELECT length(readfile('/etc/hostname')))",
    "WITH a AS (SELECT max(readfile('/etc/hostname'))) SELECT * FROM a",
  ]
  it.each(attempts)('sec-234: no file, from either tool, by: %s (servers 2)', async (sql) => {
    const place = join(folder, 'written')
    const client = await open({ write: true, allowUnasked: true })
    for (const tool of ['query', 'execute']) {
      expect((await run(client, tool, sql.replace('PLACE', place))).isError, tool).toBe(true)
    }
    expect(await readdir(folder)).not.toContain('written')
  })

  it('sec-642: of settings, what the schema is made of can be asked for as tables', async () => {
    const asked = await run(await open(), 'query', "SELECT name FROM pragma_table_info('t')")
    expect(rowsOf(asked)).toEqual([['src'], ['pad']])
  })

  it('refuses no column and no text for its name alone', async () => {
    const client = await open({ write: true, allowUnasked: true })
    const made = await run(client, 'execute', 'CREATE TABLE n (pragma_note TEXT, zipfile TEXT)')
    expect(JSON.stringify(made.content)).not.toContain('not available')
    expect((await run(client, 'execute', "INSERT INTO n VALUES ('pragma_x', 'fsdir')")).isError).toBeFalsy()
    const read = await run(client, 'query', "SELECT pragma_note, zipfile FROM n WHERE pragma_note = 'pragma_x'")
    expect(rowsOf(read)).toEqual([['pragma_x', 'fsdir']])
  })

  it.each(['CREATE VIEW y AS SELECT file FROM pragma_database_list', "CREATE VIEW y AS SELECT * FROM fsdir('/etc')"])(
    'sec-234: nor is it kept for later: %s',
    async (sql) => {
      const client = await open({ write: true, allowUnasked: true })
      expect((await run(client, 'execute', sql)).isError).toBe(true)
    },
  )

  it('sec-234: nor through a view of a hostile file', async () => {
    const db = new Database(file)
    db.exec("CREATE VIEW v AS SELECT readfile('/etc/hostname') AS a; CREATE VIEW w AS SELECT * FROM fsdir('/etc')")
    db.exec('CREATE VIEW x AS SELECT file FROM pragma_database_list')
    db.close()
    const client = await open()
    for (const view of ['v', 'w', 'x']) expect((await run(client, 'query', `SELECT * FROM ${view}`)).isError).toBe(true)
  })
})

describe('parameters', () => {
  it('servers 19: one that is missing is an error, not NULL', async () => {
    const client = await open({ write: true, allowUnasked: true })
    for (const [tool, sql] of [
      ['query', 'SELECT * FROM t WHERE src = ?'],
      ['query', 'SELECT * FROM t WHERE src = :name'],
      ['execute', 'DELETE FROM t WHERE src = ?'],
    ] as const) {
      expect(JSON.stringify((await run(client, tool, sql)).content), sql).toContain('placeholders')
    }
    expect((await run(client, 'query', 'SELECT * FROM t WHERE src = ?', [null])).isError).toBeFalsy()
  })
})

it('servers 8: a file in WAL mode is read while its writer has it open', async () => {
  const db = new Database(file)
  db.exec("PRAGMA journal_mode = WAL; INSERT INTO t VALUES ('wal', '')")
  const client = await open()
  expect(rowsOf(await run(client, 'query', 'SELECT src FROM t'))).toEqual([['wal']])
  db.exec("INSERT INTO t VALUES ('more', '')")
  expect(rowsOf(await run(client, 'query', 'SELECT src FROM t'))).toEqual([['wal'], ['more']])
  db.close()
})

describe('after a statement that was stopped', () => {
  const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'

  it('sec-701: a change by the new process leaves the file as readable as before', async () => {
    const client = await open({ write: true, allowUnasked: true, timeoutMs: 1500 })
    expect((await run(client, 'query', 'SELECT src FROM t')).isError).toBeFalsy()
    expect(JSON.stringify((await run(client, 'query', ENDLESS)).content)).toContain('was stopped')
    expect((await run(client, 'execute', "INSERT INTO t VALUES ('own', '')")).isError).toBeFalsy()
    expect(rowsOf(await run(client, 'query', 'SELECT src FROM t'))).toEqual([['own']])
  })
})

describe('a file that could not be opened for a while', () => {
  it('sec-701: is read again once it is back', async () => {
    const client = await open()
    expect((await run(client, 'query', 'SELECT src FROM t')).isError).toBeFalsy()
    await rename(file, `${file}.aside`)
    await writeFile(file, 'no database at all, whatever it is called')
    expect((await run(client, 'query', 'SELECT src FROM t')).isError).toBe(true)
    await rename(`${file}.aside`, file)
    expect(rowsOf(await run(client, 'query', 'SELECT src FROM t'))).toEqual([])
  })
})
