/**
 * Each program as its own process, called on the revisions whose wires differ; over HTTP, and where one client has three
 * servers, from source as a user of the docs would try it.
 */

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import type { Server } from '@portico/sdk/server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltPrograms, buildPrograms } from '../test/built-programs.ts'
import { HttpExample } from '../test/http-example.ts'
import { exampleArguments } from '../test/stdio-example.ts'
import type archive from './archive.ts'
import type elicitation from './elicitation.ts'
import type graph from './graph.ts'
import type order from './order.ts'
import type shop from './shop.ts'
import type thinking from './thinking.ts'

const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
type Revision = (typeof REVISIONS)[number]

let built: BuiltPrograms
beforeAll(async () => {
  built = await buildPrograms(['archive', 'elicitation', 'graph', 'order', 'shop', 'thinking'])
}, 60_000)
afterAll(() => built.remove())

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function start<S extends Server>(
  name: string,
  versions: Revision,
  options: ConnectOptions = {},
  env: { [name: string]: string } = {},
): Promise<Client<S>> {
  const target = { command: process.execPath, args: [built.fileOf(name)], env }
  const client = await connect<S>(target, { versions, ...options })
  open.push(() => client.close())
  return client
}

const textOf = async (client: Client, uri: string): Promise<unknown> => {
  const [first] = (await client.readResource(uri)).contents
  return first !== undefined && 'text' in first ? first.text : first?.blob
}

