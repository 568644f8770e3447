import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import type { ChangeNotice, Warning } from '../src/client/events.ts'
import { createMemoryCache } from '../src/client/features/cache.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import type { ElicitParams } from '../src/protocol/elicitation.ts'
import {
  discovered,
  error,
  initialized,
  json,
  legacyChannel,
  type Message,
  modernChannel,
  PROCESS_MODERN,
  result,
  type ScriptedHttp,
  scriptedChannel,
  scriptedHttp,
  scriptedProcess,
  toolResult,
  until,
} from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

async function http(script: Parameters<typeof scriptedHttp>[0]): Promise<ScriptedHttp> {
  const server = await scriptedHttp((request, response, raw) => {
    if (request.body?.method === 'server/discover') json(response, 200, result(request.body.id, discovered()))
    else script(request, response, raw)
  })
  open.push(() => server.close())
  return server
}

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const ask = (params: object) => ({ method: 'elicitation/create', params: { message: 'Name?', ...params } })
const calls = (received: Message[]) => received.filter(({ method }) => method === 'tools/call')

describe('multi-round input (2026-07-28, "Multi Round-Trip Requests")', () => {
  /** Plays one result per round. */
  function rounds(...results: object[]) {
    let round = 0
    return modernChannel((message, reply) => {
      if (message.method !== 'tools/call') return
      reply(result(message.id, (results[Math.min(round++, results.length - 1)] ?? {}) as Record<string, unknown>))
    })
  }
  const accept = { elicitation: { form: () => ({ action: 'accept', content: { name: 'Ann' } }) as const } }
  const required = (extra: object) => ({ resultType: 'input_required', ...extra })

  test('answers and state go into a new request with a new id; the state is echoed byte for byte (sec-154)', async () => {
    const requestState = '{"a" : 1}\u00e9\n\u{1F600}=='
    const { channel, received } = rounds(
      required({ inputRequests: { who: ask({ requestedSchema: FORM }) }, requestState }),
      toolResult('done'),
    )
    await (await client(channel, accept)).callTool('x', { y: 1 })
    const [first, second] = calls(received)
    expect(second?.id).not.toBe(first?.id)
    expect(second?.params).toMatchObject({
      name: 'x',
      arguments: { y: 1 },
      requestState,
      inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
    })
  })

  test('no state is sent where none came, and nothing leaks into other requests', async () => {
    const { channel, received } = rounds(
      required({ inputRequests: { who: ask({ requestedSchema: FORM }) }, requestState: 's1' }),
      required({ inputRequests: { who: ask({ requestedSchema: FORM }) } }),
      toolResult('done'),
    )
    const made = await client(channel, accept)
    await made.callTool('x')
    await made.callTool('y')
    const sent = calls(received).map(({ params }) => [params?.requestState, params?.inputResponses !== undefined])
    expect(sent).toEqual([
      [undefined, false],
      ['s1', true],
      [undefined, true],
      [undefined, false],
    ])
  })

  test('state without questions is sent back at once', async () => {
    const { channel, received } = rounds(required({ requestState: 's' }), toolResult('done'))
    await (await client(channel)).callTool('x')
    expect(calls(received)[1]?.params).not.toHaveProperty('inputResponses')
  })

  test('rounds are bounded', async () => {
    const { channel, received } = rounds(required({ requestState: 's' }))
    const call = (await client(channel, { limits: { maxRounds: 3 } })).callTool('x')
    await expect(call).rejects.toMatchObject({ code: 'limit-exceeded', message: 'maxRounds (3) exceeded' })
    expect(calls(received)).toHaveLength(4)
  })

  test.each([
    ['neither questions nor state', {}],
    ['questions that are no object', { inputRequests: [] }],
    ['a question without a method', { inputRequests: { a: {} } }],
    ['a state that is no string', { requestState: 1 }],
  ])('%s is an invalid message', async (_, extra) => {
    const { channel } = rounds(required(extra))
    await expect((await client(channel)).callTool('x')).rejects.toMatchObject({ code: 'invalid-message' })
  })

  test('a question that this client does not offer fails the call', async () => {
    const { channel, received } = rounds(required({ inputRequests: { a: { method: 'roots/list' } } }))
    await expect((await client(channel)).callTool('x')).rejects.toMatchObject({
      code: 'input-refused',
      cause: expect.objectContaining({ rpcCode: -32601 }),
    })
    expect(calls(received)).toHaveLength(1)
  })

  test('a list may not ask', async () => {
    const { channel } = modernChannel((message, reply) => reply(result(message.id, required({ requestState: 's' }))))
    await expect((await client(channel)).listTools()).rejects.toMatchObject({ code: 'invalid-message' })
  })

  test('keys such as __proto__ are ordinary (sec-25)', async () => {
    const { channel, received } = rounds(
      JSON.parse('{"resultType":"input_required","inputRequests":{"__proto__":{"method":"roots/list"}}}'),
      toolResult('done'),
    )
    await (await client(channel, { roots: [] })).callTool('x')
    expect(JSON.stringify(calls(received)[1]?.params)).toContain('"inputResponses":{"__proto__":{"roots":[]}}')
    expect(({} as { roots?: unknown }).roots).toBeUndefined()
  })
})

