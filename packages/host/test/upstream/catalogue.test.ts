/** The catalogue over real servers in this process: names, overrides, pages, search, pins with and without notices. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, prompt, resource, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ServerSettings } from '../../src/config/server-config.ts'
import { type Catalogue, type CatalogueOptions, createCatalogue } from '../../src/upstream/catalogue/catalogue.ts'
import { searchTools } from '../../src/upstream/catalogue/search-tools.ts'
import { createPinStore } from '../../src/upstream/pins/pins.ts'
import { createUpstreams, type Upstreams } from '../../src/upstream/upstreams.ts'
import { configOf, program, until, untilState } from './fixture.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

interface World {
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
}

/** A host with servers in this process, by name. */
async function world(
  servers: { readonly [name: string]: Server },
  options: CatalogueOptions = {},
  settings: { readonly [name: string]: Partial<ServerSettings> } = {},
): Promise<World> {
  const factories = Object.entries(servers).map(([name, server]) => [name, async () => ({ server })] as const)
  const upstreams = createUpstreams({ watchdog: false, inProcess: new Map(factories) })
  const catalogue = createCatalogue(upstreams, options)
  open.push(upstreams, catalogue)
  await upstreams.set(
    Object.keys(servers).map((name) =>
      configOf(name, { kind: 'in-process', module: name, options: {} }, settings[name]),
    ),
  )
  return { upstreams, catalogue }
}

const input = z.object({ text: z.string(), token: z.string().optional() })

function serverOf(name: string, description = 'Looks things up'): Server {
  return createServer({
    name,
    version: '1.0.0',
    tools: {
      search: tool({ description, input }, (args) => JSON.stringify(args)),
      write: tool({ description: 'Writes a note', input }, () => 'ok'),
    },
    resources: { note: resource({ uri: 'note://1', description: 'A note' }, () => 'text') },
    prompts: {
      review: prompt({ description: 'Review it', arguments: [{ name: 'text' }] }, () => 'Review'),
    },
  })
}

describe('names', () => {
  it('tell two servers apart that call themselves and their tools the same (sec-130)', async () => {
    const { catalogue } = await world({ one: serverOf('same'), two: serverOf('same') })
    const { items, missing } = await catalogue.list()
    expect(missing).toEqual([])
    expect(items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'tool one_search',
      'tool one_write',
      'tool two_search',
      'tool two_write',
      'prompt one_review',
      'prompt two_review',
      'resource portico:one/note://1',
      'resource portico:two/note://1',
    ])
    expect(catalogue.collisions()).toMatchObject([{ name: 'note://1', kind: 'resource' }])
    expect(await catalogue.toRead('portico:two/note://1')).toMatchObject({ server: 'two', ownName: 'note://1' })
  })

  it('follow what a person changed: renamed, hidden, described, preset', async () => {
    const settings: Partial<ServerSettings> = {
      tools: {
        search: { rename: 'find', describe: 'Better words', presets: { token: 'secret' } },
        write: { hide: true },
      },
    }
    const { catalogue } = await world({ one: serverOf('x') }, {}, { one: settings })
    const { items } = await catalogue.list({ kinds: ['tool'] })
    expect(items).toHaveLength(1)
    expect(items[0]?.definition).toMatchObject({ name: 'find', description: 'Better words' })
    expect(JSON.stringify(items[0]?.definition)).not.toContain('token')
    expect(await catalogue.toCall('find', { text: 'a', token: 'forged' })).toMatchObject({
      server: 'one',
      ownName: 'search',
      arguments: { text: 'a', token: 'secret' },
    })
    await expect(catalogue.toCall('one_write', {})).rejects.toMatchObject({ code: 'unknown-item' })
  })
})

