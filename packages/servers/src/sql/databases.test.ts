import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestClient, testClient } from '@portico/sdk/testing'
import sqlite from 'node-sqlite3-wasm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntryValue } from '../entry.ts'
import { entry } from './entry.ts'

let folder = ''
const opened: { close(): Promise<unknown> }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sql-several-'))
  for (const [name, sql] of [
    ['shop', "CREATE TABLE t (v); INSERT INTO t VALUES ('of shop')"],
    [
      'crm',
      "CREATE TABLE t (v); INSERT INTO t VALUES ('=1+2'), ('-5'), ('@x'), (-5), ('plain'), (char(9)||'=x'), (' =y'), ('＝1')",
    ],
    ['large', Array.from({ length: 101 }, (_, index) => `CREATE TABLE t${index} (v)`).join(';')],
  ] as const) {
    const db = new sqlite.Database(join(folder, `${name}.db`))
    db.exec(sql)
    db.close()
  }
})
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(values: { readonly [option: string]: EntryValue }): Promise<TestClient> {
  const ready = await entry.create({ structured: true, ...values })
  const client = await testClient(ready.server)
  opened.push(ready, client)
  return client
}

const url = (name: string): string => `sqlite:${join(folder, `${name}.db`)}`
const both = (): string[] => ['shop', 'crm'].map((name) => `${name}=${url(name)}`)
const rows = async (client: TestClient, args: object) => {
  const { structuredContent, content } = await client.callTool('query', { sql: 'SELECT v FROM t LIMIT 1', ...args })
  return structuredContent === undefined ? JSON.stringify(content) : JSON.stringify(structuredContent)
}

describe('servers: several databases in one server', () => {
  it('servers 24: take no page of each other, of another statement, or of another search (sec-136, sec-641)', async () => {
    const [one, other] = [
      await open({ databases: [...both(), `large=${url('large')}`] }),
      await open({ url: url('crm') }),
    ]
    const asked = { sql: 'SELECT v FROM t UNION ALL SELECT v FROM t', limit: 1 }
    const { structuredContent } = await one.callTool('query', { ...asked, database: 'shop' })
    const { nextCursor: cursor } = structuredContent as { nextCursor: string }
    expect(await rows(one, { ...asked, cursor, database: 'shop' })).toContain('of shop')
    for (const refused of [
      rows(one, { ...asked, cursor, database: 'crm' }),
      rows(other, { ...asked, cursor }),
      rows(one, { sql: 'SELECT v FROM t', cursor, database: 'shop' }),
    ])
      expect(await refused).toContain('another question')
    const listed = (await one.callTool('list_tables', { database: 'large' })).structuredContent
    const { nextCursor: ofLarge } = listed as { nextCursor: string }
    expect((await one.callTool('list_tables', { database: 'large', cursor: ofLarge })).structuredContent).toMatchObject(
      {
        tables: { length: 1 },
      },
    )
    for (const [database, search, used] of [
      ['shop', 't', cursor],
      ['shop', '', '100'],
      ['crm', '', ofLarge],
      ['large', 't', ofLarge],
    ] as const) {
      const { isError } = await one.callTool('list_tables', { database, search, cursor: used })
      expect(isError).toBe(true)
    }
  })

  it('are told apart by an argument, which only then exists', async () => {
    const several = await open({ databases: both() })
    expect(await rows(several, { database: 'shop' })).toContain('of shop')
    expect(await rows(several, { database: 'crm' })).toContain('=1+2')
    expect(await rows(several, {})).toContain('Say which database: shop, crm.')
    expect(await rows(several, { database: 'other' })).toMatch(/shop/)
    const tools = await several.listTools()
    for (const { name, inputSchema } of tools) expect(inputSchema.properties, name).toHaveProperty('database')
    const one = await (await open({ databases: [`only=${url('shop')}`] })).listTools()
    const plain = await (await open({ url: url('shop') })).listTools()
    expect(JSON.stringify(one)).toBe(JSON.stringify(plain))
    expect(JSON.stringify(plain)).not.toContain('"database"')
  })

  it('sec-579: have rights of their own, and what one may the other may not', async () => {
    const client = await open({ databases: both(), writable: ['shop'], allowUnasked: true })
    const insert = { sql: "INSERT INTO t VALUES ('more')" }
    expect((await client.callTool('execute', { ...insert, database: 'shop' })).isError ?? false).toBe(false)
    const refused = await client.callTool('execute', { ...insert, database: 'crm' })
    expect(JSON.stringify(refused)).toContain('can only be read')
    expect((await client.callTool('execute', insert)).isError).toBe(true)
    // Not even by the other's name: a database reaches no other.
    expect(await rows(client, { database: 'shop', sql: 'SELECT * FROM crm.t' })).toContain('no such table')
  })

  it('have addresses of their own, and only the one says nothing of names', async () => {
    const client = await open({ databases: both() })
    const { contents } = await client.readResource('sql://crm/table/t/csv')
    expect(JSON.stringify(contents)).toContain('=1+2')
    expect(JSON.stringify(await client.readResource('sql://shop/schema'))).toContain('`t`')
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['sql://shop/schema', 'sql://crm/table/t']))
    const asked = await client.getPrompt('ask_database', { question: 'how many', database: 'crm' })
    expect(JSON.stringify(asked)).toContain('sqlite database crm')
  })

  it.each<[string, { [option: string]: EntryValue }]>([
    ['each name once', { databases: ['a=sqlite:x', 'a=sqlite:y'] }],
    ['name=url', { databases: ['postgres://u:secret@host/db'] }],
    ['is not set', { databases: ['a=env:PORTICO_TEST_NOT_SET', 'b=sqlite:x'] }],
    ['no database of', { databases: ['a=sqlite:x', 'b=sqlite:y'], writable: ['c'] }],
    ['there are none', { writable: ['a'] }],
    ['is no name', { databases: ['a b=sqlite:x', 'c=sqlite:y'] }],
    ['either', { url: 'sqlite:x', databases: ['a=sqlite:x'] }],
  ])('says what is wrong: %s', async (words, values) => {
    const failed = await entry.create(values).catch((error: Error) => error.message)
    expect(failed).toContain(words)
    expect(failed).not.toContain('secret')
  })

  it('takes a url from a variable', async () => {
    process.env.PORTICO_TEST_SHOP = url('shop')
    const client = await open({ databases: ['a=env:PORTICO_TEST_SHOP', `b=${url('crm')}`] })
    expect(await rows(client, { database: 'a' })).toContain('of shop')
  })
})

describe('servers: CSV', () => {
  const lines = async (values: object): Promise<string[]> => {
    const { contents } = await (await open({ url: url('crm'), ...values })).readResource('sql://table/t/csv')
    const [content] = contents
    return content !== undefined && 'text' in content ? String(content.text).split('\r\n').slice(1, -1) : []
  }

  it('is as the table has it, unless formulas are to be made harmless; numbers stay numbers', async () => {
    expect(await lines({})).toEqual(['=1+2', '-5', '@x', '-5', 'plain', '\t=x', ' =y', '＝1'])
    expect(await lines({ escapeFormulas: true })).toEqual([
      "'=1+2",
      '-5',
      "'@x",
      '-5',
      'plain',
      "'\t=x",
      "' =y",
      "'＝1",
    ])
  })
})
