/**
 * The client's rows of the security requirements that no test of a single feature names: what it sends, what it takes,
 * and what it never does of its own accord.
 */

import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import type { Warning } from '../src/client/events.ts'
import { createMemoryCache } from '../src/client/features/cache.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { ERROR_CODES, PorticoError, RpcError } from '../src/jsonrpc/errors.ts'
import {
  CAPABILITIES,
  discovered,
  initialized,
  json,
  legacyChannel,
  type Message,
  modernChannel,
  PROCESS_MODERN,
  type Recorded,
  result,
  type ScriptedHttp,
  scriptedChannel,
  scriptedHttp,
  scriptedProcess,
  toolResult,
  until,
} from './client-peers.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

async function http(script: (request: Recorded, response: ServerResponse) => void): Promise<ScriptedHttp> {
  const server = await scriptedHttp(script)
  open.push(() => server.close())
  return server
}

/** An HTTP server of either era that answers what a test needs answered. */
function answering(era: 'modern' | 'legacy', answers: { readonly [method: string]: Record<string, unknown> }) {
  return http((request, response) => {
    const { id, method = '' } = request.body ?? {}
    if (request.method === 'GET') response.writeHead(405).end()
    else if (method === 'server/discover' && era === 'modern') json(response, 200, result(id, discovered()))
    else if (method === 'server/discover') json(response, 400, '')
    else if (method === 'initialize') json(response, 200, result(id, initialized()), { 'mcp-session-id': 'secret-1' })
    else if (id === undefined) response.writeHead(202).end()
    else json(response, 200, result(id, answers[method] ?? toolResult('x')))
  })
}

describe('what is sent over HTTP', () => {
  test.each(['modern', 'legacy'] as const)(
    'sec-8: %s: every body is one message, however many leave at once',
    async (era) => {
      const server = await answering(era, {})
      const made = await client(server.url)
      await Promise.all(Array.from({ length: 20 }, () => made.callTool('x')))
      const bodies = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
      expect(bodies.filter((body) => Array.isArray(body) || body?.jsonrpc !== '2.0')).toEqual([])
      expect(server.messages('tools/call')).toHaveLength(20)
    },
  )

  test('sec-32: the session id is on every request after the handshake, whatever its method', async () => {
    const server = await answering('legacy', {})
    const made = await client(server.url, { roots: [] })
    await made.callTool('x')
    await made.setRoots([])
    await until(() => server.requests.some(({ method }) => method === 'GET'))
    await made.close()
    const later = server.requests.slice(server.requests.findIndex(({ body }) => body?.method === 'initialize') + 1)
    expect(new Set(later.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']))
    expect(new Set(later.map(({ headers }) => headers['mcp-session-id']))).toEqual(new Set(['secret-1']))
  })
})

describe('what is sent and taken over pipes', () => {
  test('sec-38, sec-39: nothing but messages goes to stdin, each on one line', async () => {
    const target = scriptedProcess(
      `${PROCESS_MODERN}; ok({ resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(lines) }] })`,
      `const lines = []; process.stdin.on('data', (chunk) => lines.push(...String(chunk).split('\\n').slice(0, -1)))`,
    )
    const made = await client(target)
    const { content } = await made.callTool('x', { text: 'one\ntwo\r\u2028three' })
    const lines = JSON.parse((content[0] as { text: string }).text) as string[]
    expect(lines.length).toBeGreaterThanOrEqual(2)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(JSON.parse(lines.at(-1) ?? '').params.arguments).toEqual({ text: 'one\ntwo\r\u2028three' })
  })

  test('sec-38: an answer that is not UTF-8 is no answer', async () => {
    const bytes = `process.stdout.write(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":' + message.id + ',"result":{"content":[{"type":"text","text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}]}}\\n')]))`
    const made = await client(scriptedProcess(`${PROCESS_MODERN}; ${bytes}`))
    const warnings: Warning[] = []
    made.on('warning', (warning) => warnings.push(warning))
    await expect(made.callTool('x', {}, { timeoutMs: 2_000 })).rejects.toBeInstanceOf(PorticoError)
    expect(warnings.some(({ kind }) => kind === 'irregular')).toBe(true)
  })

  test.each(['modern', 'older'])(
    'sec-42, sec-148: %s: a call is cancelled by its id once; what comes for it afterwards is ignored',
    async (era) => {
      const { channel, received } = (era === 'modern' ? modernChannel : legacyChannel)((message, reply) => {
        if (message.method !== 'notifications/cancelled') return
        const id = message.params?.requestId
        reply({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } })
        reply(result(id, toolResult('late')))
        reply({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'never was' } })
      })
      const made = await client(channel)
      const controller = new AbortController()
      const progress: unknown[] = []
      const call = made.callTool('x', {}, { signal: controller.signal, onProgress: (report) => progress.push(report) })
      await until(() => received.some(({ method }) => method === 'tools/call'))
      controller.abort()
      controller.abort()
      await expect(call).rejects.toMatchObject({ code: 'aborted', delivery: 'unknown' })
      const cancelled = received.filter(({ method }) => method === 'notifications/cancelled')
      expect(cancelled.map(({ params }) => params?.requestId)).toEqual([
        received.find(({ method }) => method === 'tools/call')?.id,
      ])
      expect(progress).toEqual([])
    },
  )
})