describe('elicitation', () => {
  const form = (fields: object, required: string[] = []) => ({
    requestedSchema: { type: 'object', properties: fields, required },
  })

  async function answerTo(params: object, handlers: ConnectOptions['elicitation'], version = '2025-11-25') {
    let answer: Message | undefined
    const { channel } = legacyChannel((message, reply) => {
      if (message.method === 'tools/call') reply({ jsonrpc: '2.0', id: 'q', ...ask(params) })
      else if (message.id === 'q') {
        answer = message
        reply(result(2, toolResult('x')))
        reply(result(3, toolResult('x')))
      }
    }, version)
    const made = await client(channel, { elicitation: handlers })
    await made.callTool('x')
    return answer as Message & { result?: unknown; error?: { code: number } }
  }

  test('defaults are filled in for every kind of field', async () => {
    const params = form({
      text: { type: 'string', default: 'a' },
      age: { type: 'integer', default: 3 },
      score: { type: 'number', default: 1.5 },
      on: { type: 'boolean', default: false },
      one: { type: 'string', enum: ['a', 'b'], default: 'b' },
      many: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, default: ['x'] },
      none: { type: 'string' },
    })
    const { result: answer } = await answerTo(params, { form: () => ({ action: 'accept', content: { age: 4 } }) })
    expect(answer).toEqual({
      action: 'accept',
      content: { text: 'a', age: 4, score: 1.5, on: false, one: 'b', many: ['x'] },
    })
  })

  test.each(['decline', 'cancel'] as const)('%s carries no content', async (action) => {
    const { result: answer } = await answerTo(form({ a: { type: 'string', default: 'x' } }), {
      form: () => ({ action }),
    })
    expect(answer).toEqual({ action })
  })

  test.each([
    ['a wrong type', { a: 'three' }],
    ['a missing field', {}],
    ['a value out of range', { a: 11 }],
  ])('an answer with %s does not leave the client', async (_, content) => {
    const params = form({ a: { type: 'number', maximum: 10 } }, ['a'])
    const { error: failure } = await answerTo(params, { form: () => ({ action: 'accept', content }) as never })
    expect(failure).toMatchObject({ code: -32603 })
    expect(JSON.stringify(failure)).not.toContain('three')
  })

  test.each([
    ['a mode that is not offered', { mode: 'url', url: 'https://x.example/' }],
    ['an unknown mode', { mode: 'telepathy' }],
    ['a form without a schema', {}],
    ['a schema that is none', { requestedSchema: { type: 'object', properties: { a: { type: 'nothing' } } } }],
  ])('%s is refused with -32602', async (_, params) => {
    const { error: failure } = await answerTo(params, { form: () => ({ action: 'accept', content: {} }) })
    expect(failure).toMatchObject({ code: -32602 })
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'no url'])('the URL %s is never shown', async (url) => {
    const shown: ElicitParams[] = []
    const { error: failure } = await answerTo(
      { mode: 'url', url, elicitationId: 'e' },
      {
        url: (params) => {
          shown.push(params)
          return { action: 'accept' }
        },
      },
    )
    expect(failure).toMatchObject({ code: -32602 })
    expect(shown).toEqual([])
  })

  test('nothing fetches a URL that is asked about (sec-104)', async () => {
    let hits = 0
    const canary = await scriptedHttp((_, response) => {
      hits++
      response.end()
    })
    open.push(() => canary.close())
    const { result: answer } = await answerTo(
      { mode: 'url', url: canary.url, elicitationId: 'e' },
      { url: () => ({ action: 'accept', content: { a: 1 } }) },
    )
    expect(answer).toEqual({ action: 'accept' })
    expect(hits).toBe(0)
  })

  test('without any handler the method does not exist', async () => {
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method === 'ping') {
        reply({ jsonrpc: '2.0', id: 'q', ...ask({}) })
        reply(result(message.id, {}))
      }
    })
    const made = await client(channel)
    await made.ping()
    await until(() => received.some(({ id }) => id === 'q'))
    expect(received.find(({ id }) => id === 'q')?.error).toMatchObject({ code: -32601 })
    expect(received.find(({ method }) => method === 'initialize')?.params?.capabilities).toEqual({})
  })

  describe('-32042 (2025-11-25, "URL Elicitation Required")', () => {
    const elicitations = [{ mode: 'url', elicitationId: 'e1', url: 'https://x.example/go', message: 'Go' }]

    function requiring(complete: boolean) {
      let asked = 0
      return legacyChannel((message, reply) => {
        if (message.method !== 'tools/call') return
        if (asked++ > 0) reply(result(message.id, toolResult('done')))
        else {
          reply(error(message.id, -32042, 'first', { elicitations }))
          if (complete) {
            for (const elicitationId of ['unknown', 'e1']) {
              setTimeout(
                () =>
                  reply({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } }),
                20,
              )
            }
          }
        }
      })
    }

    test('the URL is shown, and the call repeated once the person says so', async () => {
      const { channel, received } = requiring(false)
      const shown: string[] = []
      const url = (params: { url: string }) => {
        shown.push(params.url)
        return { action: 'accept' } as const
      }
      await (await client(channel, { elicitation: { url } })).callTool('x')
      expect(shown).toEqual(['https://x.example/go'])
      expect(calls(received)).toHaveLength(2)
    })

    test('the completion notice counts as well; unknown ids do not (sec-112)', async () => {
      const { channel, received } = requiring(true)
      const made = await client(channel, { elicitation: { url: () => new Promise(() => {}) } })
      await made.callTool('x')
      expect(calls(received)).toHaveLength(2)
    })

    test('a refusal gives the error back', async () => {
      const { channel, received } = requiring(false)
      const made = await client(channel, { elicitation: { url: () => ({ action: 'decline' }) } })
      await expect(made.callTool('x')).rejects.toMatchObject({ rpcCode: -32042 })
      expect(calls(received)).toHaveLength(1)
    })
  })
})

