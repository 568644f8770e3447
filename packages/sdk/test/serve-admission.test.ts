/** Who is let in, with what, and what they are told: the rules that every way of serving holds alike. */

import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer as createNode } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPrincipal, type Principal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { createHttpHandler, serveHttp } from '../src/serve/adapters/http.ts'
import { createLogger, logRequests } from '../src/serve/observe/log.ts'
import type { Authenticate } from '../src/serve/rules/authorization.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { call, initialize, legacy, META, modern, open as openStream, send } from './http-fixture.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function keep<T extends { close(): unknown }>(one: T): T {
  open.push(one)
  return one
}

const byScope: Authenticate = (head) => {
  const scopes = head.header('authorization')
  return scopes === undefined ? undefined : createPrincipal('ada', scopes.split(' '))
}

const guarded = createServer({
  name: 'guarded',
  version: '1',
  onError: () => {},
  tools: {
    any: tool({}, () => 'any'),
    write: tool({ scopes: ['write'] }, () => 'written'),
    hidden: tool(
      {
        visible: (principal: Principal | undefined) => principal?.scopes.has('admin') === true,
        input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      },
      () => 'seen',
    ),
  },
})

describe('what authenticate returns', () => {
  const MISTAKES: readonly (readonly [string, unknown])[] = [
    ['an empty object', {}],
    ['a promise of an empty object', Promise.resolve({})],
    ['an object without scopes', { id: 'ada' }],
    ['an empty id', { id: '', scopes: new Set() }],
    ['an id that is no text', { id: 7, scopes: new Set() }],
    ['null', null],
    ['false', false],
    ['true', true],
    ['a text', 'ada'],
    ['a promise of null', Promise.resolve(null)],
    // biome-ignore lint/suspicious/noThenProperty: what other libraries call a promise has this member
    ['a foreign promise', { then: (resolve: (value: unknown) => void) => resolve({}) }],
  ]

  it.each(MISTAKES)('lets nobody in over HTTP when it is %s (security D29, sec-171)', async (_name, outcome) => {
    const { port } = keep(await serveHttp(guarded, { port: 0, authenticate: () => outcome as Principal }))
    expect((await send(port, modern('tools/list'))).status).toBe(500)
  })

  it.each(MISTAKES)('lets nobody in over fetch when it is %s (security D29, sec-171)', async (_name, outcome) => {
    const handler = serveFetch(guarded, { authenticate: () => outcome as Principal })
    const { headers, body } = modern('tools/list')
    const init = { method: 'POST', headers: headers as { [name: string]: string }, body: body as string }
    expect((await handler.fetch(new Request('http://localhost/mcp', init))).status).toBe(500)
  })

  it.each(MISTAKES)('lets nobody in over WebSocket when it is %s (security D29, sec-171)', async (_name, outcome) => {
    const { url } = keep(await serveWebSocket(guarded, { port: 0, authenticate: () => outcome as Principal }))
    const socket = new WebSocket(url, 'mcp')
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_req, response) => resolve(response.statusCode))
      socket.on('open', () => resolve('open'))
      socket.on('error', () => {})
    })
    expect(status).toBe(500)
  })
})

describe('the header check', () => {
  const post = (port: number, name: string, scopes = '') =>
    send(port, modern('tools/call', { name, arguments: { region: 'eu' } }, { authorization: scopes }))

  it('says no more of a hidden tool than of one that is not there (security D17, sec-167)', async () => {
    const { port } = keep(await serveHttp(guarded, { port: 0, authenticate: byScope }))
    const [hidden, unknown] = [await post(port, 'hidden'), await post(port, 'nowhere')]
    expect(hidden.status).toBe(unknown.status)
    expect(hidden.text.replaceAll('hidden', 'nowhere')).toBe(unknown.text)
    expect((await post(port, 'hidden', 'admin')).json?.error.code).toBe(-32020)
  })
})

describe('a message on the old event stream', () => {
  it.each([
    { stream: 'write', post: 'read', text: undefined },
    { stream: 'read', post: 'write', text: 'written' },
  ])('posted with $post on a stream with $stream is served with $post (security D18, sec-168)', async (row) => {
    const { port } = keep(await serveHttp(guarded, { port: 0, authenticate: byScope }))
    const accept = { accept: 'text/event-stream' }
    const stream = await openStream(port, {
      method: 'GET',
      path: '/sse',
      headers: { ...accept, authorization: row.stream },
    })
    const path = (await stream.next())?.data ?? ''
    const say = (message: object, authorization: string) =>
      send(port, { ...legacy(message, undefined, { authorization }), path })
    await say(initialize('2024-11-05'), row.stream)
    await stream.next()
    expect((await say(call('write'), row.post)).status).toBe(202)
    const answer = JSON.parse((await stream.next())?.data ?? '{}')
    expect(answer.result?.content[0].text).toBe(row.text)
    stream.destroy()
  })
})