describe('what a server says is not believed further than it must be', () => {
  test('sec-126: that a tool calls itself read-only or idempotent is believed for one lost call, sent once more', async () => {
    let calls = 0
    const server = await http(({ body }, response) => {
      if (body?.method === 'server/discover') json(response, 200, result(body.id, discovered()))
      else if (body?.method === 'tools/list') {
        const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }
        json(
          response,
          200,
          result(body.id, {
            resultType: 'complete',
            tools: [{ name: 'x', inputSchema: { type: 'object' }, annotations }],
          }),
        )
      } else {
        calls++
        response.socket?.resetAndDestroy()
      }
    })
    const made = await client(server.url)
    await made.listTools()
    await expect(made.callTool('x')).rejects.toMatchObject({ code: 'closed', delivery: 'unknown' })
    expect(calls).toBe(2)
  })

  test.each([
    ['no messages', {}],
    ['messages that are none', { messages: [1, null] }],
  ])('sec-133: a prompt with %s is an error, not a prompt', async (_, given) => {
    const { channel } = modernChannel((message, reply) =>
      reply(result(message.id, { resultType: 'complete', ...given })),
    )
    await expect((await client(channel)).getPrompt('x')).rejects.toMatchObject({
      code: 'invalid-message',
      delivery: 'unknown',
    })
  })

  test('sec-137: ids are integers that never come twice, over reconnections too', async () => {
    const ids: unknown[] = []
    const server = await http(({ body }, response) => {
      ids.push(body?.id)
      if (body?.method === 'server/discover') json(response, 200, result(body.id, discovered()))
      else if (ids.length === 10) response.socket?.resetAndDestroy()
      else json(response, 200, result(body?.id, toolResult('x')))
    })
    const made = await client(server.url)
    await Promise.all(Array.from({ length: 30 }, () => made.callTool('x').catch(() => {})))
    expect(ids.every((id) => Number.isSafeInteger(id))).toBe(true)
    expect(new Set(ids).size).toBe(31)
  })

  test.each([
    ['absent', {}, true],
    ['complete', { resultType: 'complete' }, true],
    ['unknown', { resultType: 'work' }, false],
    ['a task of a server without tasks', { resultType: 'task' }, false],
    ['no string', { resultType: 7 }, false],
    ['null', { resultType: null }, false],
  ])('sec-138: a result type that is %s', async (_, extra, fine) => {
    const { channel } = modernChannel((message, reply) => reply(result(message.id, { content: [], ...extra })))
    const call = (await client(channel)).callTool('x')
    if (fine) expect((await call).content).toEqual([])
    else await expect(call).rejects.toMatchObject({ code: 'invalid-message' })
  })

  test('sec-139: errors of this side have words for codes; numbers come from the other side alone', async () => {
    const { channel } = modernChannel((message, reply) => {
      if (message.params?.name === 'refused')
        reply({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'closed' } })
    })
    const made = await client(channel)
    const local = await made.callTool('silent', {}, { timeoutMs: 20 }).catch((caught) => caught)
    const remote = await made.callTool('refused').catch((caught) => caught)
    expect([local instanceof RpcError, 'rpcCode' in local, local.code]).toEqual([false, false, 'timeout'])
    expect([remote instanceof RpcError, remote.rpcCode, remote.code]).toEqual([true, -32603, 'peer-error'])
    expect(Object.keys(ERROR_CODES)).toContain(local.code)
  })

  test('sec-141, sec-157: a server that gives itself the name of another gets nothing of what was kept for that one', async () => {
    const cache = createMemoryCache()
    const list = (name: string) => ({
      resultType: 'complete',
      tools: [{ name, inputSchema: { type: 'object' } }],
      ttlMs: 60_000,
      cacheScope: 'public',
    })
    const [one, two] = await Promise.all([
      answering('modern', { 'tools/list': list('one') }),
      answering('modern', { 'tools/list': list('two') }),
    ])
    const names = async (server: ScriptedHttp) =>
      (await (await client(server.url, { cache, cacheIdentity: 'me' })).listTools()).map(({ name }) => name)
    expect([await names(one), await names(two), await names(one)]).toEqual([['one'], ['two'], ['one']])
    expect(one.messages('tools/list')).toHaveLength(1)
  })

  test.each([-1, 0, Number.NaN, '60000', 1e300])(
    'sec-157: a time to live of %s keeps nothing beyond a day',
    async (ttlMs) => {
      const { channel, received } = modernChannel((message, reply) =>
        reply(result(message.id, { resultType: 'complete', tools: [], ttlMs, cacheScope: 'private' })),
      )
      const kept: number[] = []
      const memory = createMemoryCache()
      const cache = {
        ...memory,
        set: (key: string, entry: { result: Record<string, unknown>; freshUntil: number }) => {
          kept.push(entry.freshUntil - Date.now())
          return memory.set(key, entry)
        },
      }
      const made = await client(channel, { cache })
      await made.listTools()
      await made.listTools()
      const asks = received.filter(({ method }) => method === 'tools/list').length
      expect(asks).toBe(ttlMs === 1e300 ? 1 : 2)
      for (const ms of kept) expect(ms).toBeLessThanOrEqual(86_400_000)
    },
  )

  test('sec-143, sec-146: no icon and no schema is ever fetched', async () => {
    const canary = await http((_, response) => response.end())
    const icons = [{ src: `${canary.url}/icon.svg`, mimeType: 'image/svg+xml' }, { src: 'javascript:alert(1)' }]
    const outputSchema = { type: 'object', properties: { a: { $ref: `${canary.url}/schema.json` } } }
    const { channel } = scriptedChannel((message, reply) => {
      const meta = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1', icons } }
      if (message.method === 'server/discover') reply(result(message.id, { ...discovered(), _meta: meta }))
      else if (message.method === 'tools/list')
        reply(
          result(message.id, {
            resultType: 'complete',
            tools: [{ name: 'x', icons, outputSchema, inputSchema: { type: 'object' } }],
          }),
        )
      else reply(result(message.id, toolResult('x', { structuredContent: { a: 1 } })))
    })
    const made = await client(channel)
    await made.listTools()
    await made.callTool('x').catch(() => {})
    expect(made.server.info?.name).toBe('s')
    expect(canary.requests).toEqual([])
  })

  test('sec-145: an output schema in a dialect that is not known is reported, and the call goes on', async () => {
    const outputSchema = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }
    const { channel } = modernChannel((message, reply) => {
      if (message.method === 'tools/list')
        reply(
          result(message.id, {
            resultType: 'complete',
            tools: [{ name: 'x', outputSchema, inputSchema: { type: 'object' } }],
          }),
        )
      else reply(result(message.id, toolResult('x', { structuredContent: {} })))
    })
    const made = await client(channel)
    const warnings: Warning[] = []
    made.on('warning', (warning) => warnings.push(warning))
    await made.listTools()
    await made.callTool('x')
    expect(warnings.map(({ kind, subject }) => [kind, subject])).toContainEqual(['schema-not-checked', 'x'])
  })

  test.each<[string, (made: Client) => Promise<unknown>]>([
    ['call', (made) => made.callTool('x')],
    ['list', (made) => made.listTools()],
    ['read', (made) => made.readResource('x:y')],
    ['prompt', (made) => made.getPrompt('x')],
    [
      'completion',
      (made) => made.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } }),
    ],
    ['ping', (made) => made.ping()],
    ['level', (made) => made.setLogLevel('error')],
    ['extension', (made) => made.request('x/y')],
  ])('sec-147: every kind of request has a timeout: %s', async (_, use) => {
    const { channel } = scriptedChannel((message, reply) => {
      if (message.method === 'server/discover')
        reply({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } })
      if (message.method === 'initialize') reply(result(message.id, initialized('2025-11-25', CAPABILITIES)))
    })
    const made = await client(channel, { timeouts: { callMs: 40, readMs: 40, listMs: 40, ceilingMs: 100 } })
    await expect(use(made)).rejects.toMatchObject({ code: 'timeout', delivery: 'unknown' })
  })

  test.each(['result', 'cancelled'])(
    'sec-156: a subscription that the server ends by %s is taken up again',
    async (how) => {
      const listens: Message[] = []
      const { channel } = modernChannel((message, reply) => {
        if (message.method !== 'subscriptions/listen') return
        listens.push(message)
        const meta = { 'io.modelcontextprotocol/subscriptionId': message.id }
        reply({
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true }, _meta: meta },
        })
        if (listens.length > 1) return
        if (how === 'result') reply(result(message.id, { resultType: 'complete', _meta: meta }))
        else reply({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } })
      })
      const changes: unknown[] = []
      await (await client(channel)).subscribe({ toolsListChanged: true }, (change) => changes.push(change))
      await until(() => changes.length === 1)
      expect(changes).toEqual([{ kind: 'tools', synthetic: true }])
      expect(new Set(listens.map(({ id }) => id)).size).toBe(2)
    },
  )
})
