import { describe, expect, it } from 'vitest'
import type { ChannelEvents } from '../jsonrpc/channel.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { CONNECT } from '../session/connectable.ts'
import { createMemoryChannels } from '../transport/memory.ts'
import { prompt, resource, tool } from './items/definition.ts'
import { createServer, type Server, type ServerDefinition, type ToolRecord } from './server.ts'

/** Asks a server in memory, in the newest revision. */
class Asker {
  readonly heard: JsonObject[] = []
  readonly #channel
  readonly #waiting = new Map<unknown, (message: JsonObject) => void>()
  #id = 0

  constructor(server: Server) {
    const [near, far] = createMemoryChannels()
    server[CONNECT](near)
    this.#channel = far
    const events: ChannelEvents = {
      message: (message) => {
        if (!isObject(message)) return
        this.heard.push(message)
        this.#waiting.get(message.id)?.(message)
      },
      malformed: () => {},
      closed: () => {},
    }
    this.#channel.open(events)
  }

  send(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++this.#id
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    this.#channel.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }))
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  async result(method: string, params?: JsonObject): Promise<JsonObject> {
    return (await this.send(method, params)).result as JsonObject
  }

  async tools(): Promise<string[]> {
    return ((await this.result('tools/list')).tools as { name: string }[]).map(({ name }) => name)
  }
}

function makeInner(): Server {
  return createServer({
    name: 'inner',
    version: '1',
    tools: { a: tool({}, () => 'inner a'), secret: tool({ scopes: ['admin'] }, () => 'secret') },
    resources: {
      r: resource({ uri: 'data://r' }, () => 'inner r'),
      t: resource({ uri: 'data://t/{x}' }, ({ x }) => `t ${x}`),
    },
    prompts: { p: prompt({}, () => 'inner p') },
  })
}

describe('mount', () => {
  it('shows the other server’s items: names under the prefix, addresses as they are', async () => {
    const outer = createServer({ name: 'outer', version: '1', tools: { a: tool({}, () => 'outer a') } })
    outer.mount('in', makeInner())
    const asker = new Asker(outer)
    expect(await asker.tools()).toEqual(['a', 'in_a'])
    expect(await asker.result('tools/call', { name: 'in_a' })).toMatchObject({ content: [{ text: 'inner a' }] })
    expect(await asker.result('resources/read', { uri: 'data://r' })).toMatchObject({ contents: [{ text: 'inner r' }] })
    expect(await asker.result('resources/read', { uri: 'data://t/5' })).toMatchObject({ contents: [{ text: 't 5' }] })
    expect(await asker.result('prompts/get', { name: 'in_p' })).toMatchObject({
      messages: [{ content: { text: 'inner p' } }],
    })
  })

  it('keeps hidden what is hidden there', async () => {
    const outer = createServer({ name: 'outer', version: '1' })
    outer.mount('in', makeInner())
    expect(await new Asker(outer).send('tools/call', { name: 'in_secret' })).toMatchObject({ error: { code: -32602 } })
  })

  it('follows later changes, and tells of them', async () => {
    const inner = makeInner()
    const outer = createServer({ name: 'outer', version: '1', tools: {} })
    outer.mount('in', inner)
    const asker = new Asker(outer)
    void asker.send('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['data://r'] },
    })
    const isAcknowledged = () => asker.heard.some(({ method }) => method === 'notifications/subscriptions/acknowledged')
    await expect.poll(isAcknowledged).toBe(true)
    inner.tool(
      'b',
      tool({}, () => 'new'),
    )
    inner.tool(
      'a',
      tool({}, () => 'replaced'),
    )
    inner.changed('data://r')
    expect(await asker.tools()).toEqual(['in_a', 'in_b'])
    expect(await asker.result('tools/call', { name: 'in_a' })).toMatchObject({ content: [{ text: 'replaced' }] })
    inner.remove('tool', 'a')
    expect(await asker.tools()).toEqual(['in_b'])
    const notices = asker.heard.map(({ method }) => method)
    expect(notices).toContain('notifications/tools/list_changed')
    expect(notices).toContain('notifications/resources/updated')
  })

  it('ends with unmount', async () => {
    const inner = makeInner()
    const outer = createServer({ name: 'outer', version: '1', tools: { own: tool({}, () => 'own') } })
    const mounted = outer.mount('in', inner)
    mounted.unmount()
    inner.tool(
      'later',
      tool({}, () => 'x'),
    )
    const asker = new Asker(outer)
    expect(await asker.tools()).toEqual(['own'])
    expect(await asker.send('resources/read', { uri: 'data://r' })).toMatchObject({ error: { code: -32602 } })
    outer.mount('in', inner)
    expect(await asker.tools()).toEqual(['own', 'in_a', 'in_later'])
  })

  it('mounts all or nothing', async () => {
    const outer = createServer({
      name: 'outer',
      version: '1',
      tools: {},
      resources: { r: resource({ uri: 'data://r' }, () => 'mine') },
    })
    expect(() => outer.mount('in', makeInner())).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
    expect(await new Asker(outer).tools()).toEqual([])
  })

  it.each([
    ['itself', (server: Server) => server.mount('x', server)],
    ['under an empty prefix', (server: Server) => server.mount('', makeInner())],
    ['under a prefix with spaces', (server: Server) => server.mount('a b', makeInner())],
    ['under a prefix of 65 letters', (server: Server) => server.mount('p'.repeat(65), makeInner())],
  ])('refuses to mount %s', (_, mount) => {
    const server = createServer({ name: 's', version: '1' })
    expect(() => mount(server)).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
  })

  it.each([
    [127, true],
    [128, true],
    [129, false],
  ])('whole names of %i letters: %s', (length, fits) => {
    const inner = createServer({ name: 'i', version: '1', tools: { ['n'.repeat(length - 3)]: tool({}, () => '') } })
    const mount = () => createServer({ name: 's', version: '1' }).mount('in', inner)
    if (fits) expect(mount).not.toThrow()
    else expect(mount).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
  })
})