describe('a body that a framework has parsed', () => {
  function nest(depth: number): unknown {
    let value: unknown = 1
    for (let at = 0; at < depth; at++) value = [value]
    return value
  }
  const repeat = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]))
  const rows = [
    { option: 'maxDepth', at: 12, args: (n: number) => ({ a: nest(n - 3) }), sizes: [11, 12, 13, 40_000] },
    { option: 'maxKeys', at: 30, args: repeat, sizes: [29, 30, 31] },
    { option: 'maxItems', at: 30, args: (n: number) => ({ a: new Array(n).fill(0) }), sizes: [29, 30, 31] },
    { option: 'maxStringLength', at: 200, args: (n: number) => ({ a: 'x'.repeat(n) }), sizes: [199, 200, 201] },
    { option: 'maxStringLength', at: 200, args: (n: number) => ({ ['x'.repeat(n)]: 0 }), sizes: [199, 200, 201] },
  ]
  it.each(rows)(
    'is held to $option $at like any other (security D27, sec-169)',
    async ({ option, at, args, sizes }) => {
      const handler = createHttpHandler(guarded, { json: { [option]: at } })
      let body: unknown
      const node = createHttp(async (req, res) => {
        await once(req.resume(), 'end')
        handler(Object.assign(req, { body }), res)
      })
      await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
      const { port } = node.address() as AddressInfo
      for (const size of sizes) {
        body = {
          jsonrpc: '2.0',
          id: 'own',
          method: 'tools/call',
          params: { name: 'any', arguments: args(size), _meta: META },
        }
        const { json, status } = await send(port, { ...modern('tools/call', { name: 'any' }), body: '{}' })
        if (size <= at) expect(json?.result.content[0].text).toBe('any')
        else
          expect([status, json]).toMatchObject([
            400,
            { id: 'own', error: { message: expect.stringContaining(option) } },
          ])
      }
      await handler.close(0)
      node.close()
    },
  )
})

describe('a path', () => {
  it.each(['/mcp', '/mcp/', '/mcp?x=1', '/mcp/?x=1'])('%s is that of the endpoint (sdk D25)', async (path) => {
    const { port } = keep(await serveHttp(guarded, { port: 0 }))
    expect((await send(port, { ...modern('tools/list'), path })).status).toBe(200)
    expect((await send(port, { ...modern('tools/list'), path: '/mcp/x' })).status).toBe(404)
  })
})

describe('an address that cannot be listened on (sdk D26)', () => {
  const serve = [
    ['serveHttp', (port: number) => serveHttp(guarded, { port })],
    ['serveWebSocket', (port: number) => serveWebSocket(guarded, { port })],
    ['serveSocket', (port: number) => serveSocket(guarded, { port })],
  ] as const
  it.each(serve)(
    'is named by %s in its first words, with what to do and no frames of ours (newcomer 1)',
    async (_name, begin) => {
      const taken = createNode()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      const { port } = taken.address() as AddressInfo
      const error = await begin(port).then(
        () => undefined,
        (caught: unknown) => caught,
      )
      taken.close()
      expect(error).toMatchObject({ code: 'connect-failed' })
      expect(String(error)).toMatch(
        new RegExp(
          `^PorticoError: Port ${port} is in use: cannot listen on .*EADDRINUSE \\(another program listens there`,
        ),
      )
      // What is not caught is printed with its frames, and those would be minified lines of this package.
      expect((error as Error).stack).not.toContain('    at ')
    },
  )
})

describe('a server whose context function throws', () => {
  it.each(['2026-07-28', '2025-11-25'] as const)('can still be connected to on %s (sdk D23)', async (version) => {
    const broken = createServer({
      name: 'broken',
      version: '1',
      onError: () => {},
      context: () => {
        throw new Error('no database')
      },
      tools: { any: tool({}, () => 'any') },
    })
    const client = keep(await connect(broken, { versions: [version] }))
    await client.ping()
    expect(await client.listTools()).toHaveLength(1)
    await expect(client.callTool('any')).rejects.toThrow('Internal error')
  })
})

describe('a function that only watches and rejects ends nothing (sdk D6)', () => {
  const unheard: unknown[] = []
  const listen = (reason: unknown) => unheard.push(reason)
  beforeEach(() => {
    unheard.length = 0
    process.on('unhandledRejection', listen)
  })
  afterEach(() => process.off('unhandledRejection', listen))
  const reject = async () => {
    throw new Error('the collector is down')
  }
  const failing = { fail: tool({}, () => Promise.reject(new Error('broken'))), any: tool({}, () => 'any') }

  it('onError, server.on, onSlow, a log sink and the hook of a transport', async () => {
    const logger = createLogger({ write: reject })
    const errors: unknown[] = []
    const server = createServer({
      name: 'watched',
      version: '1',
      tools: failing,
      slow: { callMs: 0.0001 },
      onSlow: reject,
      onError: async (error) => {
        errors.push(error)
        await reject()
      },
    })
    server.on('tools/call', reject)
    server.onRootsChanged(reject)
    logRequests(server, logger)
    const client = keep(await connect(server, { versions: ['2025-11-25'], roots: [] }))
    await client.setRoots([{ uri: 'file:///x' }])
    expect((await client.callTool('fail')).isError).toBe(true)
    const { port } = keep(
      await serveHttp(server, { port: 0, onError: reject, authenticate: () => Promise.reject(new Error('down')) }),
    )
    expect((await send(port, modern('tools/list'))).status).toBe(500)
    // Rejections that nobody hears are told of after the current turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors.length).toBeGreaterThan(1)
    expect(unheard).toEqual([])
  })
})
