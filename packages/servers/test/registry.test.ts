import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { lintServer } from '@portico/sdk/lint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntryValue, ReadyServer } from '../src/entry.ts'
import { isServerName, loadEntry, SERVER_NAMES, type ServerName } from '../src/registry.ts'
import { type BookService, startBookService } from './fixtures/book-service.ts'
import { type MongoService, startMongoService } from './fixtures/mongo-service.ts'
import { type PetService, startPetService } from './fixtures/pet-service.ts'

type Values = { readonly [option: string]: EntryValue }

const folder = mkdtempSync(join(tmpdir(), 'portico-registry-'))
let pets: PetService
let books: BookService
let mongo: MongoService
const opened: ReadyServer[] = []

beforeAll(async () => {
  pets = await startPetService()
  books = await startBookService()
  mongo = await startMongoService({ notes: [] })
  mkdirSync(join(folder, 'notes'))
  writeFileSync(join(folder, 'notes', 'a.md'), '# A note\n\nAbout something.')
  execFileSync('git', ['init', '-q', join(folder, 'repository')])
})

afterAll(async () => {
  for (const { close } of opened) await close()
  await pets.close()
  await books.close()
  await mongo.close()
  rmSync(folder, { recursive: true, force: true })
})

/** As much as each can do: what is off unless asked for is looked at, too. */
function valuesOf(name: ServerName): Values {
  const values: { readonly [Name in ServerName]: () => Values } = {
    files: () => ({ directories: [join(folder, 'notes')], write: true }),
    git: () => ({ repositories: [join(folder, 'repository')], write: true }),
    sql: () => ({ write: true }),
    mongo: () => ({ url: mongo.url }),
    openapi: () => ({ description: `${pets.base}/openapi.json`, allowPrivate: [pets.host], write: true }),
    graphql: () => ({ endpoint: books.endpoint, allowPrivate: [books.host], mutations: true }),
    web: () => ({}),
    browser: () => ({}),
    screen: () => ({}),
    run: () => ({ commands: process.platform === 'win32' ? [] : ['cat'] }),
    knowledge: () => ({ directory: join(folder, 'notes') }),
    memory: () => ({ file: join(folder, 'memory.db') }),
    time: () => ({}),
    github: () => ({ write: true }),
    slack: () => ({ write: true, tokenEnv: 'PATH' }),
    notion: () => ({ write: true, tokenEnv: 'PATH' }),
    asana: () => ({ write: true, tokenEnv: 'PATH' }),
    google: () => ({ write: true, tokenEnv: 'PATH' }),
    editor: () => ({ directory: join(folder, 'notes'), languages: ['.md=true'], reports: ['r.xml'], write: true }),
    everything: () => ({}),
  }
  return values[name]()
}

describe('the package as a whole', () => {
  it('has a door and a guide page for every server', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    for (const name of SERVER_NAMES) {
      expect(exports).toHaveProperty([`./${name}`])
      const door: string = exports[`./${name}`]['portico-source']
      expect(existsSync(new URL(`../${door}`, import.meta.url)), `door of ${name}`).toBe(true)
      const page = new URL(`../../../docs/guide/server-${name}.md`, import.meta.url)
      expect(existsSync(page), `page of ${name}`).toBe(true)
      expect(readFileSync(page, 'utf8'), `page of ${name}`).toContain(`"portico", "run", "${name}"`)
    }
  })

  it('knows no other names, whatever they are called', () => {
    for (const name of ['', 'constructor', '__proto__', 'toString', 'Files']) expect(isServerName(name)).toBe(false)
  })
})

describe.each(SERVER_NAMES)('%s', (name) => {
  let ready: ReadyServer
  const read = new Set<string>()

  beforeAll(async () => {
    const entry = await loadEntry(name)
    // Whatever `create` asks for is an option; all are asked for before anything is opened.
    const values = new Proxy(valuesOf(name), {
      get: (given, option) => {
        if (typeof option === 'string') read.add(option)
        return Reflect.get(given, option)
      },
    })
    ready = await entry.create(values)
    opened.push(ready)
  })

  it('lists the options that it reads, each with words', async () => {
    const entry = await loadEntry(name)
    expect(entry.name).toBe(name)
    expect(entry.about.length).toBeGreaterThan(20)
    expect([...read].sort()).toEqual(Object.keys(entry.options).sort())
    for (const { about, type } of Object.values(entry.options)) {
      expect(about).not.toBe('')
      expect(['string', 'number', 'boolean']).toContain(type)
    }
    if (entry.positional !== undefined) expect(entry.options).toHaveProperty([entry.positional])
  })

  it('tells every option in its guide page', async () => {
    const page = readFileSync(new URL(`../../../docs/guide/server-${name}.md`, import.meta.url), 'utf8')
    const { options } = await loadEntry(name)
    expect(Object.keys(options).filter((option) => !page.includes(`\`${option}\``))).toEqual([])
  })

  it('servers 24: shows a real session in its guide page, with tools that it has, as text and as a small picture', () => {
    const page = readFileSync(new URL(`../../../docs/guide/server-${name}.md`, import.meta.url), 'utf8')
    const session = /<!-- session -->\n([\s\S]*)<!-- end of session -->/.exec(page)?.[1] ?? ''
    expect(session).toContain(`](../screenshots/server-${name}.svg)`)
    expect(session).toContain(`$ portico run ${name}`)
    const asked = [...session.matchAll(/^> (\w+) \{/gm)].map(([, tool]) => tool ?? '')
    expect(asked.length).toBeGreaterThan(1)
    const data = JSON.parse(
      readFileSync(new URL(`../../../tests/servers/sessions/${name}.json`, import.meta.url), 'utf8'),
    )
    expect(asked).toEqual(data.calls.map(({ tool }: { readonly tool: string }) => tool))
    const tools = ready.server.catalogue().tools.map((tool) => tool.name)
    expect(asked.filter((tool) => !tools.includes(tool))).toEqual([])
    const picture = readFileSync(new URL(`../../../docs/screenshots/server-${name}.svg`, import.meta.url), 'utf8')
    for (const tool of asked) expect(picture).toContain(`&gt; ${tool} `)
    expect(picture.length).toBeLessThanOrEqual(60_000)
  })

  it('passes the linter, and describes everything', () => {
    const findings = lintServer(ready.server).filter(({ severity }) => severity === 'error')
    expect(findings).toEqual([])
  })

  it('says of every tool whether it changes something (sec-126)', () => {
    const { tools } = ready.server.catalogue()
    expect(tools.length).toBeGreaterThan(0)
    for (const { name: tool, annotations = {} } of tools) {
      const isSaid = annotations.readOnlyHint === true || annotations.destructiveHint !== undefined
      // This one is about the shapes of messages: nothing in it has an effect.
      expect(isSaid || name === 'everything', tool).toBe(true)
      expect(annotations.readOnlyHint === true && annotations.destructiveHint === true, tool).toBe(false)
    }
  })

  it('lists what it offers to a client, in names that every client takes', async () => {
    const client = await connect(ready.server)
    for (const { name: tool } of await client.listTools()) expect(tool).toMatch(/^[a-zA-Z][\w-]{0,63}$/)
    await client.listResources()
    await client.listResourceTemplates()
    await client.listPrompts()
    await client.close()
  })

  it('closes twice without harm', async () => {
    await ready.close()
    await ready.close()
  })
})
