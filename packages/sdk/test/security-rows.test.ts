/**
 * Rows of the security requirements that belong to no single transport or feature suite, each on the real parts: what
 * servers ask, whom state belongs to, what is told and what is not. Cited by number; the reference page lists them.
 */

import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPrincipal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import { PorticoError, RpcError } from '../src/jsonrpc/errors.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createClock } from '../src/testing/clock.ts'
import { eachEra, testClient } from '../src/testing/test-client.ts'
import { type OpenOptions, open, type Wire } from './wire.ts'

const MODERN = '2026-07-28'
const ERAS: ProtocolVersion[] = ['2025-11-25', MODERN]

const name = z.object({ name: z.string().min(2) })

const server = createServer({
  name: 'subject',
  version: '1',
  onError: () => {},
  pageSize: 1,
  tools: {
    form: tool({}, async (_args, ctx) => {
      const answer = await ctx.elicit({ message: 'Who?', form: name })
      return answer.action === 'accept' ? answer.content.name : answer.action
    }),
    url: tool({}, async (_args, ctx) => (await ctx.elicit({ message: 'Go', url: 'https://a.example/' })).action),
    sample: tool({}, async (_args, ctx) => (await ctx.sample({ prompt: 'Say' })).model),
    sample_tools: tool({}, async (_args, ctx) => {
      const tools = [{ name: 't', inputSchema: { type: 'object' } }]
      return (await ctx.sample({ prompt: 'Say', tools })).model
    }),
    roots: tool({}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join() || 'none'),
    crash: tool({}, () => {
      throw new Error('password hunter2 at /srv/secret.ts')
    }),
    log: tool({}, (_args, ctx) => {
      ctx.log('info', 'noted')
      return 'logged'
    }),
    admin: tool({ scopes: ['admin'] }, () => 'in'),
  },
  resources: {
    file: resource({ uri: 'files:///{name}' }, ({ name }) => (name === 'bytes' ? new Uint8Array([255, 0]) : undefined)),
  },
  prompts: { greet: prompt({ input: z.object({ who: z.string().max(5) }) }, ({ who }) => `Hello ${who}`) },
})

const wires: Wire[] = []
afterEach(async () => {
  await Promise.all(wires.splice(0).map((wire) => wire.close()))
})

async function wireTo(version: ProtocolVersion, options: OpenOptions = {}): Promise<Wire> {
  const wire = await open({ transport: 'memory', server }, version, options)
  wires.push(wire)
  return wire
}

function clientOf(version: ProtocolVersion, options: ConnectOptions = {}) {
  return connect(server, { ...options, versions: version })
}

describe('who may come in', () => {
  test.each(['POST', 'GET', 'DELETE'])(
    'sec-4: %s without a credential is refused where one is asked for',
    async (method) => {
      const handler = serveFetch(server, {
        authenticate: () => ({ status: 401, message: 'A token is needed', headers: ['www-authenticate', 'Bearer'] }),
      })
      const response = await handler.fetch(
        new Request('http://localhost/mcp', { method, ...(method === 'POST' && { body: '{}' }) }),
      )
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      await handler.close(0)
    },
  )

  test.each(ERAS)('sec-141: on %s a name of its own choice opens nothing', async (version) => {
    const client = await clientOf(version, { info: { name: 'admin', version: '1' } })
    await expect(client.callTool('admin')).rejects.toThrow('Unknown tool')
    await client.close()
  })

  test('sec-124: one principal cannot have more calls at once than its share', async () => {
    let release = (): void => {}
    const held = new Promise<string>((resolve) => {
      release = () => resolve('done')
    })
    const busy = createServer({ name: 's', version: '1', tools: { hold: tool({}, () => held) } })
    const handler = serveFetch(busy, {
      authenticate: (head) => createPrincipal(head.header('x-user') ?? 'nobody'),
      limits: { maxInFlightPerPrincipal: 1 },
    })
    const call = (user: string, id: number) =>
      handler.fetch(modernPost('tools/call', { name: 'hold' }, id, { 'x-user': user }))
    const first = call('ada', 1)
    const second = await call('ada', 2)
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1'])
    const other = call('eve', 3)
    release()
    expect([(await first).status, (await other).status]).toEqual([200, 200])
    await handler.close(0)
  })
})

