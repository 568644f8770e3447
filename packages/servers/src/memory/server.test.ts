import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { lintServer } from '@portico/sdk/lint'
import { createPrincipal } from '@portico/sdk/server'
import { type TestClient, type TestOptions, testClient } from '@portico/sdk/testing'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataFolder } from './data-folder.ts'
import { MemoryFile } from './database.ts'
import { entry } from './entry.ts'
import { MEMORY_LIMITS } from './limits.ts'
import { createMemoryServer, type MemoryServerOptions } from './server.ts'
import { MemoryStore } from './store.ts'

const ADA = createPrincipal('ada')
const BOB = createPrincipal('bob')

let folder = ''
let file = ''
const opened: { close(): Promise<unknown> }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-test-'))
  file = join(folder, 'memory.db')
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options: MemoryServerOptions = {}) {
  const ready = await createMemoryServer({ file, structured: true, ...options })
  opened.push(ready)
  return ready
}

async function clientOf(ready: Awaited<ReturnType<typeof open>>, options: TestOptions = {}): Promise<TestClient> {
  const client = await testClient(ready.server, options)
  opened.unshift(client)
  return client
}

async function call(client: TestClient, name: string, args: { [name: string]: unknown } = {}) {
  const result = await client.callTool(name, args)
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
  return result.structuredContent as { [member: string]: unknown }
}

const textOf = (result: { content: unknown }): string => JSON.stringify(result.content)

