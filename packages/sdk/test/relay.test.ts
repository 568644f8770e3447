/** A server whose answers come from elsewhere: what passes as it came, and what is the server's own business still. */

import { describe, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { RpcError } from '../src/jsonrpc/errors.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import type { Tool } from '../src/protocol/tools.ts'
import { tool } from '../src/server/items/definition.ts'
import { defineRelay, type Relay } from '../src/server/relay.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { open as openWire } from './wire.ts'

const TOOLS: readonly Tool[] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, inputSchema: { type: 'object' } }))

function createRelayed(parts: Partial<Relay>, options: { readonly pageSize?: number } = {}): Server {
  const relay: Relay = {
    // Only tools are listed here; the other lists are empty.
    list: (kind) => (kind === 'tools' ? TOOLS : []) as never,
    callTool: async () => ({ content: [] }),
    readResource: async () => ({ contents: [] }),
    getPrompt: async () => ({ messages: [] }),
    complete: async () => ({ completion: { values: [] } }),
    watch: async () => () => {},
    paramHeaders: () => [],
    ...parts,
  }
  return createServer({ name: 'relayed', version: '1', onError: () => {}, ...options, relay: defineRelay(relay) })
}

describe.each(PROTOCOL_VERSIONS)('a relayed server on %s', (versions: ProtocolVersion) => {
  const open = (server: Server, options: Parameters<typeof connect>[1] = {}) =>
    connect(server, { versions, ...options })

  test('lists what the relay lists, in pages where a size is set', async () => {
    for (const pageSize of [undefined, 2]) {
      const client = await open(createRelayed({}, pageSize === undefined ? {} : { pageSize }))
      expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
      await expect(client.request('tools/list', { cursor: 'nonsense' })).rejects.toMatchObject({ rpcCode: -32602 })
      await client.close()
    }
  })

  test('passes arguments and results as they came, unknown members included', async () => {
    const seen: unknown[] = []
    const server = createRelayed({
      callTool: async (params) => {
        seen.push(params.arguments)
        return { content: [{ type: 'text', text: 'x' }], future: 1, _meta: { 'example.com/k': 'v' } } as never
      },
    })
    const client = await open(server)
    const result = await client.request('tools/call', { name: 'a', arguments: { deep: { er: [null] } } })
    expect(seen).toEqual([{ deep: { er: [null] } }])
    expect(result).toMatchObject({ future: 1, _meta: { 'example.com/k': 'v' } })
    await client.close()
  })

  test('tells nothing of what the server behind says of itself, and leaves no empty _meta behind (house 3)', async () => {
    const behind = { 'io.modelcontextprotocol/serverInfo': { name: 'behind', version: '1' } }
    const results = [
      [{ resultType: 'complete', _meta: behind }, undefined],
      [{ _meta: { ...behind, 'example.com/k': 'v' } }, { 'example.com/k': 'v' }],
      [{ resultType: 'complete' }, undefined],
      [{ _meta: {} }, {}],
    ] as const
    for (const [members, meta] of results) {
      const server = createRelayed({ callTool: async () => ({ content: [{ type: 'text', text: 'x' }], ...members }) })
      const client = await open(server)
      const result = await client.request('tools/call', { name: 'a' })
      const own =
        versions === '2026-07-28'
          ? { 'io.modelcontextprotocol/serverInfo': { name: 'relayed', version: '1' } }
          : undefined
      expect(result._meta).toEqual(meta === undefined ? own : { ...own, ...meta })
      expect(result.resultType).toBe(versions === '2026-07-28' ? 'complete' : undefined)
      await client.close()
    }
  })

  test('words the errors of another revision in its own codes, and leaves the rest alone', async () => {
    for (const [thrown, expected] of [
      [new RpcError(-32002, 'gone', { uri: 'x://y' }), versions === '2026-07-28' ? -32602 : -32002],
      [new RpcError(-32602, 'gone', { uri: 'x://y' }), versions === '2026-07-28' ? -32602 : -32002],
      [new RpcError(-32020, 'headers'), -32603],
      [new RpcError(-31999, 'my own', { a: 1 }), -31999],
    ] as const) {
      const client = await open(createRelayed({ readResource: async () => Promise.reject(thrown) }))
      await expect(client.readResource('x://y')).rejects.toMatchObject({ rpcCode: expected })
      await client.close()
    }
  })

  test('follows a resource for one subscriber, and stops with it', async () => {
    const open_ = new Map<string, (uri: string) => void>()
    const server = createRelayed({
      watch: async (uri, _ctx, changed) => {
        if (uri === 'no://such') throw new RpcError(-32602, 'Resource not found', { uri })
        open_.set(uri, changed)
        return () => open_.delete(uri)
      },
    })
    const client = await open(server)
    const heard: unknown[] = []
    const subscription = await client.subscribe('x://y', (change) => heard.push(change))
    open_.get('x://y')?.('x://y')
    await expect.poll(() => heard).toEqual([{ kind: 'resource', uri: 'x://y' }])
    await subscription.close()
    await expect.poll(() => open_.size).toBe(0)
    await client.close()
  })

  test('puts questions in the words of the client’s revision, and takes the answer as it is', async () => {
    const server = createRelayed({
      callTool: async (_params, ctx) => {
        const { roots } = await ctx.ask('where', 'roots/list', {})
        return { content: [{ type: 'text', text: JSON.stringify(roots) }] }
      },
    })
    const client = await open(server, { roots: [{ uri: 'file:///x' }] })
    const { content } = await client.callTool('a')
    expect(content).toEqual([{ type: 'text', text: '[{"uri":"file:///x"}]' }])
    await client.close()
  })
})

test.each(['2025-06-18', '2025-11-25'] as const)(
  'sec-736: an answer in a session of %s that does not fit the question reaches no server behind',
  async (version) => {
    const passed: unknown[] = []
    const form = { type: 'object', properties: { v: { type: 'integer', minimum: 1, maximum: 5 } }, required: ['v'] }
    const server = createRelayed({
      callTool: async (_params, ctx) => {
        passed.push(await ctx.ask('q', 'elicitation/create', { message: 'How many?', requestedSchema: form }))
        return { content: [] }
      },
    })
    let content: JsonObject | undefined
    const answers = { 'elicitation/create': () => ({ action: 'accept', ...(content && { content }) }) }
    const wire = await openWire({ transport: 'memory', server }, version, {
      capabilities: { elicitation: {} },
      answers,
    })
    for (content of [undefined, { v: 99 }, { v: 'text' }, { v: { deep: [1] } }, { v: 3, more: { deep: [1] } }]) {
      const { error } = await wire.request('tools/call', { name: 'a', arguments: {} })
      expect([content, error?.message]).toEqual([content, expect.stringContaining('does not fit what was asked')])
    }
    expect(passed).toEqual([])
    content = { v: 3 }
    await wire.request('tools/call', { name: 'a', arguments: {} })
    expect(passed).toEqual([{ action: 'accept', content: { v: 3 } }])
  },
)

test('a question that comes while others are being sealed waits for the next round', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const server = createServer({
      name: 'late',
      version: '1',
      versions: ['2026-07-28'],
      onError: () => {},
      tools: {
        both: tool({}, async (_args, ctx) => {
          const late = async () => {
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
            return ctx.roots('second')
          }
          const [first, second] = await Promise.all([ctx.roots('first'), late()])
          return String(first.length + second.length)
        }),
      },
    })
    const client = await connect(server, { roots: [{ uri: 'file:///x' }] })
    expect((await client.callTool('both')).content).toEqual([{ type: 'text', text: '2' }])
    await client.close()
  }
})
