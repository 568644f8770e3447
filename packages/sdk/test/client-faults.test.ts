import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import {
  deferred,
  discovered,
  error,
  initialized,
  json,
  legacyChannel,
  modernChannel,
  PROCESS_LEGACY,
  PROCESS_MODERN,
  type Recorded,
  result,
  type ScriptedHttp,
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

type Script = (request: Recorded, response: ServerResponse) => void

async function modernHttp(script: Script): Promise<ScriptedHttp> {
  return http((request, response) => {
    if (request.body?.method === 'server/discover') json(response, 200, result(request.body.id, discovered()))
    else script(request, response)
  })
}

async function legacyHttp(script: Script, version = '2025-11-25'): Promise<ScriptedHttp> {
  let sessions = 0
  return http((request, response) => {
    const { id, method } = request.body ?? {}
    if (method === 'server/discover') json(response, 400, '')
    else if (method === 'initialize') {
      json(response, 200, result(id, initialized(version)), { 'mcp-session-id': `s${++sessions}` })
    } else if (method === 'notifications/initialized') response.writeHead(202).end()
    else script(request, response)
  })
}

async function http(script: Script): Promise<ScriptedHttp> {
  const server = await scriptedHttp(script)
  open.push(() => server.close())
  return server
}

/** A call with an ample timeout must fail in a tenth of it. */
async function failsAtOnce(call: Promise<unknown>, expected: object): Promise<void> {
  const before = Date.now()
  await expect(call).rejects.toMatchObject(expected)
  // Long before the client's own bound of half a minute, also on a busy machine.
  expect(Date.now() - before).toBeLessThan(20_000)
}

function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

const id = (request: Recorded) => request.body?.id

describe('a connection that a server closes just as it is used', () => {
  test.each(['server/discover', 'initialize'])('is made once more under %s', async (lost) => {
    let losses = 0
    const server = await http((request, response) => {
      const { id, method } = request.body ?? {}
      if (method === lost && losses++ === 0) response.destroy()
      else if (method === 'initialize') json(response, 200, result(id, initialized('2025-11-25')))
      else if (method === 'server/discover' && lost === 'server/discover') json(response, 200, result(id, discovered()))
      else if (method === 'server/discover') json(response, 400, '')
      else if (method === 'tools/call') json(response, 200, result(id, toolResult('there')))
      else response.writeHead(202).end()
    })
    const connected = await client(server.url)
    expect(losses).toBe(2)
    expect(await connected.callTool('any')).toMatchObject(toolResult('there'))
  })

  test('is not tried for ever, and never again for a call', async () => {
    let asked = 0
    const dead = await http((_request, response) => {
      asked++
      response.destroy()
    })
    await expect(client(dead.url)).rejects.toMatchObject({ code: 'closed' })
    expect(asked).toBe(2)
    let called = 0
    const server = await modernHttp((_request, response) => {
      called++
      response.destroy()
    })
    const connected = await client(server.url)
    await expect(connected.callTool('any')).rejects.toMatchObject({ delivery: 'unknown' })
    expect(called).toBe(1)
  })
})

describe('an HTTP answer that is none fails the call at once', () => {
  const cases: [string, Script, object][] = [
    ['a stream that ends without the response', (_, r) => stream(r).end(':\n\n'), { code: 'closed', delivery: 'unknown' }],
    ['202', (_, r) => r.writeHead(202).end(), { code: 'invalid-message' }],
    ['204', (_, r) => r.writeHead(204).end(), { code: 'invalid-message' }],
    ['101', (_, r) => r.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'), { code: 'closed', delivery: 'unknown' }],
    ['an empty body', (_, r) => json(r, 200, ''), { code: 'invalid-message' }],
    ['a body that is not JSON', (_, r) => json(r, 200, '{"jsonrpc"'), { code: 'invalid-message' }],
    ['another content type', (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), { code: 'invalid-message' }],
    ['no content type', (_, r) => r.writeHead(200).end('{}'), { code: 'invalid-message' }],
    ['a wrong id', (_, r) => json(r, 200, result(4711, toolResult('x'))), { code: 'invalid-message' }],
    ['a wrong id on a stream', (_, r) => stream(r).write(`data: ${JSON.stringify(result('9', toolResult('x')))}\n\n`), { code: 'invalid-message' }],
    ['a notification as the body', (_, r) => json(r, 200, { jsonrpc: '2.0', method: 'x' }), { code: 'invalid-message' }],
    ['a result that is no object', (q, r) => json(r, 200, { jsonrpc: '2.0', id: id(q), result: 1 }), { code: 'invalid-message' }],
    ['a reset', (_, r) => r.socket?.resetAndDestroy(), { code: 'closed', delivery: 'unknown' }],
    ['a reset in the body', (_, r) => { r.writeHead(200, { 'content-type': 'application/json' }); r.write('{"json'); setTimeout(() => r.socket?.resetAndDestroy(), 20) }, { code: 'closed', delivery: 'unknown' }],
    ['a reset in a stream', (_, r) => { stream(r).write('data: {'); setTimeout(() => r.socket?.resetAndDestroy(), 20) }, { code: 'closed', delivery: 'unknown' }],
    ['bytes that are not UTF-8', (_, r) => { r.writeHead(200, { 'content-type': 'application/json' }); r.end(Buffer.from([0x7b, 0xff])) }, { code: 'invalid-message' }],
    ['nesting beyond the limit', (_, r) => json(r, 200, '['.repeat(5_000) + ']'.repeat(5_000)), { code: 'limit-exceeded' }],
    ['HTTP 500', (_, r) => r.writeHead(500).end(), { code: 'http-status', delivery: 'unknown', data: { status: 500 } }],
    ['HTTP 413', (_, r) => r.writeHead(413).end(), { code: 'http-status', delivery: 'not-sent', data: { status: 413 } }],
    ['an unknown result type', (q, r) => json(r, 200, result(id(q), { resultType: 'surprise' })), { code: 'invalid-message' }],
    ['a JSON-RPC error with a status', (q, r) => json(r, 400, error(id(q), -32602, 'wrong')), { code: 'peer-error', rpcCode: -32602 }],
    ['a JSON-RPC error without an id', (_, r) => json(r, 400, { jsonrpc: '2.0', error: { code: -32600, message: 'bad' } }), { rpcCode: -32600 }],
  ] // biome-ignore format: a table
  test.each(cases)('%s', async (_, script, expected) => {
    const server = await modernHttp(script)
    const made = await client(server.url)
    await failsAtOnce(made.callTool('x'), expected)
    expect(server.messages('tools/call')).toHaveLength(1)
  })

  test('a body beyond the limit is cut off', async () => {
    const server = await modernHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1 << 20, 0x20)
      const more = () => {
        while (!response.destroyed && response.write(chunk)) {}
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    await failsAtOnce((await client(server.url)).callTool('x'), { code: 'limit-exceeded' })
  })

  test('comments on a stream are ignored, however many (sec-27)', async () => {
    const server = await modernHttp((request, response) => {
      stream(response).write(':\n'.repeat(100_000))
      response.end(`\n: x\ndata: ${JSON.stringify(result(id(request), toolResult('fine')))}\n\n`)
    })
    expect((await (await client(server.url)).callTool('x')).content).toHaveLength(1)
  })

  test('the next call works after a lost one', async () => {
    let calls = 0
    const server = await modernHttp((request, response) => {
      if (++calls === 1) response.socket?.resetAndDestroy()
      else json(response, 200, result(id(request), toolResult('fine')))
    })
    const made = await client(server.url)
    await failsAtOnce(made.callTool('x'), { code: 'closed' })
    expect((await made.callTool('x')).content).toEqual([{ type: 'text', text: 'fine' }])
  })
})

describe('sessions', () => {
  test('404 makes a new session without the old id, and the call is sent once more (sec-33)', async () => {
    const server = await legacyHttp((request, response) => {
      if (request.headers['mcp-session-id'] === 's1') response.writeHead(404).end()
      else json(response, 200, result(id(request), toolResult('fine')))
    })
    const made = await client(server.url)
    expect((await made.callTool('x')).content).toHaveLength(1)
    expect(server.messages('initialize')).toHaveLength(2)
    expect(server.messages('initialize')[1]?.headers['mcp-session-id']).toBeUndefined()
    expect(server.messages('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1', 's2'])
  })

  test('a server that forgets every session is not asked for ever', async () => {
    const server = await legacyHttp((_, response) => response.writeHead(404).end())
    const made = await client(server.url)
    await failsAtOnce(made.callTool('x'), { code: 'http-status', data: { status: 404 }, delivery: 'not-sent' })
    expect(server.messages('tools/call')).toHaveLength(2)
  })

  test('fifty calls that meet a forgotten session share one new one', async () => {
    const server = await legacyHttp((request, response) => {
      if (request.headers['mcp-session-id'] === 's1') response.writeHead(404).end()
      else
        json(
          response,
          200,
          result(id(request), toolResult(String(((request.body?.params?.arguments ?? {}) as { n?: number }).n))),
        )
    })
    const made = await client(server.url)
    const results = await Promise.all(Array.from({ length: 50 }, (_, n) => made.callTool('x', { n })))
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(
      results.map((_, n) => String(n)),
    )
    expect(server.messages('initialize')).toHaveLength(2)
  })

  test('the stream for notices comes back from where it was', async () => {
    let streams = 0
    const server = await legacyHttp((request, response) => {
      if (request.method !== 'GET') {
        response.writeHead(202).end()
        return
      }
      const event = `id: n${++streams}\nretry: 100\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`
      stream(response).write(event)
      if (streams < 3) response.end()
    })
    const made = await client(server.url)
    let changes = 0
    made.on('change', () => changes++)
    await until(() => changes === 3)
    const gets = server.requests.filter(({ method }) => method === 'GET')
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'n1', 'n2'])
  })

  test('closing ends the session with DELETE; 405 is fine', async () => {
    const server = await legacyHttp((_, response) => response.writeHead(405).end())
    const made = await client(server.url)
    await made.close()
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's1' } })
  })

  test('the session id stays out of errors and warnings (sec-31)', async () => {
    const server = await legacyHttp((_, response) => response.writeHead(404).end())
    const made = await client(server.url)
    const failure = await made.callTool('x').catch((caught) => caught)
    expect(JSON.stringify([failure, failure.message, failure.data])).not.toContain('s1')
  })

  test('the stream for notices is opened only where it has a use, and 405 is tolerated', async () => {
    const server = await legacyHttp((request, response) => {
      if (request.method === 'GET') response.writeHead(405).end()
      else json(response, 200, result(id(request), { tools: [] }))
    })
    const idle = await client(server.url)
    await idle.listTools()
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(0)
    const made = await client(server.url, { roots: [] })
    await until(() => server.requests.some(({ method }) => method === 'GET'))
    expect(await made.listTools()).toEqual([])
  })
})