describe('what is remembered', () => {
  it('is something that can be read: blanks are no fact, no relation and no name', async () => {
    const client = await clientOf(await open({ allowUnasked: true }))
    const { fact_id } = await call(client, 'remember', { entity: 'Ada', fact: 'Likes tea' })
    for (const [name, args] of [
      ['remember', { entity: 'Ada', fact: '   ' }],
      ['remember', { facts: [{ entity: 'Ada', fact: '\u200B\t\u200B' }] }],
      ['remember', { entity: ' \u00AD ', fact: 'f' }],
      ['change_fact', { entity: 'Ada', fact_id, fact: ' ' }],
      ['relate', { from: 'Ada', relation: ' \n ', to: 'Bo' }],
    ] as const) {
      const refused = await client.callTool(name, args)
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('nothing but blanks')])
    }
    expect(await call(client, 'list_entities')).toEqual({ entities: [{ name: 'Ada', kind: '', facts: 1 }] })
  })

  it('is listed to its end, however long names become when they are compared', async () => {
    const client = await clientOf(await open())
    const long = Array.from({ length: 3 }, (_, at) => `${'\uFDFA'.repeat(199)}${at}`)
    const short = Array.from({ length: 98 }, (_, at) => `a${at}`)
    for (const names of [short, long]) {
      await call(client, 'remember', { facts: names.map((entity) => ({ entity, fact: 'f' })) })
    }
    const first = await call(client, 'list_entities')
    const second = await call(client, 'list_entities', { cursor: first.nextCursor })
    const names = [first, second].flatMap(({ entities }) => (entities as { name: string }[]).map(({ name }) => name))
    expect(names.sort()).toEqual([...short, ...long].sort())
  })

  it('outlives the server, and is found by words and through relations', async () => {
    const first = await open()
    const client = await clientOf(first)
    await call(client, 'remember', { entity: 'Ada', fact: 'Likes lighthouses', kind: 'person', source: 'herself' })
    await call(client, 'remember', { entity: 'Lighthouse Ltd', fact: 'Builds lamps in Évora' })
    await call(client, 'relate', { from: 'ADA', relation: 'works at', to: 'lighthouse ltd' })
    await client.close()
    await first.close()

    const again = await clientOf(await open())
    const byAccent = await call(again, 'recall', { query: 'evora' })
    expect(byAccent).toMatchObject({
      found: [{ name: 'Lighthouse Ltd', facts: [{ text: 'Builds lamps in Évora' }] }],
      neighbours: [{ name: 'Ada', kind: 'person', facts: [{ text: 'Likes lighthouses', source: 'herself' }] }],
    })
    const byPrefix = await call(again, 'recall', { query: 'lighth' })
    expect((byPrefix.found as unknown[]).length).toBe(2)
  })

  it('is kept once, however often it is said', async () => {
    const client = await clientOf(await open())
    const first = await call(client, 'remember', { entity: 'Ada', fact: 'Is tall' })
    const second = await call(client, 'remember', { entity: ' ada ', fact: 'Is tall ' })
    expect(second).toEqual({ ...first, was_known: true })
  })

  it('servers 24: a NUL is refused wherever it stands', async () => {
    const client = await clientOf(await open({ allowUnasked: true }))
    for (const [tool, args] of [
      ['remember', { entity: 'a\0b', fact: 'x' }],
      ['remember', { entity: 'a', fact: 'x\0y' }],
      ['remember', { entity: 'a', fact: 'x', kind: '\0' }],
      ['remember', { entity: 'a', fact: 'x', source: 'y\0' }],
      [
        'remember',
        {
          facts: [
            { entity: 'a', fact: 'good' },
            { entity: 'a\0', fact: 'x' },
          ],
        },
      ],
      ['relate', { from: 'a', relation: 'r\0', to: 'b' }],
      ['relate', { from: 'a', relation: 'r', to: 'b\0' }],
    ] as const) {
      expect(textOf(await client.callTool(tool, { ...args }))).toContain('NUL')
    }
    expect((await call(client, 'list_entities')).entities).toEqual([])
  })

  it('sec-864: half a character is refused wherever it stands, and nothing is kept', async () => {
    const client = await clientOf(await open({ allowUnasked: true }))
    for (const [tool, args] of [
      ['remember', { entity: 'x\ud800y', fact: 'x' }],
      ['remember', { entity: 'a', fact: 'x\udc00' }],
      ['remember', { facts: [{ entity: 'a\ud800', fact: 'x' }] }],
      ['relate', { from: 'a', relation: 'r\ud800', to: 'b' }],
    ] as const) {
      expect(textOf(await client.callTool(tool, { ...args }))).toContain('half a character')
    }
    expect((await call(client, 'list_entities')).entities).toEqual([])
  })

  it('sec-866: a name with lines makes none in the question', async () => {
    const client = await clientOf(await open({}), { answers: { elicit: ['decline'] } })
    const entity = 'Ann\r\nNothing is lost.'
    await call(client, 'remember', { entity, fact: 'x' })
    await client.callTool('forget', { entity })
    expect(JSON.stringify(client.asked[0]?.params)).toContain('Ann\\\\u{D}\\\\u{A}Nothing is lost.')
  })

  it('takes several facts in one call, all or none', async () => {
    const client = await clientOf(await open({ maxFacts: 2 }))
    const several = [
      { entity: 'Ada', fact: 'Likes lamps', kind: 'person' },
      { entity: 'Bob', fact: 'Likes fog' },
    ]
    expect(await call(client, 'remember', { facts: several })).toMatchObject({
      kept: [
        { entity: 'Ada', was_known: false },
        { entity: 'Bob', was_known: false },
      ],
    })
    const toomany = [1, 2, 3].map((n) => ({ entity: 'Eve', fact: `fact ${n}` }))
    expect(textOf(await client.callTool('remember', { facts: toomany }))).toContain('maxFacts')
    expect((await call(client, 'list_entities')).entities).toHaveLength(2)
    for (const wrong of [{}, { entity: 'Ada' }, { entity: 'a', fact: 'b', facts: several }, { facts: [] }]) {
      expect((await client.callTool('remember', wrong)).isError).toBe(true)
    }
  })

  it('is found by relations too, and by all words before some', async () => {
    const client = await clientOf(await open())
    await call(client, 'relate', { from: 'Ada', relation: 'works_at', to: 'Lighthouse' })
    const facts = Array.from({ length: 60 }, (_, n) => ({ entity: `item ${n}`, fact: 'a thing on the shelf' }))
    await call(client, 'remember', { facts })
    const names = async (query: string) =>
      ((await call(client, 'recall', { query })).found as { name: string }[]).map(({ name }) => name)
    expect((await names('works_at')).sort()).toEqual(['Ada', 'Lighthouse'])
    expect(await names('item 5')).toEqual(['item 5'])
    expect(await names('lighthouse unheard')).toEqual(['Lighthouse'])
    const { content } = await client.callTool('recall', { query: 'works' })
    expect(JSON.stringify(content)).toContain('Ada works_at Lighthouse [relation 1]')
  })

  it('is put right after the user agreed, and found by its new words alone', async () => {
    const client = await clientOf(await open(), { answers: { elicit: ['decline', { confirm: true }] } })
    const { fact_id: id } = await call(client, 'remember', { entity: 'Ada', fact: 'Likes fog' })
    const change = { entity: 'ada', fact_id: id, fact: 'Likes sun' }
    expect((await client.callTool('change_fact', change)).isError).toBe(true)
    expect(await call(client, 'change_fact', change)).toMatchObject({ entity: 'Ada', before: 'Likes fog' })
    expect(JSON.stringify(client.asked[0]?.params)).toContain('from “Likes fog” to “Likes sun”')
    expect((await call(client, 'recall', { query: 'fog' })).found).toEqual([])
    expect((await call(client, 'recall', { query: 'sun' })).found).toHaveLength(1)
    expect((await client.callTool('change_fact', { ...change, entity: 'Bob' })).isError).toBe(true)
  })

  it('comes in pages, by name and whole', async () => {
    const client = await clientOf(await open())
    for (let i = 0; i < 120; i++) {
      await call(client, 'remember', {
        entity: `thing ${String(i).padStart(3, '0')}`,
        fact: 'x',
        kind: i % 2 ? 'odd' : 'even',
      })
    }
    const first = await call(client, 'list_entities')
    expect((first.entities as unknown[]).length).toBe(100)
    const second = await call(client, 'list_entities', { cursor: first.nextCursor })
    expect(second).toMatchObject({ entities: { length: 20 } })
    expect(second.nextCursor).toBeUndefined()
    const odd = await call(client, 'list_entities', { kind: 'odd' })
    expect((odd.entities as unknown[]).length).toBe(60)
    const mixed = await client.callTool('list_entities', { kind: 'odd', cursor: first.nextCursor })
    expect(JSON.stringify(mixed.content), 'sec-702').toContain('another question')
    let exported = 0
    let cursor: unknown
    do {
      const page = await call(client, 'export', cursor === undefined ? {} : { cursor })
      exported += (page.entities as unknown[]).length
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(exported).toBe(120)
    for (const bad of ['', '$$$', 'eA']) expect((await client.callTool('export', { cursor: bad })).isError).toBe(true)
  })

  it('is a resource with completion and notices of change, on both eras', async () => {
    const ready = await open()
    for (const version of ['2025-06-18', '2026-07-28'] as const) {
      const client = await clientOf(ready, { version })
      const { uri } = await call(client, 'remember', { entity: 'A/b (c) é', fact: `seen on ${version}` })
      expect((await client.listResources()).map((one) => one.uri)).toContain(uri)
      expect(JSON.stringify(await client.readResource(String(uri)))).toContain(`seen on ${version}`)
      const told = new Promise<void>(
        (resolve) =>
          void client
            .subscribe(String(uri), () => resolve())
            .then(async () => {
              await call(client, 'remember', { entity: 'A/b (c) é', fact: `again on ${version}` })
            }),
      )
      await told
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'memory://entity/{name}{?of}' },
        argument: { name: 'name', value: 'a/' },
      })
      expect(completion.values).toEqual(['A/b (c) é'])
      await expect(client.readResource('memory://entity/nobody')).rejects.toThrow()
    }
    const client = await clientOf(ready)
    const asked = await client.getPrompt('what_do_you_know', { about: 'a/B (C) é' })
    expect(JSON.stringify(asked)).toContain('seen on 2025-06-18')
  })

  it('may hold anything a person writes, and shows what cannot be seen (sec-122, sec-125)', async () => {
    const client = await clientOf(await open())
    const odd = ['" OR 1=1 --', 'NEAR(a b)', '__proto__', '*', '%', "'; DROP TABLE facts; --", '\u202Eevil', '🦀']
    for (const name of odd) await call(client, 'remember', { entity: name, fact: `fact of ${name}` })
    for (const name of odd) {
      const { uri } = await call(client, 'remember', { entity: name, fact: 'more' })
      expect(JSON.stringify(await client.readResource(String(uri)))).toContain('more')
      expect((await client.callTool('recall', { query: name })).isError).not.toBe(true)
    }
    const listed = JSON.stringify(await call(client, 'list_entities'))
    expect(listed).toContain('u{202E}evil')
    expect(listed).not.toContain('\u202E')
  })
})

