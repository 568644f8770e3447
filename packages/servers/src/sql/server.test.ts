import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lintServer } from '@portico/sdk/lint'
import { type TestClient, testClient } from '@portico/sdk/testing'
import sqlite from 'node-sqlite3-wasm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ReadyServer } from '../entry.ts'
import { messageOf } from './connection-url.ts'
import { entry } from './entry.ts'
import { createSqlServer, type SqlServerOptions } from './server.ts'

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'

let folder = ''
let file = ''
const opened: { close(): Promise<unknown> }[] = []
const shared: { close(): Promise<unknown> }[] = []
/** One server for all that only read: to start a thread takes a moment. */
let notes: TestClient
let shop: TestClient
let writing: ReadyServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sql-test-'))
  file = join(folder, 'notes.db')
  const db = new sqlite.Database(file)
  db.exec(`CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body, big BLOB);
    INSERT INTO notes (title, body) VALUES ('one', 'first'), ('two', 'second'), ('three', 'third');
    CREATE TABLE "odd ""name" (a); INSERT INTO "odd ""name" VALUES (1)`)
  db.close()
  const readers = [
    await createSqlServer({ url: `sqlite:${file}`, structured: true }),
    await createSqlServer({ maxRows: 7, structured: true }),
  ]
  const clients = await Promise.all(readers.map(({ server }) => testClient(server)))
  writing = await createSqlServer({ write: true, structured: true })
  shared.push(...clients, ...readers, writing)
  // One client was made for each of the two servers.
  ;[notes, shop] = clients as [TestClient, TestClient]
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

afterAll(async () => {
  for (const one of shared) await one.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options: SqlServerOptions = {}): Promise<ReadyServer> {
  const ready = await createSqlServer({ structured: true, ...options })
  opened.push(ready)
  return ready
}

describe('the catalogue', () => {
  it('is whole and as it is, whatever bounds answers have', async () => {
    const small = await client({ maxResultBytes: 60, maxCellBytes: 8, maxRows: 1 })
    const whole = await client({})
    for (const [name, args] of [
      ['list_tables', {}],
      ['describe_table', { table: 'products' }],
    ] as const) {
      expect((await small.callTool(name, args)).structuredContent).toEqual(
        (await whole.callTool(name, args)).structuredContent,
      )
    }
    expect((await small.callTool('list_tables')).structuredContent).toMatchObject({ total: 6 })
  })

  it('spells out what cannot be seen in types and defaults, too, and cuts them where they are long', async () => {
    const place = join(folder, 'hidden.db')
    const db = new sqlite.Database(place)
    db.exec(`CREATE TABLE t (a "ty\u202Epe" DEFAULT 'x\u202E${'y'.repeat(3_000)}')`)
    db.close()
    const { structuredContent } = await (await client({ url: `sqlite:${place}` })).callTool('describe_table', {
      table: 't',
    })
    const told = JSON.stringify(structuredContent)
    expect(told).not.toContain('\u202E')
    expect(told).toContain('u{202E}')
    expect(told.length).toBeLessThan(1_000)
  })
})

async function client(options: SqlServerOptions = {}): Promise<TestClient> {
  const ready = await open(options)
  const made = await testClient(ready.server)
  opened.unshift(made)
  return made
}

const textOf = (result: { content: unknown }): string => JSON.stringify(result.content)

describe('a table as CSV', () => {
  const read = async (from: TestClient, table: string): Promise<string> => {
    const { contents } = await from.readResource(`sql://table/${table}/csv`)
    return 'text' in contents[0]! ? String(contents[0].text) : ''
  }

  it('has every row of it, over several pages, with what needs quotes in quotes', async () => {
    expect(await read(notes, 'notes')).toBe('id,title,body,big\r\n1,one,first,\r\n2,two,second,\r\n3,three,third,\r\n')
    const customers = await read(shop, 'customers')
    const counted = (await shop.callTool('query', { sql: 'SELECT count(*) FROM customers' })).structuredContent
    const [[count = 0] = []] = (counted as { rows: number[][] }).rows
    expect(count).toBeGreaterThan(7)
    expect(customers.trimEnd().split('\r\n')).toHaveLength(count + 1)
    const odd = await client({ write: true, allowUnasked: true })
    await odd.callTool('execute', {
      sql: `CREATE TABLE q AS SELECT 'a "b", c' AS x, 'two' || char(10) || 'lines' AS y`,
    })
    expect(await read(odd, 'q')).toBe('x,y\r\n"a ""b"", c","two\nlines"\r\n')
  })

  it('says that it is too large rather than give a part', async () => {
    const large = await client({ write: true, allowUnasked: true, maxRows: 5_000 })
    const rows = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20001) SELECT x FROM c'
    await large.callTool('execute', { sql: `CREATE TABLE many AS ${rows}` })
    await expect(read(large, 'many')).rejects.toThrow('more than 20000 rows')
    await large.callTool('execute', { sql: `CREATE TABLE wide AS SELECT printf('%.5000c', 'x') AS x` })
    await expect(read(large, 'wide')).rejects.toThrow('maxCellBytes')
  })
})