describe('notifications', () => {
  test('sec-7: an accepted one gets 202 without a body, any other 4xx', async () => {
    const handler = serveFetch(server)
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const opened = await handler.fetch(post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const good = await handler.fetch(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session))
    expect([good.status, await good.text()]).toEqual([202, ''])
    for (const bad of [
      { jsonrpc: '2.0', method: 5 },
      { jsonrpc: '1.0', method: 'notifications/initialized' },
      'text',
    ]) {
      const { status } = await handler.fetch(post(bad, session))
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
    await handler.close(0)
  })
})

describe('a client’s messages', () => {
  test('sec-6: each is a POST of its own that accepts both forms of answer', async () => {
    const handler = serveFetch(server)
    const seen: { body: unknown; accept: string | null }[] = []
    const fetchLike = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(url, init)
      if (request.method === 'POST')
        seen.push({ body: JSON.parse(await request.clone().text()), accept: request.headers.get('accept') })
      return handler.fetch(request)
    }
    const client = await connect('http://localhost/mcp', { fetch: fetchLike as typeof fetch })
    await Promise.all([client.listTools(), client.listPrompts()])
    await client.close()
    expect(seen.length).toBeGreaterThan(2)
    for (const { body, accept } of seen) {
      expect(Array.isArray(body)).toBe(false)
      expect(accept).toMatch(/application\/json.*text\/event-stream/)
    }
    await handler.close(0)
  })
})

describe('questions to the client', () => {
  const undeclared: [string, object, string][] = [
    ['sec-107: a URL, when only forms were declared', { elicitation: { form: {} } }, 'url'],
    ['sec-107: a form, when nothing was declared', {}, 'form'],
    ['sec-116: tools in sampling, when only sampling was declared', { sampling: {} }, 'sample_tools'],
    ['sec-116: sampling, when nothing was declared', {}, 'sample'],
  ]
  test.each(
    undeclared.flatMap(([row, capabilities, called]) =>
      ERAS.map((version) => ({ row, capabilities, called, version })),
    ),
  )('$row, is not asked on $version', async ({ capabilities, called, version }) => {
    const wire = await wireTo(version, { capabilities: { ...capabilities } })
    const { result, error, questions } = await wire.request('tools/call', { name: called, arguments: {} })
    expect(questions).toEqual([])
    // sec-142: on the newest revision the error says what is missing.
    if (version === MODERN) expect(error?.code).toBe(-32021)
    else expect(result.isError).toBe(true)
  })

  test('sec-107: a question without a mode is a form', async () => {
    const wire = await wireTo('2025-06-18', {
      capabilities: { elicitation: {} },
      answers: {
        'elicitation/create': (params) => ({ action: 'accept', content: { name: 'mode' in params ? 'mode' : 'none' } }),
      },
    })
    const { result } = await wire.request('tools/call', { name: 'form', arguments: {} })
    expect(result.content).toMatchObject([{ text: 'none' }])
  })

  test.each(ERAS)('sec-114: on %s an answer is held against the form, and a refusal is an answer', async (version) => {
    for (const [content, expected] of [
      [{ action: 'decline' }, 'decline'],
      [{ action: 'cancel' }, 'cancel'],
      [{ action: 'accept', content: { name: 'Ada' } }, 'Ada'],
    ] as const) {
      const wire = await wireTo(version, {
        capabilities: { elicitation: { form: {} } },
        answers: { 'elicitation/create': () => ({ ...content }) },
      })
      const { result } = await wire.request('tools/call', { name: 'form', arguments: {} })
      expect(result.content).toMatchObject([{ text: expected }])
    }
    let asked = 0
    const answer = () => (asked++ < 2 ? { action: 'accept', content: { name: 'A' } } : { action: 'cancel' })
    const wire = await wireTo(version, {
      capabilities: { elicitation: { form: {} } },
      answers: { 'elicitation/create': answer },
    })
    const { result } = await wire.request('tools/call', { name: 'form', arguments: {} })
    expect(JSON.stringify(result)).not.toContain('"A"')
  })

  test('sec-113: a URL is never an error on the newest revision, and `-32042` is for URLs alone', async () => {
    const wire = await wireTo(MODERN, { capabilities: { elicitation: { url: {} } } })
    const { result } = await wire.request('tools/call', { name: 'url', arguments: {} }, { rounds: false })
    expect(result.resultType).toBe('input_required')
    const older = await wireTo('2025-11-25', { capabilities: { elicitation: { form: {} } } })
    const { error } = await older.request('tools/call', { name: 'url', arguments: {} })
    expect(error?.code).not.toBe(-32042)
  })

  test.each(ERAS)(
    'sec-119: on %s no context of other servers is asked for unless the handler says so',
    async (version) => {
      const wire = await wireTo(version, {
        capabilities: { sampling: { context: {} } },
        answers: {
          'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }),
        },
      })
      const { questions } = await wire.request('tools/call', { name: 'sample', arguments: {} })
      expect(questions).toHaveLength(1)
      expect(JSON.stringify(questions)).not.toContain('includeContext')
    },
  )

  test.each(ERAS)('sec-121: on %s roots that are gone are gone at the next question', async (version) => {
    const client = await clientOf(version, { roots: [{ uri: 'file:///a' }] })
    expect(await client.callTool('roots')).toMatchObject({ content: [{ text: 'file:///a' }] })
    await client.setRoots([])
    expect(await client.callTool('roots')).toMatchObject({ content: [{ text: 'none' }] })
    await client.close()
  })
})

