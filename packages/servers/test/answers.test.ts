/** What an answer and a list of tools weigh: the first thing that a model pays for. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntryValue, ReadyServer } from '../src/entry.ts'
import { loadEntry, type ServerName } from '../src/registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-answers-'))
const opened: { close(): Promise<unknown> }[] = []

beforeAll(() => {
  mkdirSync(join(folder, 'hundred'))
  for (let at = 0; at < 100; at++) writeFileSync(join(folder, 'hundred', `f${at}.txt`), 'x')
  writeFileSync(join(folder, 'a.md'), '# A\n\nwords')
  execFileSync('git', ['init', '-q', join(folder, 'repository')])
  writeFileSync(join(folder, 'books.graphql'), 'type Query { book(id: ID!): String }')
  writeFileSync(join(folder, 'many.json'), JSON.stringify(describeMany(900)))
})

afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
  rmSync(folder, { recursive: true, force: true })
})

function describeMany(count: number): object {
  const get = (at: number) => ({ operationId: `getThing${at}`, responses: { 200: { description: 'It' } } })
  return {
    openapi: '3.1.0',
    info: { title: 'Many', version: '1' },
    servers: [{ url: 'https://many.example' }],
    paths: Object.fromEntries(Array.from({ length: count }, (_, at) => [`/things/${at}`, { get: get(at) }])),
  }
}

async function start(name: ServerName, values: { readonly [option: string]: EntryValue } = {}): Promise<Client> {
  const given: { readonly [Name in ServerName]?: { readonly [option: string]: EntryValue } } = {
    files: { directories: [folder], allowUnasked: true },
    git: { repositories: [join(folder, 'repository')] },
    openapi: { description: join(folder, 'many.json') },
    graphql: { endpoint: 'https://books.example/graphql', schemaFile: join(folder, 'books.graphql') },
    knowledge: { directory: folder },
    memory: { file: join(folder, `${opened.length}.db`) },
  }
  const ready: ReadyServer = await (await loadEntry(name)).create({ ...given[name], ...values })
  const client = await connect(ready.server)
  opened.push(ready, client)
  return client
}

/** Bytes of each list before answers were said once; the floor is half of it. */
const BEFORE: readonly { readonly server: ServerName; readonly write: boolean; readonly bytes: number }[] = JSON.parse(
  readFileSync(new URL('fixtures/list-bytes.json', import.meta.url), 'utf8'),
)

/** What has come since then is not in those figures. */
const ADDED: ReadonlySet<string> = new Set([
  ...['change_fact', 'copy_file', 'append_file', 'replace_in_files'],
  ...['stashes', 'worktrees', 'restore', 'create_tag', 'fetch', 'pull', 'push'],
  ...['wait_for', 'hover', 'drag', 'resize', 'fill_form', 'answer_dialog', 'upload_file'],
])

describe('the list of tools', () => {
  it.each(BEFORE)('servers 11: of $server (write: $write) is at most half of $bytes bytes', async (before) => {
    const { server, write, bytes } = before
    const tools = await (await start(server, write ? { write } : {})).listTools()
    expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true)
    const those = tools.filter((tool) => !ADDED.has(tool.name))
    expect(JSON.stringify({ tools: those }).length).toBeLessThanOrEqual(bytes / 2)
    // With what has come since, a tool weighs at most half of what one did.
    expect(JSON.stringify({ tools }).length / tools.length).toBeLessThanOrEqual(bytes / 2 / those.length)
  })

  it.each(['files', 'memory', 'time', 'openapi', 'graphql'] as const)(
    'has schemas of results where %s is told to be structured',
    async (name) => {
      const client = await start(name, { structured: true })
      for (const tool of await client.listTools()) expect(tool.outputSchema, tool.name).toBeDefined()
    },
  )
})

describe('an answer', () => {
  const bytes = (result: object): number => JSON.stringify(result).length

  it('servers 11: is text alone, unless the operator asks for structure', async () => {
    const lean = await start('time')
    const plain = await lean.callTool('now', { zone: 'UTC' })
    expect(plain.structuredContent).toBeUndefined()
    expect(plain.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^iso: .*\nzone: UTC\n/) }])
    const both = await (await start('time', { structured: true })).callTool('now', { zone: 'UTC' })
    expect(both.structuredContent).toMatchObject({ zone: 'UTC' })
  })

  it('servers 11: of write, list and search is as short as that of the published server', async () => {
    const client = await start('files', { write: true })
    const written = await client.callTool('write_file', { path: 'new.txt', text: 'x'.repeat(1000) })
    expect(written.isError ?? false).toBe(false)
    // The other's answers to the same, as measured: 224, 2318 and, for names of this length, 100 paths twice.
    expect(bytes(written)).toBeLessThanOrEqual(224 * 1.2)
    expect(bytes(await client.callTool('list_directory', { path: 'hundred', details: false }))).toBeLessThanOrEqual(
      2318 * 1.2,
    )
    const path = join(folder, 'hundred', 'f99.txt').length
    expect(bytes(await client.callTool('search_files', { pattern: 'f*.txt' }))).toBeLessThanOrEqual(
      200 * (path + 2) * 1.2,
    )
    const large = await client.callTool('write_file', { path: 'new.txt', text: 'y\n'.repeat(50_000), overwrite: true })
    expect(JSON.stringify(large.content)).toContain('1 lines become 50001')
    expect(bytes(large)).toBeLessThan(400)
  })

  it('servers 11: of recall is as short as that of the published server', async () => {
    const client = await start('memory')
    const facts = Array.from({ length: 100 }, (_, n) => ({
      entity: `item ${n}`,
      fact: `fact number ${n}`,
      kind: 'thing',
    }))
    await client.callTool('remember', { facts })
    expect(bytes(await client.callTool('recall', { query: 'item 5' }))).toBeLessThanOrEqual(383 * 1.2)
  })

  it('servers 7: of a write of five million characters comes, with the id of its request', async () => {
    const client = await start('files', { write: true, maxWriteBytes: 8_388_608 })
    const written = await client.callTool('write_file', { path: 'large.txt', text: 'x'.repeat(5_000_000) })
    expect(JSON.stringify(written.content)).toContain('bytes: 5000000')
  })

  it('servers 11: of a part of a file says where to go on', async () => {
    const client = await start('files')
    writeFileSync(join(folder, 'lines.txt'), 'one\ntwo\nthree\n')
    const words = async (args: object) =>
      (await client.callTool('read_file', { path: 'lines.txt', ...args })).content.map(
        (block) => 'text' in block && block.text,
      )
    expect(await words({})).toEqual(['one\ntwo\nthree\n'])
    expect(await words({ lastLine: 2 })).toEqual(['one\ntwo\n', 'Lines 1 to 2. There is more: go on with firstLine 3.'])
    expect(await words({ firstLine: 3 })).toEqual(['three\n', 'Lines 3 to 3 of 3.'])
  })
})