describe('sampling and roots, asked live', () => {
  test('tools are refused unless declared', async () => {
    const params = { messages: [], maxTokens: 1, tools: [] }
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method === 'ping') {
        reply({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params })
        reply(result(message.id, {}))
      }
    })
    const made = await client(channel, {
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }),
    })
    await made.ping()
    await until(() => received.some(({ id }) => id === 'q'))
    expect(received.find(({ id }) => id === 'q')?.error).toMatchObject({ code: -32602 })
  })

  test('new roots are announced to a session, and served from then on', async () => {
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method === 'notifications/roots/list_changed')
        reply({ jsonrpc: '2.0', id: 'q', method: 'roots/list' })
    })
    const made = await client(channel, { roots: [{ uri: 'file:///a' }] })
    await made.setRoots([{ uri: 'file:///b' }])
    await until(() => received.some(({ id }) => id === 'q'))
    expect(received.find(({ id }) => id === 'q')?.result).toEqual({ roots: [{ uri: 'file:///b' }] })
  })

  test('a question right after the handshake is answered', async () => {
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method === 'notifications/initialized') reply({ jsonrpc: '2.0', id: 'q', method: 'roots/list' })
    })
    await client(channel, { roots: [{ uri: 'file:///a' }] })
    await until(() => received.some(({ id }) => id === 'q'))
    expect(received.find(({ id }) => id === 'q')?.result).toEqual({ roots: [{ uri: 'file:///a' }] })
  })

  test('what a handler throws is reported here, and stays here', async () => {
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method !== 'ping') return
      reply({ jsonrpc: '2.0', id: 'q', method: 'roots/list' })
      reply(result(message.id, {}))
    })
    const made = await client(channel, {
      roots: () => {
        throw new Error('secret detail')
      },
    })
    const warnings: Warning[] = []
    made.on('warning', (warning) => warnings.push(warning))
    await made.ping()
    await until(() => received.some(({ id }) => id === 'q'))
    expect(JSON.stringify(received)).not.toContain('secret detail')
    expect(warnings).toMatchObject([{ kind: 'handler-failed', message: 'roots/list was not answered: secret detail' }])
  })

  test('a ping of the server is answered', async () => {
    const { channel, received } = legacyChannel((message, reply) => {
      if (message.method === 'notifications/initialized') reply({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    })
    await client(channel)
    await until(() => received.some(({ id }) => id === 'p'))
    expect(received.find(({ id }) => id === 'p')?.result).toEqual({})
  })

  test('the clock of a call stands still while a person is being asked', async () => {
    const { channel } = legacyChannel((message, reply) => {
      if (message.method === 'tools/call') reply({ jsonrpc: '2.0', id: 'q', ...ask({ requestedSchema: FORM }) })
      else if (message.id === 'q') reply(result(3, toolResult('done')))
    })
    const form = async () => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      return { action: 'accept', content: { name: 'slow reader' } } as const
    }
    const made = await client(channel, { elicitation: { form }, timeouts: { callMs: 60 } })
    expect((await made.callTool('x')).content).toHaveLength(1)
  })

  test('requests on the stream for notices are answered by POST', async () => {
    const server = await scriptedHttp((request, response) => {
      const { id, method } = request.body ?? {}
      if (method === 'initialize') json(response, 200, result(id, initialized()), { 'mcp-session-id': 's' })
      else if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}\n\n')
      } else response.writeHead(202).end()
    })
    open.push(() => server.close())
    await client(server.url, { versions: '2025-11-25', roots: [{ uri: 'file:///a' }] })
    await until(() => server.requests.some(({ body }) => body?.id === 'q'))
    expect(server.requests.find(({ body }) => body?.id === 'q')).toMatchObject({
      method: 'POST',
      headers: { 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25' },
      body: { result: { roots: [{ uri: 'file:///a' }] } },
    })
  })
})