describe('two users', () => {
  it('never see each other’s: not by search, list, resource, completion, prompt or export (sec-123, sec-134)', async () => {
    const ready = await open()
    const [ada, bob, local] = [
      await clientOf(ready, { principal: ADA }),
      await clientOf(ready, { principal: BOB }),
      await clientOf(ready),
    ]
    const { uri } = await call(ada, 'remember', { entity: 'Secret garden', fact: 'Behind the wall' })
    await call(ada, 'relate', { from: 'Secret garden', relation: 'belongs to', to: 'Ada' })
    for (const other of [bob, local]) {
      expect(await call(other, 'recall', { query: 'secret garden wall' })).toEqual({ found: [], neighbours: [] })
      expect(await call(other, 'list_entities')).toEqual({ entities: [] })
      expect(await call(other, 'export')).toEqual({ entities: [] })
      expect(await other.listResources()).toEqual([])
      await expect(other.readResource(String(uri))).rejects.toThrow()
      await expect(other.readResource('memory://entity/Secret%20garden')).rejects.toThrow()
      const ref = { type: 'ref/resource', uri: 'memory://entity/{name}{?of}' } as const
      expect((await other.complete({ ref, argument: { name: 'name', value: 's' } })).completion.values).toEqual([])
      expect(JSON.stringify(await other.getPrompt('what_do_you_know', { about: 'Secret garden' }))).toContain(
        'Nothing.',
      )
      expect((await other.callTool('forget', { entity: 'Secret garden' })).isError).toBe(true)
    }
    expect(JSON.stringify(await ada.readResource(String(uri)))).toContain('Behind the wall')
  })

  it('hear nothing of each other’s changes, even under the same name', async () => {
    const ready = await open()
    const ada = await clientOf(ready, { principal: ADA })
    const bob = await clientOf(ready, { principal: BOB })
    const of = async (client: TestClient) =>
      String((await call(client, 'remember', { entity: 'Plan', fact: 'one' })).uri)
    const [adas, bobs] = [await of(ada), await of(bob)]
    expect(adas).not.toBe(bobs)
    const heard: string[] = []
    await bob.subscribe('memory://entity/Plan', () => heard.push('plain'))
    const own = new Promise<void>((resolve) => {
      void bob
        .subscribe(bobs, () => {
          heard.push('own')
          resolve()
        })
        .then(async () => {
          await call(ada, 'remember', { entity: 'Plan', fact: 'two' })
          await call(bob, 'remember', { entity: 'Plan', fact: 'three' })
        })
    })
    await own
    expect(heard).toEqual(['own'])
  })

  it('may not be mistaken for the local user by a name', async () => {
    const ready = await open()
    const sly = await clientOf(ready, { principal: createPrincipal('local') })
    await call(await clientOf(ready), 'remember', { entity: 'Mine', fact: 'x' })
    expect(await call(sly, 'list_entities')).toEqual({ entities: [] })
  })
})