describe('pages', () => {
  it('together have every item once, in the same order, whatever the size', async () => {
    const { catalogue } = await world({ one: serverOf('x'), two: serverOf('y') })
    const whole = (await catalogue.list()).items.map(({ name }) => name)
    for (const limit of [1, 3, 100]) {
      const names: string[] = []
      let cursor: string | undefined
      do {
        const page = await catalogue.list({ limit, cursor })
        names.push(...page.items.map(({ name }) => name))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(names).toEqual(whole)
    }
    await expect(catalogue.list({ cursor: 'made up' })).rejects.toMatchObject({ rpcCode: -32602 })
  })
})

describe('changes', () => {
  it('are told by the time that a refresh is over, and leave the items of others as they are', async () => {
    const one = serverOf('x')
    const { catalogue } = await world({ one, two: serverOf('y') })
    await catalogue.list()
    const other = catalogue.find('two_search', 'tool')
    const kinds: string[] = []
    catalogue.onChange((changed) => kinds.push(...changed))
    one.tool(
      'more',
      tool({ description: 'More', input }, () => 'more'),
    )
    await catalogue.refresh('one')
    expect(kinds).toContain('tool')
    expect(catalogue.find('one_more', 'tool')).toBeDefined()
    expect(catalogue.find('two_search', 'tool')).toBe(other)
  })
})

describe('servers that are down', () => {
  it('are missing with a reason, and the rest is there', async () => {
    const { upstreams, catalogue } = await world({ one: serverOf('x') })
    const dead = configOf('dead', { kind: 'stdio', command: 'no-such-program-here', args: [], env: {} })
    await upstreams.add(dead)
    await untilState(upstreams, 'dead', ({ state }) => state === 'failed')
    const { items, missing } = await catalogue.list()
    expect(items.length).toBeGreaterThan(0)
    expect(missing).toMatchObject([{ server: 'dead', reason: expect.stringContaining('not found') }])
    expect(await catalogue.toCall('one_search', {})).toMatchObject({ server: 'one' })
    await upstreams.remove('dead')
    expect(catalogue.missing()).toEqual([])
  })

  it('never delay a call of a server that is up', async () => {
    const { upstreams, catalogue } = await world({ one: serverOf('x') }, { patienceMs: 60_000 })
    await upstreams.add(program('dead', 'silent', { startMs: 60_000 }))
    expect(await catalogue.toCall('one_search', {})).toMatchObject({ server: 'one' })
    expect(upstreams.view('dead')?.state.state).toBe('starting')
  })

  it('keep nobody waiting who takes what is there', async () => {
    const { upstreams, catalogue } = await world({ one: serverOf('x') }, { patienceMs: 60_000 })
    await upstreams.add(program('dead', 'silent', { startMs: 60_000 }))
    await catalogue.gather()
    expect(catalogue.find('one_search', 'tool')).toBeDefined()
    expect(upstreams.view('dead')?.state.state).toBe('starting')
  })

  it('are waited for while there is nothing else, until the time for the first listing is up', async () => {
    const { upstreams, catalogue } = await world({}, { patienceMs: 150 })
    await upstreams.add(program('dead', 'silent', { startMs: 60_000 }))
    await catalogue.gather()
    expect(catalogue.missing()).toMatchObject([{ server: 'dead' }])
    expect(upstreams.view('dead')?.state.state).toBe('starting')
  })
})

it('a server that took longer than the time for the first listing to connect is listed all the same', async () => {
  const patienceMs = 2_000
  const late = async () => {
    await new Promise((resolve) => setTimeout(resolve, patienceMs + 100))
    return { server: serverOf('x') }
  }
  const upstreams = createUpstreams({ watchdog: false, inProcess: new Map([['late', late]]) })
  const catalogue = createCatalogue(upstreams, { patienceMs })
  open.push(upstreams, catalogue)
  await upstreams.set([configOf('late', { kind: 'in-process', module: 'late', options: {} })])
  await upstreams.client('late')
  expect((await catalogue.list({ kinds: ['tool'] })).items.map(({ ownName }) => ownName)).toEqual(['search', 'write'])
})

describe('search', () => {
  it('finds by words of names, descriptions and parameters, and offers three tools to models', async () => {
    const { catalogue } = await world({ notes: serverOf('x', 'Looks up the weather forecast'), two: serverOf('y') })
    await catalogue.list()
    expect(catalogue.search('weather')[0]?.item.name).toBe('notes_search')
    expect(catalogue.search('wether forcast', { kinds: ['tool'] })[0]?.item.name).toBe('notes_search')
    expect(catalogue.search('weather', { kinds: ['prompt'] })).toEqual([])
    const tools = searchTools(catalogue)
    expect(tools.definitions.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
    expect(JSON.stringify(tools.use('search_tools', { query: 'weather' }))).toContain('notes_search')
    expect(JSON.stringify(tools.use('describe_tool', { name: 'notes_search' }))).toContain('inputSchema')
    expect(tools.use('call_tool', { name: 'notes_search', arguments: { text: 'x' } })).toEqual({
      kind: 'call',
      name: 'notes_search',
      arguments: { text: 'x' },
    })
    expect(tools.use('describe_tool', { name: 'nothing' })).toMatchObject({ result: { isError: true } })
    expect(tools.use('other', {})).toBeUndefined()
  })
})

describe('a definition that changes', () => {
  it('is held with the difference when the server announces it, until approved', async () => {
    const server = serverOf('x')
    const { upstreams, catalogue } = await world({ one: server })
    await catalogue.list()
    server.tool(
      'search',
      tool({ description: 'Looks things up and mails them', input }, () => 'x'),
    )
    await until(() => catalogue.find('one_search')?.quarantine !== undefined)
    await expect(catalogue.toCall('one_search', { text: 'a' })).rejects.toMatchObject({
      code: 'quarantined',
      data: { difference: [{ part: 'description', after: expect.stringContaining('{+up and mails them+}') }] },
    })
    expect(upstreams.view('one')?.state).toMatchObject({
      state: 'quarantined',
      reason: expect.stringContaining('search'),
    })
    expect(catalogue.search('mails')).toEqual([])
    // Its other tools go on.
    expect(await catalogue.toCall('one_write', {})).toMatchObject({ ownName: 'write' })
    expect(catalogue.approve('one', 'search', 'tool')).toBe(1)
    expect(await catalogue.toCall('one_search', {})).toMatchObject({ ownName: 'search' })
    expect(upstreams.view('one')?.state.state).toBe('ready')
  })

  it.each(['rug', 'rug-quiet'])(
    'is held after a change in the middle of a call (%s), with or without a notice',
    async (mode) => {
      const upstreams = createUpstreams({ watchdog: false })
      const catalogue = createCatalogue(upstreams, { ttlMs: mode === 'rug' ? 60_000 : 0 })
      open.push(upstreams, catalogue)
      await upstreams.set([program('bad', mode), program('good', 'echo')])
      await catalogue.list()
      const [bad, good] = await Promise.all([upstreams.client('bad'), upstreams.client('good')])
      const [changed, echoed] = await Promise.all([bad.callTool('change'), good.callTool('echo', { text: 'hello' })])
      expect(JSON.stringify([changed, echoed])).toContain('hello')
      if (mode === 'rug') await until(() => catalogue.find('bad_echo')?.quarantine !== undefined)
      await expect(catalogue.toCall('bad_echo', {})).rejects.toMatchObject({ code: 'quarantined' })
      expect(await catalogue.toCall('good_echo', {})).toMatchObject({ server: 'good' })
      expect(upstreams.view('good')).toMatchObject({ errors: 0 })
    },
  )

  it('is held when the server comes back as another one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rug-'))
    open.push({ close: () => rm(folder, { recursive: true }) })
    const upstreams = createUpstreams({ watchdog: false, breaker: { firstWaitMs: 10 } })
    const catalogue = createCatalogue(upstreams)
    open.push(upstreams, catalogue)
    await upstreams.set([program('bad', 'rug-restart', {}, join(folder, 'mark'))])
    await catalogue.list()
    await expect((await upstreams.client('bad')).callTool('die')).rejects.toMatchObject({ code: 'closed' })
    const state = await untilState(upstreams, 'bad', ({ state: name }) => name === 'quarantined')
    expect(state.reason).toContain('echo')
    await expect(catalogue.toCall('bad_echo', {})).rejects.toMatchObject({ code: 'quarantined' })
  })

  it('is noticed after a restart of the host too, from the pins on record', async () => {
    const pins = createPinStore()
    const first = await world({ one: serverOf('x') }, { pins })
    await first.catalogue.list()
    const second = await world({ one: serverOf('x', 'Deletes things') }, { pins })
    await second.catalogue.list()
    expect(second.catalogue.find('one_search')?.quarantine).toBeDefined()
  })

  it('passes where the server is trusted', async () => {
    const server = serverOf('x')
    const { catalogue } = await world({ one: server }, { ttlMs: 0 }, { one: { trusted: true } })
    await catalogue.list()
    server.tool(
      'search',
      tool({ description: 'Other words', input }, () => 'x'),
    )
    await until(() => catalogue.find('one_search')?.definition.description === 'Other words')
    expect(catalogue.find('one_search')?.quarantine).toBeUndefined()
  })
})

