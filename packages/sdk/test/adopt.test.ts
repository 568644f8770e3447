import { describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'

const first = (): Server =>
  createServer({
    name: 'first',
    version: '1.0.0',
    tools: { kept: tool({ description: 'old' }, () => 'old'), dropped: tool({}, () => 'gone soon') },
  })

const second = (): Server =>
  createServer({
    name: 'second',
    version: '2.0.0',
    tools: { kept: tool({ description: 'new' }, () => 'new'), added: tool({}, () => 'here') },
    resources: { note: resource({ uri: 'note:1' }, () => 'text') },
    prompts: { hello: prompt({}, () => 'hi') },
  })

describe.each(PROTOCOL_VERSIONS)('a server that adopts another, on %s', (versions) => {
  it('serves the new items to clients that stay connected, and tells them', async () => {
    const live = first()
    const client = await connect(live, { versions })
    const told = new Promise<void>((resolve) => {
      client.on('change', ({ kind }) => kind === 'tools' && resolve())
    })
    expect(await client.callTool('kept')).toMatchObject({ content: [{ text: 'old' }] })
    live.adopt(second())
    await told
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['kept', 'added'])
    expect(await client.callTool('kept')).toMatchObject({ content: [{ text: 'new' }] })
    await expect(client.callTool('dropped')).rejects.toThrow()
    await client.close()
  })
})

describe('what is adopted', () => {
  it('is followed: what is added there later shows here, until another is adopted', async () => {
    const live = first()
    const next = second()
    live.adopt(next)
    next.tool(
      'later',
      tool({}, () => 'later'),
    )
    expect(live.catalogue().tools.map(({ name }) => name)).toEqual(['kept', 'added', 'later'])
    live.adopt(first())
    next.tool(
      'never',
      tool({}, () => 'never'),
    )
    expect(live.catalogue().tools.map(({ name }) => name)).toEqual(['kept', 'dropped'])
  })

  it('brings its middleware, and the middleware of the one before goes', async () => {
    const say = (word: string) => async () => ({ content: [{ type: 'text' as const, text: word }] })
    const live = first().use('tools/call', say('before'))
    const client = await connect(live)
    expect(await client.callTool('kept')).toMatchObject({ content: [{ text: 'before' }] })
    live.adopt(second().use('tools/call', say('after')))
    expect(await client.callTool('kept')).toMatchObject({ content: [{ text: 'after' }] })
    await client.close()
  })

  it('brings its name for clients to come, its resources and its prompts', async () => {
    const live = first().adopt(second())
    const client = await connect(live)
    expect(client.server.info).toMatchObject({ name: 'second', version: '2.0.0' })
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['note:1'])
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['hello'])
    await client.close()
  })

  it('cannot be the server itself', () => {
    const live = first()
    expect(() => live.adopt(live)).toThrow('itself')
  })
})