describe('forgetting', () => {
  it.each(['2025-06-18', '2026-07-28'] as const)('asks first, and says what would be lost (%s)', async (version) => {
    const ready = await open()
    const answers = { elicit: ['decline', { confirm: false }, { confirm: true }, { confirm: true }] } as const
    const client = await clientOf(ready, { version, answers })
    const { fact_id } = await call(client, 'remember', { entity: 'Ada', fact: 'Is tall' })
    await call(client, 'remember', { entity: 'Ada', fact: 'Is kind' })
    expect((await client.callTool('forget', { entity: 'Ada' })).isError).toBe(true)
    expect((await client.callTool('forget', { entity: 'Ada' })).isError).toBe(true)
    expect(await call(client, 'forget', { entity: 'ada', fact_id })).toEqual({ forgotten: 'about Ada: “Is tall”' })
    expect((await call(client, 'recall', { query: 'tall' })).found).toEqual([])
    await call(client, 'forget', { entity: 'Ada' })
    expect(await call(client, 'list_entities')).toEqual({ entities: [] })
    expect(await call(client, 'recall', { query: 'kind' })).toEqual({ found: [], neighbours: [] })
    expect(client.asked[0]?.params).toMatchObject({ message: 'Forget Ada, with 2 facts and 0 relations?' })
    client.verifyScript()
  })

  it('is refused where nobody can be asked, unless allowed by name', async () => {
    const client = await clientOf(await open())
    await call(client, 'remember', { entity: 'Ada', fact: 'Is tall' })
    expect(textOf(await client.callTool('forget', { entity: 'Ada' }))).toContain('allowUnasked')
    const free = await clientOf(await open({ allowUnasked: true }))
    await call(free, 'forget', { entity: 'Ada' })
  })
})