describe('waiting and trying again', () => {
  test.each([429, 503])('HTTP %i with Retry-After is sent again after that time', async (status) => {
    let calls = 0
    const server = await modernHttp((request, response) => {
      if (++calls === 1) response.writeHead(status, { 'retry-after': '1' }).end()
      else json(response, 200, result(id(request), toolResult('fine')))
    })
    await (await client(server.url)).callTool('x')
    const [first, second] = server.messages('tools/call')
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950)
  })

  test('a Retry-After beyond the timeout fails at once', async () => {
    const server = await modernHttp((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    await failsAtOnce((await client(server.url)).callTool('x'), {
      code: 'http-status',
      data: { retryAfterMs: 3_600_000 },
    })
  })

  test('a call that may have been processed is not repeated, unless marked idempotent', async () => {
    let calls = 0
    const server = await modernHttp((request, response) => {
      if (++calls % 2 === 1) response.socket?.resetAndDestroy()
      else json(response, 200, result(id(request), toolResult('fine')))
    })
    const made = await client(server.url)
    await failsAtOnce(made.callTool('x'), { delivery: 'unknown' })
    calls = 0
    expect((await made.callTool('x', {}, { idempotent: true })).content).toHaveLength(1)
  })

  test.each(['unknown', 'not-sent'])(
    'a call that a gateway lost on its way to the server (%s) is made again if it is marked idempotent, and else tells (reliability F20)',
    async (delivery) => {
      let calls = 0
      const server = await modernHttp((request, response) => {
        const lost = error(id(request), -32603, 'The server "far" closed the connection', { code: 'closed', delivery })
        json(response, 200, ++calls % 2 === 1 ? lost : result(id(request), toolResult('fine')))
      })
      const made = await client(server.url)
      await failsAtOnce(made.callTool('x'), { code: 'peer-error', data: { delivery } })
      calls = 0
      expect((await made.callTool('x', {}, { idempotent: true })).content).toHaveLength(1)
      expect(calls).toBe(2)
    },
  )

  test('an error of the server that says nothing of a loss is not called again, however it is marked', async () => {
    const server = await modernHttp((request, response) => json(response, 200, error(id(request), -32603, 'no')))
    const made = await client(server.url)
    await failsAtOnce(made.callTool('x', {}, { idempotent: true }), { code: 'peer-error' })
    expect(server.messages('tools/call')).toHaveLength(1)
  })

  test('a call marked idempotent waits for a server that comes back', async () => {
    const script: Script = (request, response) => {
      const discovery = request.body?.method === 'server/discover'
      json(response, 200, result(id(request), discovery ? discovered() : toolResult('back')))
    }
    const before = await http(script)
    const made = await client(before.url)
    await before.close()
    // The first to find out may still meet the socket of before; whoever comes after it cannot connect.
    await made.callTool('x').catch(() => {})
    await failsAtOnce(made.callTool('x'), { code: 'connect-failed', delivery: 'not-sent' })
    const call = made.callTool('x', {}, { idempotent: true })
    const after = await scriptedHttp(script, '/mcp', Number(new URL(before.url).port))
    open.push(() => after.close())
    expect((await call).content).toEqual([{ type: 'text', text: 'back' }])
  })

  test('-32022 in mid-use settles the revision anew, and the call is sent once more', async () => {
    let upgraded = false
    const server = await modernHttp((request, response) => {
      if (upgraded) return json(response, 200, result(id(request), toolResult('fine')))
      upgraded = true
      return json(response, 400, error(id(request), -32022, 'no', { supported: ['2026-07-28'] }))
    })
    expect((await (await client(server.url)).callTool('x')).content).toHaveLength(1)
    expect(server.messages('server/discover')).toHaveLength(2)
  })

  test.each([
    ['500 ms as asked', 500, 480, 700],
    ['0 is raised to 100 ms', 0, 95, 400],
  ])('a stream of the older revisions is taken up again after its retry: %s', async (_, retry, atLeast, atMost) => {
    let closedAt = 0
    let call: Recorded | undefined
    const server = await legacyHttp((request, response) => {
      if (request.method === 'GET') {
        stream(response).end(`id: e2\ndata: ${JSON.stringify(result(id(call as Recorded), toolResult('resumed')))}\n\n`)
      } else if (request.method === 'POST') {
        call = request
        stream(response).write(`id: e1\nretry: ${retry}\ndata: \n\n`)
        response.end(() => {
          closedAt = Date.now()
        })
      } else response.end()
    }, '2025-03-26')
    const made = await client(server.url)
    expect((await made.callTool('x')).content).toEqual([{ type: 'text', text: 'resumed' }])
    const resumed = server.requests.find(({ method }) => method === 'GET')
    expect(resumed?.headers).toMatchObject({
      'last-event-id': 'e1',
      accept: 'text/event-stream',
      'mcp-session-id': 's1',
    })
    expect((resumed?.at ?? 0) - closedAt).toBeGreaterThanOrEqual(atLeast)
    expect((resumed?.at ?? 0) - closedAt).toBeLessThan(atMost)
  })

  test('a stream that cannot be taken up again fails at once', async () => {
    const server = await legacyHttp((request, response) => {
      if (request.method === 'POST') stream(response).end('id: e1\ndata: \n\n')
      else response.writeHead(405).end()
    })
    await failsAtOnce((await client(server.url)).callTool('x'), { code: 'closed', delivery: 'unknown' })
  })

  // The server had begun to answer: nothing that becomes of the stream afterwards can mean that the call was not sent.
  const BEGUN = 'id: e1\nretry: 1\ndata: \n\n'
  test.each([
    ['503, come back at once', { 'retry-after': '0' }, 503],
    ['429, come back at once', { 'retry-after': '0' }, 429],
    ['429', {}, 429],
    ['429, come back in an hour', { 'retry-after': '3600' }, 429],
    ['404 for the session', {}, 404],
    ['401', { 'www-authenticate': 'Bearer' }, 401],
  ])(
    'sec-746: a call whose stream is refused with %s is not sent again, nor said to be unsent',
    async (_, headers, status) => {
      const tried = ['2025-03-26', '2025-06-18', '2025-11-25'].map(async (version) => {
        const server = await legacyHttp((request, response) => {
          if (request.method === 'POST') stream(response).end(BEGUN)
          else response.writeHead(status, headers).end()
        }, version)
        const call = (await client(server.url)).callTool('x', {}, { timeoutMs: 60_000 })
        await expect(call).rejects.toMatchObject({ code: 'closed', delivery: 'unknown' })
        expect(server.messages('tools/call')).toHaveLength(1)
      })
      await Promise.all(tried)
    },
  )

  test('sec-746: a call whose server is gone in the middle is not said to be unsent', async () => {
    const server = await legacyHttp((_, response) => {
      stream(response).end(BEGUN, () => server.close())
    })
    const call = (await client(server.url)).callTool('x', {}, { timeoutMs: 60_000 })
    await expect(call).rejects.toMatchObject({ code: 'closed', delivery: 'unknown' })
  })

  test('sec-746: a call whose stream nobody can sign for is not said to be unsent', async () => {
    let gets = false
    const server = await legacyHttp((_, response) => {
      gets = true
      stream(response).end(BEGUN)
    })
    const made = await client(server.url, {
      headers: () => {
        if (gets) throw new Error('no token')
        return {}
      },
    })
    await expect(made.callTool('x', {}, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'closed',
      delivery: 'unknown',
    })
  })
})

describe('timeouts and cancellation', () => {
  test('modern HTTP: the stream is closed and nothing else is sent (2026-07-28, cancellation)', async () => {
    const gone = deferred()
    const server = await modernHttp((_, response) => {
      stream(response).write(':\n\n')
      response.on('close', () => gone.resolve())
    })
    const made = await client(server.url)
    await expect(made.callTool('x', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'timeout',
      delivery: 'unknown',
    })
    await gone.promise
    expect(server.messages('notifications/cancelled')).toHaveLength(0)
  })

  test('older HTTP: notifications/cancelled is posted', async () => {
    const server = await legacyHttp((request, response) => {
      if (request.body?.method === 'notifications/cancelled') response.writeHead(202).end()
    })
    const made = await client(server.url)
    const controller = new AbortController()
    const call = made.callTool('x', {}, { signal: controller.signal })
    await until(() => server.messages('tools/call').length === 1)
    controller.abort('enough')
    await expect(call).rejects.toMatchObject({ code: 'aborted', delivery: 'unknown', cause: 'enough' })
    await until(() => server.messages('notifications/cancelled').length === 1)
    const requestId = server.messages('tools/call')[0]?.body?.id
    expect(server.messages('notifications/cancelled')[0]?.body?.params).toMatchObject({ requestId })
  })

  test.each(['modern', 'older'])(
    'channel (%s): notifications/cancelled is sent; a late answer is ignored',
    async (era) => {
      const { channel, received } = (era === 'modern' ? modernChannel : legacyChannel)((message, reply) => {
        if (message.method === 'notifications/cancelled') reply(result(message.params?.requestId, toolResult('late')))
        if (message.method === 'tools/list') reply(result(message.id, { tools: [] }))
      })
      const made = await client(channel)
      await expect(made.callTool('x', {}, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'timeout' })
      expect(await made.listTools()).toEqual([])
      const call = received.find(({ method }) => method === 'tools/call')
      expect(received.find(({ method }) => method === 'notifications/cancelled')?.params?.requestId).toBe(call?.id)
    },
  )

  test('a signal that has fired already sends nothing', async () => {
    const { channel, received } = modernChannel(() => {})
    const made = await client(channel)
    const call = made.callTool('x', {}, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'aborted', delivery: 'not-sent' })
    expect(received).toHaveLength(1)
  })

  test('progress extends a call, up to the ceiling', async () => {
    const { channel } = modernChannel((message, reply) => {
      let progress = 0
      const token = (message.params?._meta as { progressToken: number } | undefined)?.progressToken
      const timer = setInterval(() => {
        progress++
        reply({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress } })
        if (message.params?.name === 'ends' && progress === 8) {
          clearInterval(timer)
          reply(result(message.id, toolResult('done')))
        }
        if (progress > 200) clearInterval(timer)
      }, 20)
      open.push(async () => clearInterval(timer))
    })
    const made = await client(channel, { timeouts: { callMs: 80, ceilingMs: 400 } })
    const seen: number[] = []
    await made.callTool('ends', {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await expect(made.callTool('never')).rejects.toMatchObject({ code: 'timeout' })
  })

  test('a flood of progress, or progress for a call that is none, does no harm (sec-149)', async () => {
    const { channel } = modernChannel((message, reply) => {
      const token = (message.params?._meta as { progressToken: number } | undefined)?.progressToken
      const report = (progressToken: unknown, progress: number) =>
        reply({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } })
      report('forged', 1)
      report({}, 1)
      for (let n = 1; n <= 1_000; n++) report(token, n)
      reply(result(message.id, toolResult('done')))
      report(token, 1_001)
    })
    const made = await client(channel, { limits: { notificationsPerSecond: 50 } })
    const seen: number[] = []
    await made.callTool('x', {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual(Array.from({ length: 48 }, (_, n) => n + 1))
  })

  test('progress that does not grow does not extend a call', async () => {
    const { channel } = modernChannel((message, reply) => {
      const token = (message.params?._meta as { progressToken: number } | undefined)?.progressToken
      const timer = setInterval(() => {
        reply({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 1 } })
      }, 10)
      open.push(async () => clearInterval(timer))
    })
    const made = await client(channel, { timeouts: { callMs: 60, ceilingMs: 60_000 } })
    await failsAtOnce(made.callTool('x'), { code: 'timeout' })
  })
})

describe('processes', () => {
  const CALL = `if (message.method === 'tools/call')`

  test.each([
    ['exits with calls in flight', 'process.exit(0)'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")'],
    ['dies in the middle of an answer', `write('{"jsonrpc":"2.0","id":'); setTimeout(() => process.exit(1), 10)`],
  ])('a server that %s fails them all at once; the next call starts it again', async (_, action) => {
    const body = `${PROCESS_MODERN}; ${CALL} { if (message.params.name === 'die') { ${action} } else if (message.params.name === 'pid') ok({ resultType: 'complete', content: [{ type: 'text', text: String(process.pid) }] }) }`
    const made = await client(scriptedProcess(body))
    const hanging = Array.from({ length: 5 }, () => made.callTool('hang'))
    const failures = Promise.all(hanging.map((call) => failsAtOnce(call, { code: 'closed', delivery: 'unknown' })))
    await failsAtOnce(made.callTool('die'), { code: 'closed', delivery: 'unknown' })
    await failures
    const before = made.process?.pid
    const again = await made.callTool('pid')
    expect(again.content[0]).not.toMatchObject({ text: String(before) })
    expect(made.process?.pid).toBe(Number((again.content[0] as { text: string }).text))
  })

  test('the handshake of a restart is the one that worked before', async () => {
    const body = `if (message.method === 'server/discover') process.exit(9); ${PROCESS_LEGACY}; ${CALL} { if (message.params.name === 'die') process.exit(1); ok({ content: [] }) }`
    const made = await client(scriptedProcess(body))
    await failsAtOnce(made.callTool('die'), { code: 'closed' })
    expect((await made.callTool('x')).content).toEqual([])
    expect(made.version).toBe('2025-11-25')
  })

  test('a server that keeps crashing is not started for ever', async () => {
    const made = await client(scriptedProcess(`${PROCESS_MODERN}; ${CALL} process.exit(1)`))
    const messages: string[] = []
    for (let call = 0; call < 6; call++) {
      messages.push(
        await made.callTool('die').then(
          () => '',
          (caught) => `${caught.delivery} ${caught.message}`,
        ),
      )
    }
    expect(messages.slice(0, 5).every((message) => message.startsWith('unknown'))).toBe(true)
    expect(messages[5]).toMatch(/^not-sent .*not started again/)
  })

  test('a call marked idempotent survives a crash', async () => {
    const target = scriptedProcess(
      `${PROCESS_MODERN}; ${CALL} { if (!fs.existsSync(file)) { fs.writeFileSync(file, ''); process.exit(1) } ok({ content: [] }) }`,
      `const fs = require('node:fs'); const file = process.env.MARK`,
    )
    const mark = `${process.env.TMPDIR ?? '/tmp'}/portico-mark-${process.pid}-${Date.now()}`
    const made = await client({ ...target, env: { MARK: mark } })
    expect((await made.callTool('x', {}, { idempotent: true })).content).toEqual([])
  })

  test('no child is left after close, even one that ignores the end of its input', async () => {
    const made = await client(scriptedProcess(PROCESS_MODERN, `setInterval(() => {}, 1000)`))
    const pid = made.process?.pid ?? 0
    await made.close()
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    await expect(made.callTool('x')).rejects.toMatchObject({ code: 'closed', delivery: 'not-sent' })
  })
})

describe('a channel', () => {
  test('that ends fails the calls at once; a channel cannot be opened again', async () => {
    const { channel, far } = modernChannel((message) => {
      if (message.method === 'tools/call') void far.close()
    })
    const made = await client(channel)
    await failsAtOnce(made.callTool('x'), { code: 'closed', delivery: 'unknown' })
    await failsAtOnce(made.callTool('x'), { code: 'closed', delivery: 'not-sent' })
  })

  test('a broken answer fails the call it belongs to', async () => {
    const { channel } = modernChannel((message, reply) => reply({ jsonrpc: '2.0', id: message.id, result: 'text' }))
    await failsAtOnce((await client(channel)).callTool('x'), { code: 'invalid-message' })
  })

  test.each([
    ['is not JSON', '{"jsonrpc":"2.0","id":2,"result":{oops}}', 'invalid-message'],
    ['is too deep', `{"jsonrpc":"2.0","id":2,"result":${'{"a":'.repeat(200)}1${'}'.repeat(201)}`, 'limit-exceeded'],
  ])('an answer that %s fails the call it was meant for', async (_, text, code) => {
    const { channel, far } = modernChannel(() => far.send(text))
    await failsAtOnce((await client(channel)).callTool('x'), { code, delivery: 'unknown' })
  })

  test('requests from a modern server are left out and never answered (sec-9, sec-41)', async () => {
    const { channel, received } = modernChannel((message, reply) => {
      reply({ jsonrpc: '2.0', id: 'q', method: 'roots/list' })
      reply(result(message.id, toolResult('fine')))
    })
    const made = await client(channel, { roots: [{ uri: 'file:///secret' }] })
    await made.callTool('x')
    await made.ping()
    expect(received.filter(({ id: answered }) => answered === 'q')).toEqual([])
  })

  test('duplicate answers are ignored', async () => {
    const { channel } = modernChannel((message, reply) => {
      reply(result(message.id, toolResult('first')))
      reply(result(message.id, toolResult('second')))
    })
    const made = await client(channel)
    expect((await made.callTool('x')).content[0]).toMatchObject({ text: 'first' })
    expect((await made.callTool('x')).content[0]).toMatchObject({ text: 'first' })
  })
})

describe('nothing lost ("Complete", "Right", "Truthful", "At most once")', () => {
  /** Runs a random server: each call is answered late, answered wrongly, dropped or cut off, and written to a ledger first. */
  test.each([1, 2, 3])(
    'every call over HTTP ends once, with its own answer, and tells the truth (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const executed = new Map<string, number>()
      const server = await modernHttp((request, response) => {
        const { nonce } = (request.body?.params?.arguments ?? {}) as { nonce: string }
        const answer = result(id(request), toolResult(nonce))
        const fate = Math.floor(random() * 8)
        if (fate === 0) {
          response.writeHead(429, { 'retry-after': '0' }).end()
          return
        }
        executed.set(nonce, (executed.get(nonce) ?? 0) + 1)
        if (fate === 1) response.socket?.resetAndDestroy()
        else if (fate === 2) stream(response).end('data: {"jsonrpc"\n\n')
        else if (fate === 3) response.writeHead(502).end()
        else if (fate === 4) setTimeout(() => json(response, 200, answer), random() * 30)
        else if (fate === 5) stream(response).end(`data: ${JSON.stringify(answer)}\n\n`)
        else json(response, 200, answer)
      })
      const made = await client(server.url)
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const nonce = `${seed}-${n}`
          return made.callTool('x', { nonce }).then(
            ({ content }) => ({ nonce, got: (content[0] as { text: string }).text, delivery: undefined }),
            (failure) => ({ nonce, got: undefined, delivery: failure.delivery }),
          )
        }),
      )
      for (const { nonce, got, delivery } of outcomes) {
        const times = executed.get(nonce) ?? 0
        expect(times).toBeLessThanOrEqual(1)
        if (got !== undefined) expect([got, times]).toEqual([nonce, 1])
        else expect(delivery).toBe(times === 0 ? 'not-sent' : 'unknown')
      }
      expect(outcomes.some(({ got }) => got !== undefined)).toBe(true)
      expect(outcomes.some(({ delivery }) => delivery === 'unknown')).toBe(true)
    },
  )

  test('after everything is closed, no timer, socket or process remains ("Clean")', async () => {
    const script = fileURLToPath(new URL('./client-exit.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'exit')
    expect({ code, left: JSON.parse(text) }).toEqual({ code: 0, left: [] })
  })
})

/** A small generator of random numbers that gives the same ones each time. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
