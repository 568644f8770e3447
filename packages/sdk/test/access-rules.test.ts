/** Visibility rules that go wrong: whatever they do but say `true` hides what they are asked about, and nothing else. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'

type Rule = () => boolean

/** Rules as JavaScript lets people write them. */
const rule = (answer: () => unknown): Rule => answer as Rule

const WRONG: readonly (readonly [string, Rule])[] = [
  ['a promise of false', rule(async () => false)],
  ['a promise of true', rule(async () => true)],
  [
    'a promise that rejects',
    rule(async () => {
      throw new Error('no database')
    }),
  ],
  // biome-ignore lint/suspicious/noThenProperty: what a rule of a library without promises may return
  ['a thenable', rule(() => ({ then: () => {} }))],
  ['an object', rule(() => ({ allowed: false }))],
  ['a word', rule(() => 'no')],
  ['1', rule(() => 1)],
  ['nothing', rule(() => undefined)],
  [
    'an error that is thrown',
    rule(() => {
      throw new Error('no database')
    }),
  ],
]

interface Report {
  readonly error: Error
  readonly where: string
}

const unheard: unknown[] = []
const hear = (error: unknown) => unheard.push(error)
beforeEach(() => void process.on('unhandledRejection', hear))
afterEach(async () => {
  // Rejections are reported after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', hear)
  expect(unheard.splice(0)).toEqual([])
})

/** One good item of every kind, and one under `visible`. */
function items(visible: Rule) {
  return {
    tools: { open: tool({}, () => 'open'), shut: tool({ visible }, () => 'shut') },
    prompts: { open: prompt({}, () => 'open'), shut: prompt({ visible }, () => 'shut') },
    resources: {
      open: resource({ uri: 'a://open' }, () => 'open'),
      shut: resource({ uri: 'a://shut', visible }, () => 'shut'),
      openAll: resource({ uri: 'b://{id}', list: () => [{ uri: 'b://1', name: 'one' }] }, () => 'open'),
      shutAll: resource({ uri: 'c://{id}', visible, list: () => [{ uri: 'c://1', name: 'one' }] }, () => 'shut'),
    },
  }
}

async function expectShut(server: Server, version: ProtocolVersion): Promise<void> {
  const client = await connect(server, { versions: [version] })
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['open'])
  expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['open'])
  expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['a://open', 'b://1'])
  expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['b://{id}'])
  await expect(client.request('tools/call', { name: 'shut', arguments: {} })).rejects.toThrow('Unknown tool')
  await expect(client.request('prompts/get', { name: 'shut' })).rejects.toThrow('Unknown prompt')
  await expect(client.readResource('a://shut')).rejects.toThrow(/not found/i)
  await expect(client.readResource('c://1')).rejects.toThrow(/not found/i)
  expect(await client.callTool('open')).toMatchObject({ content: [{ text: 'open' }] })
  await client.close()
}

describe.each(PROTOCOL_VERSIONS)('rules on %s that return no answer', (version) => {
  it.each(WRONG)(
    '%s hides the item from lists and uses, and the rest is served (attack 4, attack 11, sec-241)',
    async (name, visible) => {
      const reports: Report[] = []
      const onError = (error: unknown, { where }: { where: string }) => reports.push({ error: error as Error, where })
      await expectShut(createServer({ name: 's', version: '1', onError, ...items(visible) }), version)
      const wheres = new Set(reports.map(({ where }) => where))
      if (name.includes('thrown'))
        expect(wheres).toEqual(
          new Set(
            ['tool shut', 'prompt shut', 'resource a://shut', 'template c://{id}'].map((one) => `visible of ${one}`),
          ),
        )
      else {
        expect(reports).toHaveLength(1)
        expect(reports[0]?.error.message).toContain('must be synchronous')
      }
    },
  )

  it.each(WRONG)('%s from the rule of the whole server hides everything (attack 4, sec-241)', async (name, visible) => {
    const reports: unknown[] = []
    const server = createServer({
      name: 's',
      version: '1',
      visible,
      onError: (error) => reports.push(error),
      ...items(() => true),
    })
    const client = await connect(server, { versions: [version] })
    expect(await client.listTools()).toEqual([])
    expect(await client.listPrompts()).toEqual([])
    expect(await client.listResources()).toEqual([])
    expect(await client.listResourceTemplates()).toEqual([])
    await expect(client.request('tools/call', { name: 'open', arguments: {} })).rejects.toThrow('Unknown tool')
    if (!name.includes('thrown')) expect(reports).toHaveLength(1)
    await client.close()
  })

  it('of items that are mounted, adopted or added later count alike (attack 4, sec-241)', async () => {
    const onError = () => {}
    const visible = rule(async () => true)
    const inner = createServer({ name: 'inner', version: '1', onError, tools: items(visible).tools })
    const outer = createServer({ name: 'outer', version: '1', onError })
    outer.mount('in', inner)
    inner.tool(
      'late',
      tool({ visible }, () => 'late'),
    )
    const adopting = createServer({ name: 'outer', version: '1', onError }).adopt(inner)
    for (const [server, open] of [
      [outer, 'in_open'],
      [inner, 'open'],
      [adopting, 'open'],
    ] as const) {
      const client = await connect(server, { versions: [version] })
      expect((await client.listTools()).map(({ name }) => name)).toEqual([open])
      await client.close()
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('disk')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('disk')
      },
    ],
  ] as const)(
    'a template whose list %s leaves out its own items alone, and is reported (attack 11, sec-242)',
    async (_, list) => {
      const reports: Report[] = []
      const server = createServer({
        name: 's',
        version: '1',
        onError: (error, { where }) => void reports.push({ error: error as Error, where }),
        resources: { ...items(() => true).resources, bad: resource({ uri: 'd://{id}', list }, () => 'x') },
      })
      const client = await connect(server, { versions: [version] })
      expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['a://open', 'a://shut', 'b://1', 'c://1'])
      expect(reports).toMatchObject([{ error: { message: 'disk' }, where: 'list of template d://{id}' }])
      await client.close()
    },
  )
})
