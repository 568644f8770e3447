/** The sql server before a real PostgreSQL and a real MariaDB: what it can do, and what it must not. */

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { testClient } from '@portico/sdk/testing'
import { createSqlServer, type SqlServerOptions } from '@portico/servers/sql'
import type { Trial } from '../support/suite.ts'
import { MARIADB_ATTACKS, MARIADB_ENDLESS, POSTGRES_ATTACKS, POSTGRES_ENDLESS } from './database-attacks.ts'
import { missingMariadb, startMariadb } from './mariadb-engine.ts'
import { startPostgres } from './postgres-engine.ts'

interface Database {
  readonly reader: string
  readonly writer: string
  readonly folder: string
  ask(sql: string): Promise<unknown[][]>
  stop(): Promise<void>
}

type Client = Awaited<ReturnType<typeof testClient>>
interface Rows {
  readonly columns: readonly { readonly name: string; readonly type?: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly truncated: boolean
  readonly nextCursor?: string
}

/** Each trial has the whole database for itself; to start one takes about two seconds. */
function onPostgres(name: string, run: (engine: Awaited<ReturnType<typeof startPostgres>>) => Promise<void>): Trial {
  return { name: `postgresql: ${name}`, run: () => withEngine(startPostgres, run) }
}

function onMariadb(name: string, run: (engine: Awaited<ReturnType<typeof startMariadb>>) => Promise<void>): Trial {
  return { name: `mariadb: ${name}`, missing: missingMariadb, run: () => withEngine(startMariadb, run) }
}

export const databaseTrials: readonly Trial[] = [
  onPostgres('asks, pages, describes, explains', async (engine) => {
    await withClient({ url: engine.reader, maxRows: 120 }, async (client) => {
      await reads(client, 'SELECT id, title FROM notes WHERE id > $1 ORDER BY id')
      const types = await query(
        client,
        `SELECT 1::bigint AS a, 1.5::float8 AS b, true AS c, NULL AS d, '2020-01-02'::date AS e,
        '{"x":1}'::jsonb AS f, 12345678901234567890::numeric AS g, '\\x00ff'::bytea AS h, 1 AS a, ARRAY[1,2] AS i`,
      )
      assert.deepEqual(types.rows, [
        [1, 1.5, true, null, '2020-01-02', '{"x": 1}', '12345678901234567890', '\\x00ff', 1, '{1,2}'],
      ])
      const tables = await call(client, 'list_tables', {})
      assert.deepEqual(
        (tables.structuredContent as { tables: { table: string }[] }).tables.map(({ table }) => table),
        ['public.notes', 'public.tags'],
      )
      const described = JSON.stringify(await call(client, 'describe_table', { table: 'tags' }))
      for (const part of ['note_id', 'FOREIGN KEY (note_id) REFERENCES notes(id)', 'tags_pkey'])
        assert.ok(described.includes(part), described)
      const plan = JSON.stringify(
        await call(client, 'explain', { sql: 'SELECT * FROM notes WHERE id = $1', params: [3] }),
      )
      assert.match(plan, /Index Scan|Seq Scan|Bitmap/)
    })
  }),
  onPostgres('changes nothing by any statement that only looks like reading', (engine) =>
    holds(
      engine,
      POSTGRES_ATTACKS,
      'SELECT count(*), (SELECT last_value FROM counter), (SELECT count(*) FROM pg_class) FROM notes',
    ),
  ),
  onPostgres('ends what runs too long, and goes on', (engine) =>
    ends(
      engine,
      POSTGRES_ENDLESS,
      `SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'`,
    ),
  ),
  onPostgres('leaves nothing of one statement in the session of the next', async (engine) => {
    await withClient({ url: engine.reader }, async (client) => {
      await query(client, 'SELECT setseed(0.5)')
      assert.deepEqual((await query(client, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).rows, [[0]])
      assert.deepEqual((await query(client, 'SELECT count(*) FROM notes')).rows, [[500]])
    })
  }),
  onPostgres('takes every form of a question, with comments and semicolons around it', async (engine) => {
    await withClient({ url: engine.reader, maxRows: 3 }, async (client) => {
      for (const [sql, first] of [
        ['SELECT 1 AS a, 2 AS a; -- and no more', [1, 2]],
        ['SELECT 3 -- nothing follows', [3]],
        ['VALUES (4), (5)', [4]],
        ['TABLE tags', undefined],
        ['(SELECT 6) UNION ALL (SELECT 7) ORDER BY 1 DESC', [7]],
        ['WITH RECURSIVE c(x) AS (SELECT 8 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c', [8]],
        ['SELECT pg_sleep(0), ROW(1, 2)', ['', '(1,2)']],
      ] as const)
        assert.deepEqual((await query(client, sql)).rows[0], first, sql)
    })
  }),
  onPostgres('ends a page where it is full, and reads on from there', async (engine) => {
    await withClient({ url: engine.reader, maxRows: 200, maxCellBytes: 100_000 }, async (client) => {
      // Little, and more than is worth waiting for, comes after the page.
      for (const size of [2_000, 60_000]) {
        const sql = `SELECT i, repeat('x', ${size}) FROM generate_series(1, 190) AS i`
        const numbers: unknown[] = []
        let cursor: string | undefined
        do {
          const page = await query(client, sql, [], cursor)
          numbers.push(...page.rows.map(([number]) => number))
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepEqual(
          numbers,
          Array.from({ length: 190 }, (_, at) => at + 1),
        )
      }
    })
  }),
  onPostgres('servers 21: cuts a value that is larger than memory should hold, and names the limit', async (engine) => {
    await withClient({ url: engine.reader }, async (client) => {
      const result = await client.callTool('query', { sql: "SELECT repeat('x', 300000000)" })
      assert.equal(result.isError, true)
      assert.match(JSON.stringify(result.content), /more than 67108864 bytes/)
      assert.deepEqual((await query(client, 'SELECT 1')).rows, [[1]])
    })
  }),
  onPostgres('refuses a superuser until told otherwise, and fails without repeating the password', async (engine) => {
    await assert.rejects(createSqlServer({ url: engine.superuser }), /allowPowerfulRole/)
    await withClient({ url: engine.superuser, allowPowerfulRole: true }, async (client) => {
      assert.deepEqual((await query(client, 'SELECT 1')).rows, [[1]])
    })
    const error = await createSqlServer({ url: engine.reader.replace(/\d+\/postgres$/, '1/postgres') }).catch(String)
    assert.ok(!/horse|staple/.test(String(error)), String(error))
  }),
  onPostgres('sec-235: refuses a role that could become a powerful one (servers 4, servers 9)', async (engine) => {
    for (const [name, sql] of [
      ['sneak', 'GRANT postgres TO sneak'],
      ['distant', 'CREATE ROLE between NOLOGIN; GRANT postgres TO between; GRANT between TO distant'],
      ['copier', 'ALTER ROLE copier REPLICATION'],
      ['killer', 'GRANT pg_signal_backend TO killer'],
      ['maker', 'ALTER ROLE maker CREATEROLE'],
      ['"odd@name"', 'GRANT pg_read_server_files TO "odd@name"'],
    ] as const) {
      await engine.ask(`CREATE ROLE ${name} LOGIN NOINHERIT`)
      for (const one of sql.split('; ')) await engine.ask(one)
      const url = engine.reader.replace('reader', encodeURIComponent(name.replaceAll('"', '')))
      await assert.rejects(createSqlServer({ url }), /allowPowerfulRole/, name)
    }
  }),
  onPostgres('writes in one transaction after a yes', (engine) => writes(engine, '$1')),

  onMariadb('asks, pages, describes, explains', async (engine) => {
    await withClient({ url: engine.reader, maxRows: 120 }, async (client) => {
      await reads(client, 'SELECT id, title FROM notes WHERE id > ? ORDER BY id')
      const types = await query(
        client,
        `SELECT CAST(1 AS SIGNED) AS a, 1.5e0 AS b, NULL AS d, DATE '2020-01-02' AS e,
        18446744073709551615 AS g, x'00ff' AS h, 1 AS a`,
      )
      assert.deepEqual(types.rows, [[1, 1.5, null, '2020-01-02', '18446744073709551615', '0x00ff', 1]])
      const limited = await client.callTool('query', { sql: 'SELECT id FROM notes ORDER BY id LIMIT ?', params: [3] })
      assert.equal((limited.structuredContent as Rows | undefined)?.rows.length, 3, JSON.stringify(limited))
      const described = JSON.stringify(await call(client, 'describe_table', { table: 'tags' }))
      for (const part of ['note_id', 'references notes (id)', 'PRIMARY unique'])
        assert.ok(described.includes(part), described)
      const plan = await call(client, 'explain', { sql: 'SELECT * FROM notes WHERE id = ?', params: [3] })
      assert.match(JSON.stringify(plan), /query_block/)
      for (const [sql, words] of [
        ['SHOW TABLES', '["notes"]'],
        ["SHOW COLUMNS FROM tags LIKE 'note%'", '["note_id","int'],
        ['SHOW CREATE TABLE tags', 'CREATE TABLE `tags`'],
      ] as const) {
        const shown = JSON.stringify((await query(client, sql)).rows)
        assert.ok(shown.includes(words), `${sql}: ${shown}`)
      }
    })
  }),
  onMariadb('changes nothing by any statement that only looks like reading', (engine) =>
    holds(
      engine,
      MARIADB_ATTACKS,
      'SELECT (SELECT COUNT(*) FROM lab.notes), (SELECT COUNT(*) FROM lab.old), (SELECT COUNT(*) FROM information_schema.TABLES), @@GLOBAL.general_log',
    ),
  ),
  onMariadb('ends what runs too long, and goes on', (engine) =>
    ends(
      engine,
      MARIADB_ENDLESS,
      "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND COMMAND IN ('Query', 'Execute')",
    ),
  ),
  onMariadb('leaves nothing of one statement in the session of the next', async (engine) => {
    await withClient({ url: engine.reader }, async (client) => {
      await query(client, "SELECT GET_LOCK('mine', 0)")
      await query(client, 'SELECT @left := 7')
      assert.deepEqual((await query(client, "SELECT IS_USED_LOCK('mine'), @left")).rows, [[null, null]])
    })
  }),
  onMariadb('refuses an account that can reach files, and a wrong password without repeating it', async (engine) => {
    await assert.rejects(createSqlServer({ url: engine.powerful }), /ALL PRIVILEGES.*allowPowerfulRole/s)
    const error = await createSqlServer({ url: engine.reader.replace('horse', 'tiger') }).catch(String)
    assert.match(String(error), /denied/)
    assert.ok(!/tiger|staple/.test(String(error)), String(error))
  }),
  onMariadb(
    'sec-235: refuses an account that is powerful through a role or has an odd name (servers 3)',
    async (engine) => {
      const password = "IDENTIFIED BY 'horse battery staple'"
      for (const [name, sql] of [
        [
          'roled',
          "CREATE ROLE filer; GRANT FILE ON *.* TO filer; GRANT filer TO 'roled'@'%'; SET DEFAULT ROLE filer FOR 'roled'@'%'",
        ],
        ['distant', "CREATE ROLE middle; GRANT filer TO middle; GRANT middle TO 'distant'@'%'"],
        ['ad@min', "GRANT ALL ON *.* TO 'ad@min'@'%'"],
      ] as const) {
        await engine.ask(`CREATE USER '${name}'@'%' ${password}`)
        await engine.ask(`GRANT SELECT ON lab.* TO '${name}'@'%'`)
        for (const one of sql.split('; ')) await engine.ask(one)
        const url = engine.reader.replace('reader', encodeURIComponent(name))
        await assert.rejects(createSqlServer({ url }), /allowPowerfulRole/, name)
      }
    },
  ),
  onMariadb('writes in one transaction after a yes', (engine) => writes(engine, '?')),
]

async function reads(client: Client, sql: string): Promise<void> {
  const titles: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await query(client, sql, [100], cursor)
    titles.push(...page.rows.map(([, title]) => title))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  assert.equal(titles.length, 400)
  assert.equal(titles.at(-1), 'note 500')
}

async function holds(engine: Database, attacks: readonly string[], state: string): Promise<void> {
  const before = await engine.ask(state)
  const files = readdirSync(engine.folder)
  await withClient({ url: engine.reader, timeoutMs: 3000 }, async (client) => {
    for (const attack of attacks) {
      const sql = attack.replaceAll('FOLDER', engine.folder)
      for (const name of ['query', 'explain']) {
        const result = await client.callTool(name, { sql })
        // To explain a question is no attack, and says nothing of the rows.
        if (name === 'query') assert.equal(result.isError, true, `${sql} was run: ${JSON.stringify(result.content)}`)
      }
      assert.deepEqual(await engine.ask(state), before, `${sql} changed something`)
      assert.ok(!existsSync(`${engine.folder}/pwned`), `${sql} wrote a file`)
    }
    assert.deepEqual((await query(client, 'SELECT count(*) FROM notes')).rows, [[500]])
  })
  assert.deepEqual(readdirSync(engine.folder), files)
}

async function ends(engine: Database, endless: readonly string[], running: string): Promise<void> {
  await withClient({ url: engine.reader, timeoutMs: 800 }, async (client) => {
    for (const sql of endless) {
      const start = Date.now()
      const result = await client.callTool('query', { sql })
      const took = Date.now() - start
      assert.ok(took < 6000, `${sql} took ${took} ms`)
      assert.equal(result.isError, true, `${sql} gave ${JSON.stringify(result.content)}`)
      assert.deepEqual((await query(client, 'SELECT 1')).rows, [[1]])
    }
    const abort = new AbortController()
    const call = client.callTool('query', { sql: endless[0] }, { signal: abort.signal })
    setTimeout(() => abort.abort(), 100)
    await assert.rejects(call)
  })
  const deadline = Date.now() + 5000
  while (Number((await engine.ask(running))[0]?.[0]) > 0) {
    assert.ok(Date.now() < deadline, 'the database still runs an ended statement')
  }
}

async function writes(engine: Database, placeholder: string): Promise<void> {
  const ready = await createSqlServer({ url: engine.writer, write: true, structured: true })
  try {
    for (const version of ['2025-06-18', '2026-07-28'] as const) {
      const client = await testClient(ready.server, {
        version,
        answers: { elicit: [{ confirm: true }, 'decline', { confirm: true }] },
      })
      const sql = `INSERT INTO notes (title) VALUES (${placeholder})`
      const done = await client.callTool('execute', { sql, params: [version] })
      assert.deepEqual(done.structuredContent, { affected: 1 })
      assert.equal((await client.callTool('execute', { sql, params: ['no'] })).isError, true)
      assert.equal((await client.callTool('execute', { sql, params: [null] })).isError, true)
      assert.equal((await client.callTool('query', { sql: 'DELETE FROM notes' })).isError, true)
      client.verifyScript()
      await client.close()
    }
    assert.equal(
      Number((await engine.ask(`SELECT count(*) FROM ${placeholder === '?' ? 'lab.' : ''}notes`))[0]?.[0]),
      502,
    )
  } finally {
    await ready.close()
  }
}

const PATIENCE_MS = 180_000

async function withClient(options: SqlServerOptions, action: (client: Client) => Promise<void>): Promise<void> {
  // Long enough for a busy machine.
  const ready = await createSqlServer({ structured: true, timeoutMs: PATIENCE_MS, ...options })
  const client = await testClient(ready.server, { connect: { timeouts: { callMs: PATIENCE_MS } } })
  try {
    await action(client)
  } finally {
    await client.close()
    await ready.close()
  }
}

async function withEngine<E extends Database>(
  start: () => Promise<E>,
  action: (engine: E) => Promise<void>,
): Promise<void> {
  const engine = await start()
  try {
    await action(engine)
  } finally {
    await engine.stop()
  }
}

async function call(client: Client, name: string, args: { [name: string]: unknown }) {
  const result = await client.callTool(name, args)
  assert.ok(result.isError !== true, JSON.stringify(result.content))
  return result
}

async function query(client: Client, sql: string, params: unknown[] = [], cursor?: string): Promise<Rows> {
  const result = await call(client, 'query', { sql, params, ...(cursor !== undefined && { cursor }) })
  // The tool's output schema says so.
  return result.structuredContent as Rows
}