describe('bounds', () => {
  it('name the option that moves them', async () => {
    const client = await clientOf(await open({ maxEntities: 2, maxFacts: 2, maxRelations: 1, maxFactLength: 20 }))
    await call(client, 'remember', { entity: 'a', fact: '1' })
    await call(client, 'remember', { entity: 'a', fact: '2' })
    expect(textOf(await client.callTool('remember', { entity: 'a', fact: '3' }))).toContain('maxFacts')
    await call(client, 'relate', { from: 'a', relation: 'r', to: 'b' })
    expect(textOf(await client.callTool('remember', { entity: 'c', fact: '1' }))).toContain('maxEntities')
    expect(textOf(await client.callTool('relate', { from: 'b', relation: 'r', to: 'a' }))).toContain('maxRelations')
    expect((await client.callTool('remember', { entity: 'b', fact: 'x'.repeat(21) })).isError).toBe(true)
    expect((await call(client, 'list_entities')).entities).toHaveLength(2)
  })

  it('hold for one user, not for all together', async () => {
    const ready = await open({ maxEntities: 1 })
    await call(await clientOf(ready, { principal: ADA }), 'remember', { entity: 'a', fact: '1' })
    await call(await clientOf(ready, { principal: BOB }), 'remember', { entity: 'b', fact: '1' })
  })
})

describe('the file', () => {
  it('is for its owner alone, and shared between processes', async () => {
    const one = await clientOf(await open())
    const two = await clientOf(await open())
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => call(i % 2 ? one : two, 'remember', { entity: `e${i}`, fact: 'x' })),
    )
    expect((await call(one, 'list_entities')).entities).toHaveLength(20)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o077).toBe(0)
  })

  it('servers 2: is locked as every program with SQLite locks it, and read while another library has it open', async () => {
    const client = await clientOf(await open())
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    let isKept = false
    const kept = call(client, 'remember', { entity: 'a', fact: '1' }).then(() => {
      isKept = true
    })
    expect((await call(client, 'list_entities')).entities).toEqual([])
    expect(isKept).toBe(false)
    other.exec("UPDATE entities SET kind = 'theirs'; COMMIT")
    await kept
    expect(other.prepare('SELECT count(*) AS n FROM facts').get()).toMatchObject({ n: 1 })
    other.close()
  })

  it('makes no folder for a path that leads nowhere, and leaves a file alone that is no database', async () => {
    const nowhere = join(folder, 'no', 'such', 'memory.db')
    await expect(createMemoryServer({ file: nowhere })).rejects.toThrow(`There is no folder ${dirname(nowhere)}`)
    expect(existsSync(join(folder, 'no'))).toBe(false)
    const other = join(folder, 'notes.txt')
    for (const text of ['These are notes, not a database at all.', 'x']) {
      writeFileSync(other, text, { mode: 0o644 })
      await expect(createMemoryServer({ file: other })).rejects.toThrow(`${other} is no SQLite database`)
      expect([readFileSync(other, 'utf8'), statSync(other).mode & 0o777]).toEqual([text, 0o644])
    }
    await expect(createMemoryServer({ file: folder })).rejects.toThrow('is no SQLite database')
  })

  it('servers 23: says in plain words that the disk is full, and loses nothing', async () => {
    const opened = await MemoryFile.open(file)
    await opened.transaction((db) => void db.all('PRAGMA max_page_count = 1'))
    const store = new MemoryStore(opened, { ...MEMORY_LIMITS, maxFacts: 10_000 })
    const fill = async () => {
      for (let at = 0; at < 2000; at++)
        await store.remember('local', [{ entity: 'a', text: `${at} ${'x'.repeat(1000)}` }])
    }
    await expect(fill()).rejects.toThrow(/no room left on the disk of the memory.*Nothing was changed/)
    await expect(store.search('local', 'x', 1)).resolves.toEqual([])
    store.close()
  })

  it.each([
    [{ XDG_DATA_HOME: '/data' }, 'linux', /^\/data.portico$/],
    [{ XDG_DATA_HOME: 'relative' }, 'linux', /\.local.share.portico$/],
    [{}, 'darwin', /Application Support.portico$/],
    [{ LOCALAPPDATA: 'C:\\Data' }, 'win32', /^C:\\Data.portico$/],
  ] as const)('is by default in the user’s data folder: %o on %s', (env, platform, expected) => {
    expect(dataFolder(env, platform)).toMatch(expected)
  })

  it('is chosen on a command line', async () => {
    const ready = await entry.create({ file, maxFacts: '5' })
    opened.push(ready)
    await expect(entry.create({ file, maxFacts: 'many' })).rejects.toThrow('maxFacts')
  })
})

it('has nothing that confuses a model', async () => {
  const { server } = await open({ allowUnasked: true })
  expect(lintServer(server).filter(({ severity }) => severity === 'error')).toEqual([])
})