describe('the sample shop', () => {
  it('is queried with parameters, in stable pages', async () => {
    const sql = 'SELECT id, name FROM customers WHERE id <= ? ORDER BY id'
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await shop.callTool('query', { sql, params: [18], ...(cursor !== undefined && { cursor }) })
      const content = page.structuredContent as { rows: unknown[][]; nextCursor?: string; truncated: boolean }
      ids.push(...content.rows.map(([id]) => id))
      expect(content.truncated).toBe(content.nextCursor !== undefined)
      cursor = content.nextCursor
    } while (cursor !== undefined)
    expect(ids).toEqual(Array.from({ length: 18 }, (_, index) => index + 1))
  })

  it('refuses a cursor of another statement or no cursor at all (sec-136)', async () => {
    const first = await shop.callTool('query', { sql: 'SELECT id FROM orders' })
    const { nextCursor } = first.structuredContent as { nextCursor: string }
    for (const cursor of [nextCursor, 'x', '', Buffer.from('-1.x').toString('base64url')]) {
      const other = await shop.callTool('query', { sql: 'SELECT id FROM customers', cursor })
      expect(other.isError).toBe(true)
    }
  })

  it('lists, describes, samples and explains', async () => {
    const listed = await shop.callTool('list_tables', { search: 'order' })
    expect(listed.structuredContent).toMatchObject({
      tables: [{ table: 'order_items' }, { table: 'order_totals', kind: 'view' }, { table: 'orders' }],
    })
    const described = await shop.callTool('describe_table', { table: 'products' })
    expect(described.structuredContent).toMatchObject({
      columns: [
        { name: 'id', primaryKey: true },
        { name: 'name', nullable: false },
        { name: 'category_id' },
        { name: 'price_cents' },
        { name: 'stock', default: '0' },
      ],
      foreignKeys: ['(category_id) references categories (id)'],
    })
    const sampled = await shop.callTool('sample_rows', { table: 'orders', limit: 3 })
    expect((sampled.structuredContent as { rows: unknown[] }).rows).toHaveLength(3)
    const plan = await shop.callTool('explain', { sql: 'SELECT * FROM orders WHERE customer_id = 3' })
    expect(textOf(plan)).toContain('orders_by_customer')
    const missing = await shop.callTool('describe_table', { table: 'prodcts' })
    expect(textOf(missing)).toContain('products')
  })

  it('is there as resources, with completion, and as a prompt', async () => {
    const uris = (await shop.listResources()).map(({ uri }) => uri)
    expect(uris).toContain('sql://table/products')
    const overview = await shop.readResource('sql://schema')
    expect(JSON.stringify(overview)).toContain('price_cents INTEGER')
    const table = await shop.readResource('sql://table/orders')
    expect(JSON.stringify(table)).toContain('placed_on')
    await expect(shop.readResource('sql://table/nothing')).rejects.toThrow()
    const { completion } = await shop.complete({
      ref: { type: 'ref/resource', uri: 'sql://table/{table}' },
      argument: { name: 'table', value: 'ord' },
    })
    expect(completion.values).toEqual(['order_items', 'order_totals', 'orders'])
    const asked = await shop.getPrompt('ask_database', { question: 'Who buys most?', table: 'orders' })
    expect(JSON.stringify(asked)).toContain('Who buys most?')
  })

  it('has nothing that confuses a model', () => {
    expect(lintServer(writing.server).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})

describe('values', () => {
  it('come in order, even under equal names, and in JSON', async () => {
    const sql = `SELECT 1 AS a, 'x' AS a, NULL AS "__proto__", 9007199254740993 AS big, 1.5 AS f, x'00ff' AS bytes`
    const { structuredContent } = await notes.callTool('query', { sql })
    expect(structuredContent).toMatchObject({
      columns: [{ name: 'a' }, { name: 'a' }, { name: '__proto__' }, { name: 'big' }, { name: 'f' }, { name: 'bytes' }],
      rows: [[1, 'x', null, '9007199254740993', 1.5, '0x00ff']],
    })
  })

  it('keep their order when columns had to be named anew', async () => {
    const { structuredContent } = await notes.callTool('query', { sql: 'SELECT id, id FROM notes ORDER BY id DESC' })
    expect(structuredContent).toMatchObject({
      rows: [
        [3, 3],
        [2, 2],
        [1, 1],
      ],
    })
  })

  it('that cannot be seen are spelled out (sec-125)', async () => {
    const hidden = 'a\u001b[31m\u202Eb\u{E0041}'
    const { structuredContent } = await notes.callTool('query', { sql: 'SELECT ? AS v', params: [hidden] })
    expect(structuredContent).toMatchObject({ rows: [['a\\u{1B}[31m\\u{202E}b\\u{E0041}']] })
  })

  it('that are too long are cut, and pages that are too long end early', async () => {
    const notes = await client({ url: `sqlite:${file}`, maxCellBytes: 100, maxResultBytes: 300 })
    const sql =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT hex(zeroblob(500)) FROM n'
    const { structuredContent } = await notes.callTool('query', { sql })
    const { rows, truncated, note } = structuredContent as { rows: string[][]; truncated: boolean; note: string }
    expect(rows).toHaveLength(2)
    expect(rows[0]?.[0]).toMatch(/^0{100}… \[cut: 1000 characters\]$/)
    expect(truncated).toBe(true)
    expect(note).toContain('maxCellBytes')
  })

  it('in tables with odd names are read by the name that the database gives', async () => {
    const { structuredContent } = await notes.callTool('sample_rows', { table: 'odd "name' })
    expect(structuredContent).toMatchObject({ rows: [[1]] })
  })
})

describe('a read-only SQLite file', () => {
  it.each([
    'DELETE FROM notes',
    'WITH x AS (SELECT 1) DELETE FROM notes',
    'SELECT 1; DELETE FROM notes',
    '/* SELECT */ UPDATE notes SET title = 1',
    'INSERT INTO notes (title) VALUES (1) RETURNING id',
    "ATTACH '/etc/passwd' AS other",
    'ATTACH ? AS other',
    'PRAGMA writable_schema = 1',
    'PRAGMA query_only = OFF',
    'PRAGMA journal_mode = WAL',
    "VACUUM INTO 'copy.db'",
    "SELECT load_extension('evil')",
    "SELECT writefile('x', 'y')",
    "SELECT readfile('/etc/passwd')",
    'CREATE TEMP TABLE t (a)',
    'DROP TABLE notes',
    'REINDEX',
    'BEGIN EXCLUSIVE',
  ])('is not changed, nor anything beside it, by: %s (sec-122)', async (sql) => {
    const before = await fingerprint()
    const refused = await notes.callTool('query', { sql, params: [] })
    expect(refused.isError).toBe(true)
    expect(await fingerprint()).toEqual(before)
  })

  it('ends a statement that never ends at timeoutMs, and goes on (sec-147)', async () => {
    const notes = await client({ url: `sqlite:${file}`, timeoutMs: 300 })
    const ended = await notes.callTool('query', { sql: ENDLESS })
    expect(textOf(ended)).toContain('timeoutMs')
    const next = await notes.callTool('query', { sql: 'SELECT count(*) FROM notes' })
    expect(next.structuredContent).toMatchObject({ rows: [[3]] })
  })

  it('ends a statement that its caller gave up', async () => {
    const { server } = await open({ url: `sqlite:${file}`, timeoutMs: 60_000 })
    const notes = await testClient(server)
    opened.unshift(notes)
    const abort = new AbortController()
    const call = notes.callTool('query', { sql: ENDLESS }, { signal: abort.signal })
    abort.abort()
    await expect(call).rejects.toThrow()
    const next = await notes.callTool('query', { sql: 'SELECT 1' })
    expect(next.structuredContent).toMatchObject({ rows: [[1]] })
  })

  it('fails a statement that wants too much memory, and goes on', async () => {
    const greedy = await notes.callTool('query', { sql: 'SELECT hex(zeroblob(400000000))' })
    expect(greedy.isError).toBe(true)
    const next = await notes.callTool('query', { sql: 'SELECT 1' })
    expect(next.structuredContent).toMatchObject({ rows: [[1]] })
  })

  it('shows what other programs changed meanwhile', async () => {
    const live = join(folder, 'live.db')
    const db = new sqlite.Database(live)
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
    const seen = await client({ url: `sqlite:${live}` })
    expect((await seen.callTool('query', { sql: 'SELECT a FROM t' })).structuredContent).toMatchObject({ rows: [[1]] })
    db.exec('INSERT INTO t VALUES (2)')
    db.close()
    expect((await seen.callTool('query', { sql: 'SELECT a FROM t' })).structuredContent).toMatchObject({
      rows: [[1], [2]],
    })
  })

  it('is read whole while another program has it open in WAL mode', async () => {
    const busy = join(folder, 'wal.db')
    const db = new sqlite.Database(busy)
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (7)')
    try {
      expect(existsSync(`${busy}-wal`)).toBe(true)
      const seen = await client({ url: `sqlite:${busy}` })
      expect((await seen.callTool('query', { sql: 'SELECT a FROM t' })).structuredContent).toMatchObject({
        rows: [[7]],
      })
    } finally {
      db.close()
    }
  })

  it('is refused when it is missing or not a database', async () => {
    await expect(createSqlServer({ url: `sqlite:${join(folder, 'none.db')}` })).rejects.toThrow('no SQLite file')
    const text = join(folder, 'text.db')
    await writeFile(text, 'not a database at all, but long enough to look at'.repeat(50))
    const broken = await client({ url: `sqlite:${text}` })
    expect((await broken.callTool('query', { sql: 'SELECT * FROM sqlite_schema' })).isError).toBe(true)
  })

  async function fingerprint(): Promise<string[]> {
    const names = (await readdir(folder)).sort()
    return [
      ...names,
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]
  }
})

describe('execute', () => {
  it('is not offered unless asked for', async () => {
    expect((await shop.listTools()).map(({ name }) => name)).not.toContain('execute')
    await expect(shop.callTool('execute', { sql: 'DELETE FROM orders' })).rejects.toThrow()
  })

  it.each([
    ['2025-06-18', 11],
    ['2026-07-28', 21],
  ] as const)('shows the statement and runs it after a yes (%s)', async (version, order) => {
    const answers = { elicit: [{ confirm: true }, { confirm: false }, 'decline'] } as const
    const writer = await testClient(writing.server, { version, answers })
    opened.unshift(writer)
    const sql = 'DELETE FROM order_items WHERE order_id = ?'
    const done = await writer.callTool('execute', { sql, params: [order] })
    expect(done.structuredContent).toEqual({ affected: 2 })
    const message = expect.stringContaining(`${sql}\n\nwith the values [${order}]`)
    expect(writer.asked[0]?.params).toMatchObject({ message })
    for (const _ of ['no', 'declined']) {
      const refused = await writer.callTool('execute', { sql, params: [order + 1] })
      expect(refused.isError).toBe(true)
    }
    const count = 'SELECT count(*) FROM order_items WHERE order_id IN (?, ?)'
    const left = await writer.callTool('query', { sql: count, params: [order, order + 1] })
    expect(left.structuredContent).toMatchObject({ rows: [[2]] })
    writer.verifyScript()
  })

  it('returns what a statement returns, and rolls back what fails', async () => {
    const writer = await testClient(writing.server, { answers: { elicit: [{ confirm: true }, { confirm: true }] } })
    opened.unshift(writer)
    const added = await writer.callTool('execute', { sql: "INSERT INTO categories (name) VALUES ('Jam') RETURNING id" })
    expect(added.structuredContent).toMatchObject({ affected: 1, rows: [[6]] })
    const failed = await writer.callTool('execute', { sql: 'DELETE FROM products' })
    expect(textOf(failed)).toContain('FOREIGN KEY')
    const kept = await writer.callTool('query', { sql: 'SELECT count(*) FROM products' })
    expect(kept.structuredContent).toMatchObject({ rows: [[30]] })
  })

  it('refuses where nobody can be asked, unless allowed by name', async () => {
    const mute = await testClient(writing.server)
    opened.unshift(mute)
    const refused = await mute.callTool('execute', { sql: 'DELETE FROM order_items' })
    expect(textOf(refused)).toContain('allowUnasked')
  })

  it('rolls back a change that ran too long, and the file stays usable', async () => {
    const { server } = await open({ write: true, allowUnasked: true, timeoutMs: 800 })
    const writer = await testClient(server)
    opened.unshift(writer)
    const sql =
      'INSERT INTO categories (name) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c'
    expect(textOf(await writer.callTool('execute', { sql }))).toContain('timeoutMs')
    const kept = await writer.callTool('query', { sql: 'SELECT count(*) FROM categories' })
    expect(kept.structuredContent).toMatchObject({ rows: [[5]] })
    const after = await writer.callTool('execute', { sql: "INSERT INTO categories (name) VALUES ('Jam')" })
    expect(after.structuredContent).toEqual({ affected: 1 })
  })
})

describe('the url', () => {
  it.each(['oracle://scott:tiger@x/y', 'postgres//u:tiger@h', 'tiger', 'mysql://u:tiger@['])(
    'is refused without repeating its password: %s (sec-135)',
    async (url) => {
      const error = await createSqlServer({ url }).catch((reason: unknown) => reason)
      expect(String(error)).not.toContain('tiger')
    },
  )

  it('of a server that does not answer fails without the password in the message (sec-135)', async () => {
    for (const url of ['postgres://u:tiger@127.0.0.1:1/db', 'mysql://u:tiger@127.0.0.1:1/db']) {
      const error = await createSqlServer({ url, timeoutMs: 3000 }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(String(error)).not.toContain('tiger')
    }
  })

  it.each([
    ['the database quotes a statement', 'syntax error at "hunter22"', 'hunter22', true, 'syntax error at "hunter22"'],
    [
      'the driver quotes the password',
      'cannot connect to u:hunter22@h',
      'hunter22',
      false,
      'cannot connect to u:•••@h',
    ],
    ['it is a word like any other', 'connect ECONNREFUSED', 'con', false, 'connect ECONNREFUSED'],
  ])('%s: a message confirms no guess of the password (attack B12, sec-259)', (_, message, secret, isAnswer, told) => {
    expect(messageOf(new Error(message), [secret], isAnswer)).toBe(told)
  })

  it('and every other option are read from a command line’s values', async () => {
    const ready = await entry.create({ url: `sqlite:${file}`, maxRows: 2, write: false, structured: true })
    opened.push(ready)
    const notes = await testClient(ready.server)
    opened.unshift(notes)
    const page = await notes.callTool('query', { sql: 'SELECT id FROM notes' })
    expect(page.structuredContent).toMatchObject({ rows: [[1], [2]], truncated: true })
    await expect(entry.create({ maxRows: -1 })).rejects.toThrow('maxRows')
  })
})

it('leaves nothing behind in the temporary folder', async () => {
  const ready = await createSqlServer({})
  const made = (await readdir(tmpdir())).filter((name) => name.startsWith('portico-sql-'))
  expect(made.length).toBeGreaterThan(0)
  await ready.close()
  await ready.close()
  expect(made.some((name) => !existsSync(join(tmpdir(), name)))).toBe(true)
})
