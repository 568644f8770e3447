/** Items bring what serves them along: what a server does before it has any, when the first comes, and without a maker. */

import { describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { prompt, type ResourceDefinition, resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

describe.each(PROTOCOL_VERSIONS)('on %s', (version) => {
  const versions = [version] as const

  it('lists that are declared and empty are served, and what is asked of them is not there', async () => {
    const server = createServer({ name: 's', version: '1', resources: {}, prompts: {} })
    const client = await connect(server, { versions })
    expect(await client.listResources()).toEqual([])
    expect(await client.listResourceTemplates()).toEqual([])
    expect(await client.listPrompts()).toEqual([])
    const gone = version === '2026-07-28' ? -32602 : -32002
    await expect(client.request('resources/read', { uri: 'a://b' })).rejects.toMatchObject({ rpcCode: gone })
    await expect(client.request('prompts/get', { name: 'a' })).rejects.toMatchObject({ rpcCode: -32602 })
    await client.close()
  })

  it('what was not declared is not found, until the first item comes', async () => {
    const server = createServer({ name: 's', version: '1', tools: { t: tool({}, () => 'x') } })
    const early = await connect(server, { versions })
    expect(early.server.capabilities).not.toHaveProperty('resources')
    expect(early.server.capabilities).not.toHaveProperty('prompts')
    server.resource(
      'note',
      resource({ uri: 'note://{id}', complete: { id: () => ['1', '2'] } }, ({ id }) => `note ${id}`),
    )
    server.prompt(
      'greet',
      prompt({ arguments: [{ name: 'who', required: true }] }, ({ who }) => `Hello ${who}`),
    )
    const client = await connect(server, { versions })
    expect((await client.readResource('note://7')).contents).toMatchObject([{ uri: 'note://7', text: 'note 7' }])
    expect((await client.getPrompt('greet', { who: 'you' })).messages).toMatchObject([
      { content: { text: 'Hello you' } },
    ])
    const argument = { name: 'id', value: '' }
    const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: 'note://{id}' }, argument })
    expect(completion.values).toEqual(['1', '2'])
    await client.close()
    await early.close()
  })

  it('items of another server bring their code into one that had none', async () => {
    const inner = createServer({
      name: 'inner',
      version: '1',
      resources: { page: resource({ uri: 'page://{n}' }, ({ n }) => ({ n })) },
      prompts: { ask: prompt({}, () => 'why?') },
    })
    const mounting = createServer({ name: 'outer', version: '1' })
    mounting.mount('in', inner)
    const adopting = createServer({ name: 'outer', version: '1' }).adopt(inner)
    for (const [server, name] of [
      [mounting, 'in_ask'],
      [adopting, 'ask'],
    ] as const) {
      const client = await connect(server, { versions })
      expect((await client.readResource('page://3')).contents).toMatchObject([{ text: '{"n":"3"}' }])
      expect((await client.getPrompt(name)).messages).toHaveLength(1)
      await client.close()
    }
  })
})

it('a record that only looks like a definition is refused by name', () => {
  const made: Partial<ResourceDefinition> = { kind: 'resource', options: { uri: 'a://b' }, handler: () => 'x' }
  const create = () =>
    createServer({ name: 's', version: '1', resources: { copied: made as unknown as ResourceDefinition } })
  expect(create).toThrow('"copied" was not made by resource()')
})

it('ctx.ask is for servers that relay, and says so to the operator elsewhere', async () => {
  const reports: unknown[] = []
  const server = createServer({
    name: 's',
    version: '1',
    onError: (error) => reports.push(error),
    tools: { t: tool({}, async (_, ctx) => JSON.stringify(await ctx.ask('k', 'roots/list', {}))) },
  })
  const client = await connect(server, { roots: [] })
  expect(await client.callTool('t')).toMatchObject({ isError: true })
  expect(reports).toMatchObject([{ code: 'invalid-definition', message: 'ctx.ask needs a server with a relay' }])
  await client.close()
})