describe('sealed state', () => {
  const capabilities = { elicitation: { form: {} } }
  const inputResponses = { elicitation_1: { action: 'accept', content: { name: 'Ada' } } }

  async function firstRound(owner: string) {
    const wire = await wireTo(MODERN, { capabilities, principal: createPrincipal(owner) })
    const { result } = await wire.request('tools/call', { name: 'form', arguments: {} }, { rounds: false })
    return { wire, requestState: String(result.requestState), keys: Object.keys(result.inputRequests as object) }
  }

  test('sec-151: asks with a state and only what was declared', async () => {
    const { keys, requestState } = await firstRound('ada')
    expect(keys).toEqual(['elicitation_1'])
    expect(requestState.length).toBeGreaterThan(20)
  })

  test('sec-108, sec-153: belongs to the user that it was made for', async () => {
    const { requestState } = await firstRound('ada')
    const eve = await wireTo(MODERN, { capabilities, principal: createPrincipal('eve') })
    const { error } = await eve.request('tools/call', { name: 'form', arguments: {}, inputResponses, requestState })
    expect(error?.code).toBe(-32602)
  })

  test('sec-153: belongs to its method and arguments', async () => {
    const { wire, requestState } = await firstRound('ada')
    for (const params of [
      { name: 'form', arguments: { other: 1 } },
      { name: 'url', arguments: {} },
    ]) {
      const { error } = await wire.request('tools/call', { ...params, inputResponses, requestState })
      expect(error?.code).toBe(-32602)
    }
  })

  test('sec-152: is refused when a single character was altered, and accepted when none was', async () => {
    const { wire, requestState } = await firstRound('ada')
    for (const at of [0, Math.floor(requestState.length / 2), requestState.length - 2]) {
      const altered = requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1)
      const { error } = await wire.request('tools/call', {
        name: 'form',
        arguments: {},
        inputResponses,
        requestState: altered,
      })
      expect(error?.code).toBe(-32602)
    }
    const { result } = await wire.request('tools/call', { name: 'form', arguments: {}, inputResponses, requestState })
    expect(result.content).toMatchObject([{ text: 'Ada' }])
  })
})