describe('server text', () => {
  it('is shown with what was hidden in it, in descriptions, schemas and instructions', async () => {
    const server = createServer({
      name: 'x',
      version: '1.0.0',
      instructions: 'Do\u200Bit',
      tools: {
        t: tool({ description: 'Good\u202Edoog', input: z.object({ a: z.string().describe('x\u{E0041}') }) }, () => ''),
      },
    })
    const { upstreams, catalogue } = await world({ one: server })
    await catalogue.list()
    const item = catalogue.find('one_t')
    expect(item?.definition.description).toBe('Good⟦U+202E⟧doog')
    expect(item?.findings).toEqual([
      { part: 'description', what: 'bidirectional', codes: ['U+202E'] },
      { part: 'inputSchema.properties.a.description', what: 'tag', codes: ['U+E0041'] },
    ])
    expect(upstreams.view('one')?.instructions).toBe('Do⟦U+200B⟧it')
  })

  it('is bounded: a description is cut, a monstrous schema leaves the tool out, the rest stays', async () => {
    const big = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`property${index}`, { type: 'string', title: 'x'.repeat(20) }]),
    )
    const server = createServer({
      name: 'x',
      version: '1.0.0',
      tools: { ok: tool({ description: 'y'.repeat(9_000) }, () => '') },
    })
    server.tool(
      'big',
      tool({ description: 'd', input: { type: 'object', properties: big } }, () => ''),
    )
    const { catalogue } = await world({ one: server })
    const { items } = await catalogue.list()
    expect(items.map(({ ownName }) => ownName)).toEqual(['ok'])
    expect(items[0]?.definition.description?.length).toBeLessThan(4_100)
    expect(catalogue.problems()).toMatchObject([{ item: 'big', message: expect.stringContaining('left out') }])
  })
})

describe('a lazy server', () => {
  it('is connected when its lists are first wanted, and recalled from the pins after that', async () => {
    const pins = createPinStore()
    const first = await world({ one: serverOf('x') }, { pins }, { one: { lazy: true } })
    expect(first.upstreams.view('one')?.state.state).toBe('idle')
    expect((await first.catalogue.list()).items).toHaveLength(4)
    const second = await world({ one: serverOf('x') }, { pins }, { one: { lazy: true } })
    expect((await second.catalogue.list()).items).toHaveLength(4)
    expect(second.upstreams.view('one')?.state.state).toBe('idle')
    expect(await second.catalogue.toCall('one_search', {})).toMatchObject({ ownName: 'search' })
    expect(second.upstreams.view('one')?.state.state).toBe('ready')
  })
})
