import { mkdtempSync } from 'node:fs'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import {
  discovered,
  error,
  initialized,
  json,
  legacyChannel,
  type Message,
  modernChannel,
  PROCESS_LEGACY,
  PROCESS_MODERN,
  result,
  type ScriptedHttp,
  scriptedChannel,
  scriptedHttp,
  scriptedProcess,
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

async function http(script: Parameters<typeof scriptedHttp>[0], path?: string): Promise<ScriptedHttp> {
  const server = await scriptedHttp(script, path)
  open.push(() => server.close())
  return server
}

describe('over a channel (2026-07-28, stdio, "Backward Compatibility")', () => {
  test('a description makes the server modern, and nothing else is sent', async () => {
    const { channel, received } = modernChannel(() => {})
    const made = await client(channel)
    expect(made.version).toBe('2026-07-28')
    expect(made.server.info).toEqual({ name: 'scripted', version: '1' })
    expect(received.map(({ method }) => method)).toEqual(['server/discover'])
  })

  test.each([-32601, -32602, -32600, -32000, -32603, 1])(
    'error %i on discovery leads to initialize (sec-46)',
    async (code) => {
      const { channel, received } = scriptedChannel((message, reply) => {
        if (message.method === 'server/discover') reply(error(message.id, code))
        if (message.method === 'initialize') reply(result(message.id, initialized()))
      })
      expect((await client(channel)).version).toBe('2025-11-25')
      expect(received.map(({ method }) => method)).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ])
    },
  )

  test('-32022 is answered with a version both have, not with initialize', async () => {
    let refused = false
    const { channel, received } = scriptedChannel((message, reply) => {
      if (!refused) reply(error(message.id, -32022, 'no', { supported: ['2026-07-28'], requested: 'x' }))
      else reply(result(message.id, discovered()))
      refused = true
    })
    expect((await client(channel)).version).toBe('2026-07-28')
    expect(received.map(({ method }) => method)).toEqual(['server/discover', 'server/discover'])
  })

  test('-32022 that lists only older revisions leads to initialize', async () => {
    const { channel } = scriptedChannel((message, reply) => {
      if (message.method === 'server/discover') reply(error(message.id, -32022, 'no', { supported: ['2025-06-18'] }))
      if (message.method === 'initialize') reply(result(message.id, initialized('2025-06-18')))
    })
    expect((await client(channel)).version).toBe('2025-06-18')
  })

  test('no common revision fails with unsupported-version', async () => {
    const { channel } = scriptedChannel((message, reply) => {
      reply(error(message.id, -32022, 'no', { supported: ['2031-01-01'] }))
    })
    await expect(client(channel)).rejects.toMatchObject({ code: 'unsupported-version', delivery: 'not-sent' })
  })

  test('silence leads to initialize on the same channel; the first answer decides', async () => {
    const { channel, received } = scriptedChannel((message, reply) => {
      if (message.method === 'initialize') reply(result(message.id, initialized('2024-11-05')))
    })
    const made = await client(channel, { discoverMs: 20 })
    expect(made.version).toBe('2024-11-05')
    expect(received.map(({ method }) => method)).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
  })

  test('a description that comes after initialize was sent, but before its answer, still makes the server modern', async () => {
    let discovery: Message | undefined
    const { channel, received } = scriptedChannel((message, reply) => {
      if (message.method === 'server/discover') discovery = message
      if (message.method === 'initialize') reply(result(discovery?.id, discovered()))
    })
    expect((await client(channel, { discoverMs: 20 })).version).toBe('2026-07-28')
    expect(received.some(({ method }) => method === 'notifications/initialized')).toBe(false)
  })

  test('a late description does not undo the older handshake', async () => {
    let discovery: Message | undefined
    const { channel } = scriptedChannel((message, reply) => {
      if (message.method === 'server/discover') discovery = message
      if (message.method === 'initialize') {
        reply(result(message.id, initialized()))
        reply(result(discovery?.id, discovered()))
      }
      if (message.method === 'ping') reply(result(message.id, {}))
    })
    const made = await client(channel, { discoverMs: 20 })
    await made.ping()
    expect(made.version).toBe('2025-11-25')
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const)('%s can be pinned', async (version) => {
    const { channel, received } = legacyChannel(() => {}, version)
    expect((await client(channel, { versions: version })).version).toBe(version)
    expect(received[0]).toMatchObject({ method: 'initialize', params: { protocolVersion: version } })
  })

  test('an answer in a revision that is not allowed fails', async () => {
    const { channel } = legacyChannel(() => {}, '2024-11-05')
    await expect(client(channel, { versions: ['2025-06-18'] })).rejects.toMatchObject({ code: 'unsupported-version' })
  })

  test('what was negotiated before saves the probe', async () => {
    const { channel, received } = legacyChannel(() => {})
    await client(channel, { prior: { era: 'legacy', version: '2025-11-25', transport: 'channel' } })
    expect(received[0]?.method).toBe('initialize')
  })

  test('a server name without a version is taken as it is', async () => {
    const { channel } = scriptedChannel((message, reply) => {
      if (message.method !== 'initialize') return
      reply(result(message.id, { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old' } }))
    })
    expect((await client(channel, { versions: '2024-11-05' })).server.info).toEqual({ name: 'old', version: '' })
  })
})

describe('with a process', () => {
  test.each([
    ['modern', PROCESS_MODERN, '2026-07-28'],
    ['older', PROCESS_LEGACY, '2025-11-25'],
  ])('%s', async (_, body, version) => {
    const made = await client(scriptedProcess(body), { discoverMs: 300 })
    expect(made.version).toBe(version)
    expect(made.process?.pid).toBeGreaterThan(0)
  })

  test('one that dies on an unknown first request is started once more, with the older handshake', async () => {
    const body = `if (message.method === 'server/discover') process.exit(1);${PROCESS_LEGACY}`
    expect((await client(scriptedProcess(body))).version).toBe('2025-11-25')
  })

  test('one that cannot be started fails with connect-failed at once', async () => {
    await expect(client({ command: 'no-such-program-here' })).rejects.toMatchObject({
      code: 'connect-failed',
      delivery: 'not-sent',
    })
  })

  test('noise on standard output is tolerated and reported; standard error is kept', async () => {
    const made = await client(
      scriptedProcess(
        `${PROCESS_MODERN}; write('noise\\n'); console.error('said on stderr'); setTimeout((id) => reply({jsonrpc:'2.0', id, result: { resultType: 'complete', tools: [] }}), 50, message.id)`,
      ),
    )
    const warnings: string[] = []
    made.on('warning', ({ subject }) => warnings.push(String(subject)))
    expect(await made.listTools()).toEqual([])
    expect(warnings).toContain('noise')
    expect(made.process?.stderrTail()).toContain('said on stderr')
  })
})

describe('over HTTP (2026-07-28, Streamable HTTP, "Backward Compatibility")', () => {
  test('a modern server is asked for its description with the headers that mirror the body', async () => {
    const server = await http((request, response) => json(response, 200, result(request.body?.id, discovered())))
    expect((await client(server.url)).negotiated).toEqual({
      era: 'modern',
      version: '2026-07-28',
      transport: 'streamable-http',
    })
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'server/discover',
    })
  })

  test.each<[string, number, string | Message]>([
    ['400 without a body', 400, ''],
    ['400 with text', 400, 'Bad Request: no session'],
    ['400 with an error that is not modern', 400, error(null, -32000, 'Server not initialized')],
    ['404 with an error that is not modern', 404, error(null, -32001, 'Session not found')],
    ['405', 405, ''],
    ['406', 406, ''],
    ['500', 500, 'oops'],
    ['200 with an error', 200, error(1, -32601)],
    ['202', 202, ''],
    ['an empty 200', 200, ''],
  ])('%s on discovery leads to initialize', async (_, status, body) => {
    const server = await http((request, response) => {
      const { method, id } = request.body ?? {}
      if (method === 'server/discover') json(response, status, body)
      else if (method === 'initialize') json(response, 200, result(id, initialized()), { 'mcp-session-id': 's1' })
      else response.writeHead(202).end()
    })
    const made = await client(server.url)
    expect(made.version).toBe('2025-11-25')
    expect(server.messages('initialize')[0]?.headers['mcp-session-id']).toBeUndefined()
    expect(server.messages('notifications/initialized')[0]?.headers).toMatchObject({
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
    })
  })

  test('a recognized modern error in a 400 is not followed by initialize', async () => {
    const server = await http((request, response) =>
      json(response, 400, error(request.body?.id, -32022, 'no', { supported: ['2031-01-01'] })),
    )
    await expect(client(server.url)).rejects.toMatchObject({ code: 'unsupported-version' })
    expect(server.requests).toHaveLength(1)
  })

  test.each([401, 403, 502])('HTTP %i is no sign of an older server', async (status) => {
    const server = await http((_, response) => response.writeHead(status).end())
    await expect(client(server.url)).rejects.toMatchObject({ code: 'http-status', data: { status } })
    expect(server.requests).toHaveLength(1)
  })

  test('401 is put to onRefused, and the request sent again with new headers', async () => {
    let token = 'old'
    const server = await http((request, response) => {
      if (request.headers.authorization === 'Bearer new') json(response, 200, result(request.body?.id, discovered()))
      else response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end()
    })
    const challenges: unknown[] = []
    const made = await client(server.url, {
      headers: () => ({ authorization: `Bearer ${token}` }),
      onRefused: async (refusal) => {
        challenges.push(refusal)
        token = 'new'
        return true
      },
    })
    expect(made.version).toBe('2026-07-28')
    expect(challenges).toEqual([{ status: 401, challenge: 'Bearer realm="x"' }])
  })

  test('nobody listening fails with connect-failed, not sent', async () => {
    const server = await http(() => {})
    await server.close()
    await expect(client(server.url)).rejects.toMatchObject({ code: 'connect-failed', delivery: 'not-sent' })
  })

  test.each([307, 308])(
    'a redirect (%i) on the same origin is followed; one elsewhere is not (sec-65)',
    async (status) => {
      const server = await http((request, response) => {
        if (request.url === '/mcp') response.writeHead(status, { location: '/mcp/' }).end()
        else if (request.url === '/elsewhere') response.writeHead(status, { location: 'http://localhost:1/mcp' }).end()
        else json(response, 200, result(request.body?.id, discovered()))
      })
      expect((await client(server.url)).version).toBe('2026-07-28')
      await expect(client(server.url.replace('/mcp', '/elsewhere'))).rejects.toMatchObject({ data: { status } })
    },
  )

  test('the older HTTP+SSE transport is found when POST is refused', async () => {
    const server = await http(oldServer('/messages?session=1'), '/sse')
    const made = await client(server.url)
    expect(made.negotiated).toEqual({ era: 'legacy', version: '2024-11-05', transport: 'http+sse' })
    expect(await made.listTools()).toEqual([])
  })

  test('an endpoint on another origin is refused', async () => {
    const server = await http(oldServer('http://127.0.0.2:9/messages'), '/sse')
    await expect(client(server.url)).rejects.toMatchObject({ code: 'http-status' })
    expect(server.requests.filter(({ url }) => url.startsWith('/messages'))).toHaveLength(0)
  })

  test('what was negotiated is remembered, and corrected when it is wrong', async () => {
    let modern = false
    const server = await http((request, response) => {
      const { method, id } = request.body ?? {}
      if (method === 'server/discover' && modern) json(response, 200, result(id, discovered()))
      else if (method === 'initialize' && !modern) json(response, 200, result(id, initialized()))
      else if (id === undefined) response.writeHead(202).end()
      else json(response, 400, '')
    })
    const negotiations = new Map()
    await client(server.url, { negotiations })
    const probes = server.messages('server/discover').length
    await client(server.url, { negotiations })
    expect(server.messages('server/discover')).toHaveLength(probes)
    modern = true
    expect((await client(server.url, { negotiations })).version).toBe('2026-07-28')
  })

  test('a session id that is not visible ASCII is refused (sec-30)', async () => {
    const server = await http((request, response) => {
      if (request.body?.method === 'initialize') {
        json(response, 200, result(request.body.id, initialized()), { 'mcp-session-id': 'a b' })
      } else json(response, 400, '')
    })
    await expect(client(server.url)).rejects.toMatchObject({ code: 'invalid-message' })
  })

  test('a fetch of the caller is used in place of the runtime', async () => {
    const server = await http((request, response) => json(response, 200, result(request.body?.id, discovered())))
    let calls = 0
    const made = await client(server.url, {
      fetch: (url, init) => {
        calls++
        return fetch(url, init)
      },
    })
    expect(made.version).toBe('2026-07-28')
    expect(calls).toBe(1)
  })
})

describe('over sockets', () => {
  test.each(['tcp', 'unix'])('%s', async (kind) => {
    const server = createSocketServer((socket) => {
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\n').filter(Boolean)) {
          const message: Message = JSON.parse(line)
          socket.write(`${JSON.stringify(result(message.id, discovered()))}\n`)
        }
      })
    })
    const path = join(mkdtempSync(join(tmpdir(), 'portico-')), 's.sock')
    await new Promise<void>((resolve) => {
      if (kind === 'unix') server.listen(path, resolve)
      else server.listen(0, '127.0.0.1', resolve)
    })
    open.push(() => new Promise((resolve) => server.close(() => resolve())))
    const address = server.address()
    const url = typeof address === 'string' ? `unix:${path}` : `tcp://127.0.0.1:${address?.port}`
    expect((await client(url)).version).toBe('2026-07-28')
  })

  test('WebSocket, with the subprotocol mcp', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await new Promise((resolve) => server.once('listening', resolve))
    open.push(() => new Promise((resolve) => server.close(() => resolve())))
    const protocols: string[] = []
    server.on('connection', (socket) => {
      protocols.push(socket.protocol)
      socket.on('message', (data) => {
        const message: Message = JSON.parse(String(data))
        socket.send(JSON.stringify(result(message.id, discovered())))
      })
    })
    const { port } = server.address() as { port: number }
    expect((await client(`ws://127.0.0.1:${port}/mcp`)).version).toBe('2026-07-28')
    expect(protocols).toEqual(['mcp'])
  })

  test('a WebSocket that nobody answers fails with connect-failed', async () => {
    await expect(client('ws://127.0.0.1:1/')).rejects.toMatchObject({ code: 'connect-failed', delivery: 'not-sent' })
  })
})

/** A server of 2024-11-05: GET opens the stream, POST to the endpoint it names sends messages. */
function oldServer(endpoint: string): Parameters<typeof scriptedHttp>[0] {
  let stream: Parameters<Parameters<typeof scriptedHttp>[0]>[1] | undefined
  return (request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write(`event: endpoint\ndata: ${endpoint}\n\n`)
    } else if (request.url.startsWith('/messages')) {
      response.writeHead(202).end('Accepted')
      const { id, method } = request.body ?? {}
      if (id === undefined) return
      const answer = method === 'initialize' ? initialized('2024-11-05') : { tools: [] }
      stream?.write(`event: message\ndata: ${JSON.stringify(result(id, answer))}\n\n`)
    } else {
      response.writeHead(405).end()
    }
  }
}