describe('what is told', () => {
  test.each(ERAS)('sec-125: on %s an unexpected failure is a reference, not its inside', async (version) => {
    const client = await clientOf(version)
    const text = JSON.stringify(await client.callTool('crash'))
    expect(text).toContain('Reference: ')
    expect(text).not.toMatch(/hunter2|secret\.ts/)
    await client.close()
  })

  test('sec-135: nothing is logged to a client of the newest revision that named no level', async () => {
    const wire = await wireTo(MODERN)
    const silent = await wire.request('tools/call', { name: 'log', arguments: {} })
    expect(silent.notifications).toEqual([])
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' }
    expect((await wire.request('tools/call', { name: 'log', arguments: {} }, { meta })).notifications).toHaveLength(1)
  })

  test.each([
    ['2025-11-25', -32002],
    [MODERN, -32602],
  ] as const)(
    'sec-131, sec-132: on %s a resource that is not there is error %d, never empty',
    async (version, code) => {
      const wire = await wireTo(version)
      for (const uri of ['files:///none', 'files:///a/../../etc/passwd', 'other://x', 'files:///%2e%2e%2fpasswd']) {
        expect((await wire.request('resources/read', { uri })).error?.code).toBe(code)
      }
      const { result } = await wire.request('resources/read', { uri: 'files:///bytes' })
      expect(result.contents).toMatchObject([{ blob: '/wA=' }])
    },
  )

  test.each(ERAS)('sec-133: on %s the arguments of a prompt are held against its schema', async (version) => {
    const wire = await wireTo(version)
    for (const args of [{}, { who: 'far too long' }, { who: 5 }]) {
      expect((await wire.request('prompts/get', { name: 'greet', arguments: args })).error?.code).toBe(-32602)
    }
    expect((await wire.request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } })).error).toBeUndefined()
  })

  test('sec-142: a request without its envelope is `-32602`, over HTTP with 400', async () => {
    const handler = serveFetch(server)
    const meta = { 'io.modelcontextprotocol/protocolVersion': MODERN }
    const response = await handler.fetch(
      post(
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
        { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' },
      ),
    )
    expect([response.status, (await response.json()).error.code]).toEqual([400, -32602])
    await handler.close(0)
  })

  test('sec-158: every page of a list has the same cache scope', async () => {
    const wire = await wireTo(MODERN)
    const scopes = new Set<unknown>()
    let cursor: unknown
    do {
      const { result } = await wire.request('tools/list', cursor === undefined ? {} : { cursor })
      scopes.add(result.cacheScope)
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect([...scopes]).toEqual(['private'])
  })
})

describe('waiting', () => {
  const stuck = createServer({
    name: 'stuck',
    version: '1',
    tools: {
      wait: tool({}, () => new Promise<string>(() => {})),
      drip: tool({}, (_args, ctx) => {
        let done = 0
        setInterval(() => ctx.progress(++done), 5_000)
        return new Promise<string>(() => {})
      }),
    },
  })

  test.each(['wait', 'drip'])('sec-147: a call (%s) ends in time, whatever progress there is', async (called) => {
    await eachEra(
      stuck,
      async (client) => {
        const clock = createClock()
        try {
          const call = client.callTool(called, {}, { timeoutMs: 10_000, onProgress: () => {} })
          const failed = expect(call).rejects.toMatchObject({ code: 'timeout' })
          await clock.advance(called === 'wait' ? 10_000 : 60_000)
          await failed
        } finally {
          clock.restore()
        }
      },
      { connect: { timeouts: { ceilingMs: 60_000 } } },
    )
  })

  test('sec-139: an error of this side is never one of the other side', async () => {
    const client = await testClient(stuck)
    const late = await client.callTool('wait', {}, { signal: AbortSignal.abort() }).catch((error: unknown) => error)
    expect(late).toBeInstanceOf(PorticoError)
    expect(late).not.toBeInstanceOf(RpcError)
    await expect(client.callTool('none' as string)).rejects.toBeInstanceOf(RpcError)
    await client.close()
  })

  test('sec-150: a ping is answered while a call is under way', async () => {
    const client = await testClient(stuck, { version: '2025-11-25' })
    const call = client.callTool('wait').catch(() => {})
    await client.ping()
    await client.close()
    await call
  })

  test('sec-156: a server that goes away ends each subscription with its result', async () => {
    const leaving = createServer({ name: 'leaving', version: '1', tools: { t: tool({}, () => '') } })
    const handler = serveFetch(leaving)
    const wire = await open({ transport: 'fetch', handler }, MODERN)
    wires.push(wire)
    const { outcome } = wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await wire.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    const closed = handler.close()
    expect((await outcome).error).toBeUndefined()
    await closed
  })
})

function post(body: unknown, headers: { [name: string]: string } = {}): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
}

function modernPost(
  method: string,
  params: { name: string },
  id: number,
  headers: { [name: string]: string },
): Request {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
  const mirrored = { 'mcp-protocol-version': MODERN, 'mcp-method': method, 'mcp-name': params.name }
  return post({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, { ...mirrored, ...headers })
}