describe.each(REVISIONS)('sdk 17: on %s', { timeout: 120_000 }, (version) => {
  test('shop: thirteen tools, each with its kind of schema', async () => {
    const { tools } = await start<typeof shop>('shop', version)
    expect((await tools.search({ word: 'e', sort: 'price' })).found.map(({ id }) => id)).toEqual(['p2', 'p1'])
    expect(await tools.find({ by: 'name', name: 'Lamp' })).toMatchObject({ id: 'p3' })
    await expect(tools.find({ by: 'id', id: 'p9' })).rejects.toThrow('There is no product "p9". Known: p1, p2, p3')
    const added = await tools.add({ name: 'Cup', cents: 700, details: { glass: true } })
    expect(added).toEqual({ id: 'p4', name: 'Cup', cents: 700, tags: ['glass'] })
    await tools.reprice({ prices: { p4: 650, p3: null } })
    expect(await tools.total({ basket: [['p1', 1], ['p4', 2]] })).toEqual({ cents: 6_200, euros: '62.00' }) // biome-ignore format: pairs
    expect((await tools.categories({})).children.map(({ name }) => name)).toEqual(['glass', 'kitchen', 'tea'])
    const delivery = await tools.deliver({ on: '2026-12-24', window: '9-12', email: 'ada@example.org' })
    expect(delivery).toBe('Thu, 24 Dec 2026, 9-12; ada@example.org gets a message.')
    // Models send numbers as text; the input of a coercion is anything.
    expect(await tools.weigh({ grams: '1200' })).toBe(590)
  })

  test('shop: blocks of content, and words for the model when something is wrong', async () => {
    const client = await start<typeof shop>('shop', version)
    const picture = await client.callTool('picture', { id: 'p1' })
    expect(picture.content.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link'])
    expect((await client.callTool('compare', { a: 'p1', b: 'p2' })).content).toHaveLength(2)
    expect(await client.tools.review({ id: 'p2', stars: 4, words: 'Pours well' })).toBe('Teapot: ★★★★ “Pours well”')
    expect(await client.tools.stock({ id: 'p2' })).toEqual({ left: null, checked: '1970-01-01T00:00:00.000Z' })
    await expect(client.tools.close({})).rejects.toThrow('The shop closes at six')
    // @ts-expect-error: six stars
    await expect(client.tools.review({ id: 'p2', stars: 6 })).rejects.toThrow(/stars/)
  })

  test('archive: optional parts, whole paths, bytes, pages of a list, completion', async () => {
    const client = await start<typeof archive>('archive', version)
    expect(await client.listResources()).toHaveLength(95)
    expect(await textOf(client, 'archive://pages/letters/Gr%C3%BC%C3%9Fe')).toContain('Bis bald.')
    expect(await textOf(client, 'archive://pages/letters/Gr%C3%BC%C3%9Fe?lines=1')).toBe('Liebe Ada, viele Grüße!')
    expect(await textOf(client, 'archive://files/maps/town/north.svg')).toContain('<svg')
    expect(await textOf(client, 'archive://seal')).toBe('iVBORw==')
    await expect(textOf(client, 'archive://files/maps/none')).rejects.toThrow()
    const ref = { type: 'ref/resource', uri: 'archive://pages/{section}/{name}{?lines}' } as const
    const context = { arguments: { section: 'letters' } }
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: '' }, context })
    expect(completion.values).toEqual(['Grüße', 'thanks'])
  })

  test('archive: subscribers hear of what changed, and somebody is there for them meanwhile', async () => {
    const client = await start<typeof archive>('archive', version)
    const uri = 'archive://pages/letters/thanks'
    let told: (uri: string) => void = () => {}
    const heard = new Promise<string>((resolve) => {
      told = resolve
    })
    const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => {
      if (change.kind === 'resource' && !change.synthetic) told(change.uri)
    })
    expect(await textOf(client, 'archive://watched')).toBe(uri)
    await client.tools.write({ section: 'letters', name: 'thanks', text: 'New' })
    expect(await heard).toBe(uri)
    await subscription.close()
  })

  test('order: two forms and a question for the model; charged once, and not at all when cancelled', async () => {
    const reports: number[] = []
    let answers: (object | 'cancel')[] = [
      { size: 'large', coffees: 2 },
      { street: 'Main Street 1', gift: true },
    ]
    const client = await start<typeof order>('order', version, {
      elicitation: {
        form: () => {
          const content = answers.shift() as { [name: string]: string } | 'cancel'
          return content === 'cancel' ? { action: 'cancel' } : { action: 'accept', content }
        },
      },
      sampling: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Enjoy!' } }),
    })
    const onProgress = ({ progress }: { progress: number }) => reports.push(progress)
    const done = await client.callTool('order', {}, { onProgress })
    expect(done.content).toEqual([{ type: 'text', text: '2 coffees to Main Street 1, 8 euros. Enjoy!' }])
    expect(reports).toEqual([1, 2, 3, 4])
    answers = [{ size: 'small', coffees: 1 }, 'cancel']
    expect(await client.tools.order({})).toBe('Nothing was ordered.')
    expect(await client.tools.charged({})).toEqual([8])
  })

  test('graph: the nine tools of the memory server, kept in a file, with word to subscribers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-graph-'))
    open.push(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'memory.jsonl')
    const client = await start<typeof graph>('graph', version, {}, { MEMORY_FILE_PATH: file })
    const { tools } = client
    let changes = 0
    await client.subscribe({ resourceSubscriptions: ['memory://graph'] }, (change) => {
      if (change.kind === 'resource' && !change.synthetic) changes++
    })
    const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] }
    const engine = { name: 'Engine', entityType: 'machine', observations: [] }
    expect((await tools.create_entities({ entities: [ada, engine] })).entities).toHaveLength(2)
    expect((await tools.create_entities({ entities: [ada] })).entities).toEqual([])
    const relation = { from: 'Ada', to: 'Engine', relationType: 'programs' }
    await tools.create_relations({ relations: [relation] })
    const observed = { entityName: 'Ada', contents: ['writes programs', 'likes music'] }
    const { results } = await tools.add_observations({ observations: [observed] })
    expect(results).toEqual([{ entityName: 'Ada', addedObservations: ['likes music'] }])
    const nobody = { entityName: 'Nobody', contents: [] }
    await expect(tools.add_observations({ observations: [nobody] })).rejects.toThrow('There is no entity "Nobody".')
    expect((await tools.search_nodes({ query: 'MUSIC' })).entities.map(({ name }) => name)).toEqual(['Ada'])
    expect((await tools.open_nodes({ names: ['Engine'] })).relations).toEqual([relation])
    await tools.delete_observations({ deletions: [{ entityName: 'Ada', observations: ['likes music'] }] })
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)
    expect(JSON.parse(String(await textOf(client, 'memory://graph')))).toEqual(await tools.read_graph({}))
    await tools.delete_relations({ relations: [relation] })
    await tools.delete_entities({ entityNames: ['Ada', 'Engine'] })
    expect(await tools.read_graph({})).toEqual({ entities: [], relations: [] })
    expect(changes).toBeGreaterThan(0)
  })

  test('thinking: steps, a correction and a branch, from a model that writes numbers as text', async () => {
    const client = await start<typeof thinking>('thinking', version)
    const step = { thought: 'Begin', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true }
    await client.tools.sequentialthinking(step)
    const { structuredContent } = await client.callTool('sequentialthinking', {
      ...{ thought: 'Or so', thoughtNumber: '3', totalThoughts: '2', nextThoughtNeeded: 'FALSE' },
      ...{ branchFromThought: 1, branchId: 'b' },
    })
    expect(structuredContent).toEqual({
      ...{ thoughtNumber: 3, totalThoughts: 3, nextThoughtNeeded: false },
      ...{ branches: ['b'], thoughtHistoryLength: 2 },
    })
    await expect.poll(() => client.process?.stderrTail()).toContain('3/3 (b from 1) Or so')
  })

  test('elicitation: one form, two in turn, and a page where the revision has it', async () => {
    const contents = [
      { username: 'ada', email: 'ada@example.org' },
      { title: 'Tea' },
      { date: '2026-12-24', minutes: 30 },
    ] // biome-ignore format: one each
    const client = await start<typeof elicitation>('elicitation', version, {
      elicitation: {
        form: () => ({ action: 'accept', content: contents.shift() ?? {} }),
        url: () => ({ action: 'accept' }),
      },
    })
    expect(await client.tools.register_user({})).toBe('ada <ada@example.org>, without newsletter')
    expect(await client.tools.create_event({})).toBe('Tea on 2026-12-24, 30 minutes')
    const paid = client.tools.pay({})
    if (version === '2025-06-18') await expect(paid).rejects.toThrow(/elicitation/)
    else expect(await paid).toBe('The user went to pay.')
  })
})

test('sdk 17: elicitation over HTTP, on both eras by one definition', { timeout: 120_000 }, async () => {
  const program = new HttpExample('programs/serve.ts', {}, ['elicitation', '--http', '0'])
  open.push(() => program.child.kill())
  const [, url = ''] = await program.printed(/Serving on (\S+)/)
  const content = { username: 'ada', email: 'ada@example.org', newsletter: true }
  for (const versions of REVISIONS) {
    const elicitation = { form: () => ({ action: 'accept', content }) as const }
    const client = await connect(url, { versions, elicitation })
    expect(await client.callTool('register_user')).toMatchObject({
      content: [{ text: 'ada <ada@example.org>, with newsletter' }],
    })
    await client.close()
  }
  expect(await program.stop()).toBe(0)
})

test('sdk 17: concierge: three servers, a question, a change, a crash', { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, exampleArguments('programs/concierge.ts'))
  expect(stdout.trim().split('\n')).toEqual([
    'Teapot, Kettle: 81.50',
    '2 coffees to Main Street 1, 8 euros.',
    'What may it be? Where to?',
    'changed: archive://pages/letters/thanks',
    'after the crash: 590',
  ])
})