describe('createServer refuses at start', () => {
  const base = { name: 's', version: '1' }

  it.each<[string, ServerDefinition<ToolRecord>]>([
    ['no name', { ...base, name: '' }],
    ['a tool name with spaces', { ...base, tools: { 'a b': tool({}, () => '') } }],
    ['an empty tool name', { ...base, tools: { '': tool({}, () => '') } }],
    ['a tool name of 129 letters', { ...base, tools: { ['n'.repeat(129)]: tool({}, () => '') } }],
    ['input that is no object', { ...base, tools: { a: tool({ input: { type: 'string' } }, () => '') } }],
    ['a schema that is none', { ...base, tools: { a: tool({ input: { type: 'nonsense' } }, () => '') } }],
    ['a resource without scheme', { ...base, resources: { a: resource({ uri: 'nowhere' }, () => '') } }],
    ['a page size of 0', { ...base, pageSize: 0 }],
    ['a page size of 1.5', { ...base, pageSize: 1.5 }],
    ['a revision that does not exist', { ...base, versions: ['1999-01-01' as '2024-11-05'] }],
    ['a key of 31 bytes', { ...base, stateKeys: [new Uint8Array(31)] }],
    ['an extension without prefix', { ...base, extensions: [{ id: 'plain' }] }],
    [
      'an extension that takes a method of the protocol',
      { ...base, extensions: [{ id: 'a.b/c', methods: { 'tools/list': { run: () => ({}) } } }] },
    ],
  ])('%s', (_, definition) => {
    expect(() => createServer(definition)).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
  })

  it.each(['a', 'n'.repeat(128), 'A.b_c-1', 'constructor', '__proto__', 'toString'])(
    'but takes the name %s',
    (name) => {
      expect(() =>
        createServer(base).tool(
          name,
          tool({}, () => ''),
        ),
      ).not.toThrow()
    },
  )
})