describe('tools', () => {
  const list = (...tools: object[]) => ({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' })
  const schema = (properties: object) => ({ type: 'object', properties })

  test('arguments marked x-mcp-header are mirrored; invalid definitions are left out with a warning (sec-20, sec-21)', async () => {
    const tools = [
      {
        name: 'ok',
        inputSchema: schema({
          region: { type: 'string', 'x-mcp-header': 'Region' },
          n: { type: 'integer', 'x-mcp-header': 'N' },
        }),
      },
      { name: 'bad', inputSchema: schema({ a: { type: 'number', 'x-mcp-header': 'A' } }) },
      { name: 'worse', inputSchema: schema({ a: { type: 'string', 'x-mcp-header': 'a\r\nb' } }) },
    ]
    const server = await http((request, response) => {
      const { id, method } = request.body ?? {}
      json(response, 200, result(id, method === 'tools/list' ? list(...tools) : toolResult('x')))
    })
    const made = await client(server.url)
    const warnings: Warning[] = []
    made.on('warning', (warning) => warnings.push(warning))
    expect((await made.listTools()).map(({ name }) => name)).toEqual(['ok'])
    expect(warnings.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['tool-left-out', 'bad'],
      ['tool-left-out', 'worse'],
    ])
    await made.callTool('ok', { region: 'Zürich', n: 4 })
    await made.callTool('ok', { region: null })
    expect(
      server
        .messages('tools/call')
        .map(({ headers }) => [headers['mcp-param-region'], headers['mcp-param-n'], headers['mcp-name']]),
    ).toEqual([
      ['=?base64?WsO8cmljaA==?=', '4', 'ok'],
      [undefined, undefined, 'ok'],
    ])
  })

  test('a header mismatch refreshes the list and sends the call once more', async () => {
    const tool = { name: 'x', inputSchema: schema({ a: { type: 'string', 'x-mcp-header': 'A' } }) }
    const server = await http((request, response) => {
      const { id, method } = request.body ?? {}
      if (method === 'tools/list') json(response, 200, result(id, list(tool)))
      else if (request.headers['mcp-param-a'] === 'v') json(response, 200, result(id, toolResult('fine')))
      else json(response, 400, error(id, -32020, 'Header mismatch'))
    })
    const made = await client(server.url)
    expect((await made.callTool('x', { a: 'v' })).content).toHaveLength(1)
    expect(server.requests.map(({ body }) => body?.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/call',
    ])
    await expect(made.callTool('x', { a: 'other' })).rejects.toMatchObject({ rpcCode: -32020 })
  })

  test.each<[string, object, object, string | undefined]>([
    ['fits', { type: 'object', required: ['n'] }, { structuredContent: { n: 1 } }, undefined],
    ['does not fit', { type: 'object', required: ['n'] }, { structuredContent: {} }, 'invalid-result'],
    ['is missing', { type: 'object' }, {}, 'invalid-result'],
    ['is missing from a failure', { type: 'object' }, { isError: true }, undefined],
    ['is no object, on the newest revision', { type: 'array' }, { structuredContent: [1] }, undefined],
    [
      'is meant for a schema with a network reference',
      { $ref: 'https://x.example/s' },
      { structuredContent: {} },
      undefined,
    ],
  ])('structured content that %s (sec-129, sec-143)', async (_, outputSchema, extra, code) => {
    const { channel } = modernChannel((message, reply) => {
      const tools = list({ name: 'x', inputSchema: { type: 'object' }, outputSchema })
      reply(
        result(message.id, message.method === 'tools/list' ? tools : toolResult('t', extra as Record<string, unknown>)),
      )
    })
    const made = await client(channel)
    const warnings: string[] = []
    made.on('warning', ({ kind }) => warnings.push(kind))
    await made.listTools()
    const call = made.callTool('x')
    if (code === undefined) await call
    else await expect(call).rejects.toMatchObject({ code })
    expect(warnings).toEqual('$ref' in outputSchema ? ['schema-not-checked'] : [])
  })

  test('a hostile output schema or value freezes nothing (sec-144)', async () => {
    const text = 'a'.repeat(50_000)
    const deep = JSON.parse(`${'{"anyOf":['.repeat(50)}{}${']}'.repeat(50)}`)
    const tools = [
      { name: 'pattern', inputSchema: {}, outputSchema: { properties: { t: { pattern: '^(a+)+b$' } } } },
      { name: 'deep', inputSchema: {}, outputSchema: deep },
    ]
    const { channel } = modernChannel((message, reply) => {
      reply(
        result(
          message.id,
          message.method === 'tools/list' ? list(...tools) : toolResult('x', { structuredContent: { t: text } }),
        ),
      )
    })
    const made = await client(channel)
    await made.listTools()
    const before = Date.now()
    await expect(made.callTool('pattern')).rejects.toMatchObject({ code: 'invalid-result' })
    await made.callTool('deep').catch(() => {})
    expect(Date.now() - before).toBeLessThan(2_000)
  })

  test('pages are bounded, and a cursor that comes again is an error', async () => {
    let page = 0
    const endless = modernChannel((message, reply) =>
      reply(result(message.id, { tools: [], nextCursor: String(page++) })),
    )
    await expect((await client(endless.channel)).listTools()).rejects.toMatchObject({
      message: expect.stringContaining('maxPages (64)'),
    })
    expect(page).toBe(64)
    const looping = modernChannel((message, reply) => reply(result(message.id, { tools: [], nextCursor: 'same' })))
    await expect((await client(looping.channel)).listTools()).rejects.toMatchObject({ code: 'invalid-message' })
    const long = modernChannel((message, reply) =>
      reply(result(message.id, { tools: Array.from({ length: 11 }, () => ({ name: 'x', inputSchema: {} })) })),
    )
    const limited = await client(long.channel, { limits: { maxListItems: 10 } })
    await expect(limited.listTools()).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  test('what the server did not declare fails here and is not sent', async () => {
    const { channel, received } = scriptedChannel((message, reply) =>
      reply(result(message.id, discovered({ tools: {} }))),
    )
    const made = await client(channel)
    for (const call of [
      made.listPrompts(),
      made.readResource('a:b'),
      made.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'capability-missing', delivery: 'not-sent' })
    }
    expect(received).toHaveLength(1)
  })
})

describe('_meta and logging', () => {
  test('the envelope is on every modern request, and the caller cannot change it', async () => {
    const { channel, received } = modernChannel((message, reply) =>
      reply(result(message.id, toolResult('x', { _meta: { traceparent: 'back' } }))),
    )
    const made = await client(channel, { info: { name: 'me', version: '2' }, experimental: { x: {} } })
    const meta = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
      'io.modelcontextprotocol/protocolVersion': '1',
    }
    expect((await made.callTool('x', {}, { meta }))._meta).toEqual({ traceparent: 'back' })
    expect(received[1]?.params?._meta).toMatchObject({
      traceparent: meta.traceparent,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'me', version: '2' },
      'io.modelcontextprotocol/clientCapabilities': { experimental: { x: {} } },
    })
  })

  test('the log level is asked for in each modern request, and by a request of its own before', async () => {
    const modern = modernChannel((message, reply) => reply(result(message.id, toolResult('x'))))
    const made = await client(modern.channel)
    await made.setLogLevel('error')
    await made.callTool('x')
    expect(modern.received[1]?.params?._meta).toMatchObject({ 'io.modelcontextprotocol/logLevel': 'error' })
    const legacy = legacyChannel((message, reply) => message.id !== undefined && reply(result(message.id, {})))
    await (await client(legacy.channel)).setLogLevel('debug')
    expect(legacy.received.at(-1)).toMatchObject({ method: 'logging/setLevel', params: { level: 'debug' } })
  })

  test('a flood of notifications is bounded, and changes are not lost in it', async () => {
    const { channel } = modernChannel((message, reply) => {
      // The list that the call or a change may ask for: the flood comes once.
      if (message.method !== 'tools/call')
        return reply(result(message.id, { tools: [], ttlMs: 0, cacheScope: 'public' }))
      for (let n = 0; n < 1_000; n++)
        reply({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: n } })
      for (let n = 0; n < 50; n++) reply({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      reply(result(message.id, toolResult('x')))
    })
    const made = await client(channel, { limits: { notificationsPerSecond: 20 } })
    let logs = 0
    const changes: ChangeNotice[] = []
    const warnings: string[] = []
    made.on('log', () => logs++)
    made.on('warning', ({ message }) => warnings.push(message))
    const remove = made.on('notification', () => {})
    remove()
    made.on('change', (change) => changes.push(change))
    await made.callTool('x')
    expect(logs).toBe(20)
    await until(() => changes.length > 0)
    expect(changes).toEqual([{ kind: 'tools' }])
    expect(warnings.join()).toContain('980 notifications were dropped: notificationsPerSecond (20) exceeded')
  })
})

test('extensions: result types and the source of Mcp-Name can be named', async () => {
  const server = await http((request, response) => {
    json(response, 200, result(request.body?.id, { resultType: 'task', taskId: request.body?.params?.taskId }))
  })
  const made = await client(server.url, { resultTypes: ['task'], nameSources: { 'tasks/get': 'taskId' } })
  expect(await made.request('tasks/get', { taskId: 't1' })).toEqual({ resultType: 'task', taskId: 't1' })
  expect(server.requests.at(-1)?.headers).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': 't1' })
  const plain = await client(server.url)
  await expect(plain.request('tasks/get', { taskId: 't1' })).rejects.toMatchObject({ code: 'invalid-message' })
})

describe('caching (2026-07-28, "Caching")', () => {
  function listing(hints: object) {
    return modernChannel((message, reply) => {
      if (message.method === 'tools/list') reply(result(message.id, { resultType: 'complete', tools: [], ...hints }))
      if (message.method === 'resources/read')
        reply(result(message.id, { contents: [{ uri: message.params?.uri, text: 'x' }], ...hints }))
      if (message.method === 'tools/call') {
        reply({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        reply({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:1' } })
        reply(result(message.id, toolResult('x')))
      }
    })
  }
  const count = (received: Message[], method: string) => received.filter((message) => message.method === method).length

  test.each([
    ['a time to live is kept', { ttlMs: 60_000, cacheScope: 'private' }, 1],
    ['zero is not', { ttlMs: 0, cacheScope: 'private' }, 2],
    ['a negative one is not', { ttlMs: -5, cacheScope: 'public' }, 2],
    ['none at all is not', {}, 2],
  ])('%s', async (_, hints, asked) => {
    const { channel, received } = listing(hints)
    const made = await client(channel)
    await made.listTools()
    await made.listTools()
    await made.readResource('a:1')
    await made.readResource('a:1')
    await made.readResource('a:2')
    expect(count(received, 'tools/list')).toBe(asked)
    expect(count(received, 'resources/read')).toBe(asked * 2 - (asked - 1))
  })

  test('notices make it stale', async () => {
    const { channel, received } = listing({ ttlMs: 60_000, cacheScope: 'private' })
    const made = await client(channel)
    for (let round = 0; round < 2; round++) {
      await made.listTools()
      await made.readResource('a:1')
      await made.readResource('a:2')
      await made.callTool('x')
    }
    expect(count(received, 'tools/list')).toBe(2)
    expect(received.filter(({ method }) => method === 'resources/read').map(({ params }) => params?.uri)).toEqual([
      'a:1',
      'a:2',
      'a:1',
    ])
  })

  test('in a shared cache, private results stay with their owner; public ones do not have to', async () => {
    const cache = createMemoryCache()
    const asked = async (hints: object) => {
      const server = await http((request, response) => {
        json(response, 200, result(request.body?.id, { resultType: 'complete', tools: [], ...hints }))
      })
      for (const cacheIdentity of ['ann', 'bob', 'ann']) {
        await (await client(server.url, { cache, cacheIdentity })).listTools()
      }
      return server.messages('tools/list').length
    }
    expect(await asked({ ttlMs: 60_000, cacheScope: 'private' })).toBe(2)
    cache.deletePrefix('')
    expect(await asked({ ttlMs: 60_000, cacheScope: 'public' })).toBe(1)
  })

  test('a page at the empty cursor is not the first page (sec-136)', async () => {
    const { channel, received } = modernChannel((message, reply) => {
      const first = message.params?.cursor === undefined
      const tools = [{ name: first ? 'a' : 'b', inputSchema: { type: 'object' } }]
      reply(result(message.id, { tools, ttlMs: 60_000, cacheScope: 'private', ...(first && { nextCursor: '' }) }))
    })
    const made = await client(channel)
    for (let round = 0; round < 2; round++) {
      expect((await made.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
    }
    expect(count(received, 'tools/list')).toBe(2)
  })

  test('a result that was asked for before a change is not kept after it', async () => {
    let lists = 0
    const { channel } = modernChannel((message, reply) => {
      lists++
      reply({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      reply(result(message.id, { tools: [], ttlMs: 60_000, cacheScope: 'private' }))
    })
    const made = await client(channel)
    await made.listTools()
    await made.listTools()
    expect(lists).toBe(2)
  })

  test('what one caller does to a result is not seen by the next', async () => {
    const { channel } = listing({ ttlMs: 60_000, cacheScope: 'private' })
    const made = await client(channel)
    for (let round = 0; round < 3; round++) {
      const { contents } = await made.readResource('a:1')
      expect(contents).toHaveLength(1)
      contents.length = 0
    }
  })

  test('results of a round of input are not kept', async () => {
    let reads = 0
    const { channel } = modernChannel((message, reply) => {
      reads++
      const again = message.params?.requestState === undefined
      reply(
        result(
          message.id,
          again
            ? { resultType: 'input_required', requestState: 's' }
            : { contents: [], ttlMs: 60_000, cacheScope: 'public' },
        ),
      )
    })
    const made = await client(channel)
    await made.readResource('a:1')
    await made.readResource('a:1')
    expect(reads).toBe(4)
  })
})

describe('subscriptions outlive connections', () => {
  const acknowledged = (message: Message) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: {
      _meta: { 'io.modelcontextprotocol/subscriptionId': message.id },
      notifications: message.params?.notifications,
    },
  })
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`

  test.each(['dropped', 'ended by its result', 'cancelled by the server'])(
    'modern HTTP: a stream that was %s stands again, and the gap is reported',
    async (how) => {
      let listens = 0
      const server = await http((request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(event(acknowledged(request.body as Message)))
        if (++listens > 1) return
        const { id } = request.body as Message
        if (how === 'dropped') setTimeout(() => response.destroy(), 20)
        else if (how === 'ended by its result')
          setTimeout(() => response.end(event(result(id, { resultType: 'complete' }))), 20)
        else
          setTimeout(
            () =>
              response.write(event({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })),
            20,
          )
      })
      const made = await client(server.url)
      const seen: ChangeNotice[] = []
      const subscription = await made.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a:1'] }, (change) =>
        seen.push(change),
      )
      await until(() => seen.length === 2)
      expect(seen).toEqual([
        { kind: 'tools', synthetic: true },
        { kind: 'resource', uri: 'a:1', synthetic: true },
      ])
      expect(subscription.filter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    },
  )

  test('a subscription that the server refuses fails', async () => {
    const { channel } = modernChannel((message, reply) => reply(error(message.id, -32601)))
    await expect((await client(channel)).subscribe('a:1')).rejects.toMatchObject({ rpcCode: -32601 })
  })

  test('only what belongs to a subscription reaches it (sec-155)', async () => {
    const { channel, far } = modernChannel((message, reply) => {
      if (message.method === 'subscriptions/listen') reply(acknowledged(message))
    })
    const made = await client(channel)
    const seen: ChangeNotice[] = []
    await made.subscribe('a:1', (change) => seen.push(change))
    const notice = (method: string, id: number, params = {}) =>
      far.send(
        JSON.stringify({
          jsonrpc: '2.0',
          method,
          params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, ...params },
        }),
      )
    notice('notifications/tools/list_changed', 2)
    notice('notifications/resources/updated', 99, { uri: 'a:1' })
    notice('notifications/resources/updated', 2, { uri: 'b:1' })
    notice('notifications/resources/updated', 2, { uri: 'a:1' })
    await until(() => seen.length > 0)
    expect(seen).toEqual([{ kind: 'resource', uri: 'a:1' }])
  })

  test('closing cancels it on the wire', async () => {
    const { channel, received } = modernChannel((message, reply) => {
      if (message.method === 'subscriptions/listen') reply(acknowledged(message))
    })
    const subscription = await (await client(channel)).subscribe('a:1')
    await subscription.close()
    await until(() => received.some(({ method }) => method === 'notifications/cancelled'))
    expect(received.at(-1)?.params).toMatchObject({ requestId: 2 })
  })

  test('a process that died is started again for it (sec-45)', async () => {
    const body = `${PROCESS_MODERN}
      if (message.method === 'subscriptions/listen') {
        reply({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': message.id }, notifications: message.params.notifications } })
      }`
    const made = await client(scriptedProcess(body))
    const seen: ChangeNotice[] = []
    await made.subscribe({ toolsListChanged: true }, (change) => seen.push(change))
    const pid = made.process?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    await until(() => seen.length === 1)
    expect(seen).toEqual([{ kind: 'tools', synthetic: true }])
    expect(made.process?.pid).not.toBe(pid)
  })

  test('older HTTP: a forgotten session is replaced, and its resources subscribed to again', async () => {
    let sessions = 0
    const server = await scriptedHttp((request, response) => {
      const { id, method } = request.body ?? {}
      const current = request.headers['mcp-session-id'] === `s${sessions}`
      if (method === 'initialize')
        json(response, 200, result(id, initialized()), { 'mcp-session-id': `s${++sessions}` })
      else if (!current) response.writeHead(404).end()
      else if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
        // The server restarts: every stream ends, and no session of before is known any more.
        if (sessions === 1)
          setTimeout(() => {
            sessions = 10
            response.destroy()
          }, 30)
      } else if (id === undefined) response.writeHead(202).end()
      else json(response, 200, result(id, {}))
    })
    open.push(() => server.close())
    const made = await client(server.url, { versions: '2025-11-25' })
    const seen: ChangeNotice[] = []
    await made.subscribe('a:1', (change) => seen.push(change))
    await until(() => seen.length === 1)
    expect(seen).toEqual([{ kind: 'resource', uri: 'a:1', synthetic: true }])
    expect(server.messages('resources/subscribe').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      's1',
      's11',
    ])
  })
})
