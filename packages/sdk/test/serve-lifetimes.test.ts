/** How long things last, on every way in: a call as long as its handler, a connection as long as its credential. */

import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2'
import { type AddressInfo, connect as dial } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createPrincipal, type Principal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { createHttpHandler, serveHttp } from '../src/serve/adapters/http.ts'
import type { NodeRequest } from '../src/serve/adapters/http-node.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveStdio } from '../src/serve/stdio.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { modern, openSession, open as openStream } from './http-fixture.ts'
import { ENVELOPE, type Json, type Line, WAYS, type Way } from './limits-ways.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function keep<T extends { close(): unknown }>(one: T): T {
  open.push(one)
  return one
}

/** A server whose handlers go on after their call was cancelled, until they are let go. */
class Deaf {
  running = 0
  release: () => void = () => {}
  readonly server: Server
  #begun = 0
  #wake: () => void = () => {}

  constructor() {
    const released = new Promise<void>((resolve) => {
      this.release = resolve
    })
    this.server = createServer({
      name: 'deaf',
      version: '1',
      tools: {
        wait: tool({}, async (_args, ctx) => {
          this.running++
          this.#begun++
          ctx.signal.addEventListener('abort', () => this.#wake())
          this.#wake()
          await released
          this.running--
          return 'waited'
        }),
      },
    })
  }

  async begun(count: number): Promise<void> {
    while (this.#begun < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

describe('a call counts until its handler has settled (security D3, sec-163)', () => {
  const eras = ['2026-07-28', '2025-11-25', '2025-03-26 in a batch'] as const
  const rows = WAYS.flatMap((way) => eras.map((era) => ({ way, name: way.name, era })))

  it.each(rows)('over $name, $era', async ({ way, era }) => {
    const deaf = new Deaf()
    const ada = createPrincipal('ada')
    const limits = way.name === 'stdio' ? { maxInFlight: 3 } : { maxInFlightPerPrincipal: 3 }
    const place = keep(await way.open(deaf.server, { limits, principal: ada }))
    const line = await place.line('ada')
    if (era !== '2026-07-28') await line.initialize(era.slice(0, 10))
    for (let at = 0; at < 3; at++) begin(line, era, `call ${at}`)
    await deaf.begun(3)
    const after = await cancelAll(way, line, era)
    const again = after ?? (await place.line('ada'))
    // The cancellation may take a moment to arrive; whenever it does, the handlers are still there.
    for (let at = 0; at < 5; at++) {
      const { message } = await again.modern('tools/list', {}, `next ${at}`)
      expect(message.error?.message).toMatch(/maxInFlight(PerPrincipal)? \(3\)/)
    }
    expect(deaf.running).toBe(3)
    deaf.release()
    await expect.poll(async () => (await again.modern('tools/list', {})).message.error).toBeUndefined()
  })

  function begin(line: Line, era: (typeof eras)[number], id: string): void {
    const params = { name: 'wait', arguments: {} }
    if (era === '2026-07-28') void line.modern('tools/call', params, id).catch(() => {})
    else if (era === '2025-11-25') void line.request('tools/call', params, id).catch(() => {})
    else void line.say(JSON.stringify([{ jsonrpc: '2.0', id, method: 'tools/call', params }])).catch(() => {})
  }

  /** Cancels as clients of the era do; the line that can still be used, if there is one. */
  async function cancelAll(way: Way, line: Line, era: (typeof eras)[number]): Promise<Line | undefined> {
    if (era === '2026-07-28' && (way.name === 'http' || way.name === 'fetch')) {
      line.hangUp()
      return undefined
    }
    for (let at = 0; at < 3; at++) {
      await line.tell({ method: 'notifications/cancelled', params: { requestId: `call ${at}` } })
    }
    return line
  }

  it('over HTTP/2, where streams are reset as fast as they are opened', async () => {
    const deaf = new Deaf()
    const handler = createHttpHandler(deaf.server, { limits: { maxInFlight: 5 } })
    // The compatible API is what a server with `http2` hands over.
    const node = createHttp2((req, res) => handler(req as unknown as NodeRequest, res as never))
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const client = connectHttp2(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
    const { headers, body } = modern('tools/call', { name: 'wait', arguments: {} })
    const post = () => {
      const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...headers })
      stream.on('error', () => {})
      stream.end(body)
      return stream
    }
    for (let at = 0; at < 5; at++) {
      const stream = post()
      await deaf.begun(at + 1)
      stream.close(8)
    }
    for (let at = 0; at < 20; at++) {
      const [head] = await once(post(), 'response')
      expect(head[':status']).toBe(503)
    }
    expect(deaf.running).toBe(5)
    deaf.release()
    client.destroy()
    await handler.close(0)
    await new Promise((resolve) => node.close(resolve))
  })
})

describe('what was opened by a credential ends with it (security D4, sec-164)', () => {
  const server = createServer({
    name: 'expiring',
    version: '1',
    tools: { who: tool({}, (_, ctx) => String(ctx.principal?.id)) },
  })
  const expiring = (): Principal => ({ ...createPrincipal('ada'), expiresAt: Date.now() + 150 })
  const authenticate = () => expiring()

  it('a WebSocket', async () => {
    const { url } = keep(await serveWebSocket(server, { port: 0, authenticate }))
    const socket = new WebSocket(url, 'mcp')
    await once(socket, 'open')
    const [code] = await once(socket, 'close')
    expect(code).toBe(1001)
  })

  it('a WebSocket, which takes nothing new while what is under way finishes', async () => {
    const deaf = new Deaf()
    const { url } = keep(await serveWebSocket(deaf.server, { port: 0, authenticate }))
    const socket = new WebSocket(url, 'mcp')
    await once(socket, 'open')
    const heard: Json[] = []
    socket.on('message', (data) => heard.push(JSON.parse(String(data))))
    const say = (id: number, method: string, params: Json = {}) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } }))
    say(1, 'tools/call', { name: 'wait', arguments: {} })
    await deaf.begun(1)
    await expect
      .poll(() => {
        say(2, 'tools/list')
        return heard.find(({ id, error }) => id === 2 && error !== undefined)?.error.message
      })
      .toBe('The credential of this connection has expired')
    deaf.release()
    await once(socket, 'close')
    expect(heard.find(({ id }) => id === 1)?.result.content[0].text).toBe('waited')
  })

  it('a socket', async () => {
    const listener = keep(await serveSocket(server, { port: 0, principal: expiring() }))
    const socket = dial(listener.port ?? 0, '127.0.0.1')
    await once(socket.resume(), 'close')
  })

  it('an old event stream', async () => {
    const { port } = keep(await serveHttp(server, { port: 0, authenticate }))
    const stream = await openStream(port, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
    expect((await stream.rest()).map(({ event }) => event)).toEqual(['endpoint'])
  })

  it('the stream of a session', async () => {
    const { port } = keep(await serveHttp(server, { port: 0, authenticate }))
    const session = await openSession(port, '2025-06-18')
    const headers = { accept: 'text/event-stream', ...session.headers }
    expect(await (await openStream(port, { method: 'GET', headers })).rest()).toEqual([])
  })

  it('a listener', async () => {
    const { port } = keep(await serveHttp(server, { port: 0, authenticate }))
    const stream = await openStream(port, modern('subscriptions/listen', { notifications: { toolsListChanged: true } }))
    expect(await stream.rest()).toHaveLength(1)
  })
})

describe('closing one way of serving ends nothing of another (sdk D2)', () => {
  const create = () =>
    createServer({
      name: 'shared',
      version: '1',
      resources: { r: resource({ uri: 'x://r' }, () => 'here') },
    })

  type Served = { close(): Promise<unknown> }

  const WAYS_DOWN: readonly [string, (server: Server) => Promise<Served>][] = [
    ['serveHttp', (server) => serveHttp(server, { port: 0, graceMs: 100 })],
    ['serveFetch', async (server) => ({ close: () => serveFetch(server).close(100) })],
    ['serveWebSocket', (server) => serveWebSocket(server, { port: 0, graceMs: 100 })],
    ['serveSocket', (server) => serveSocket(server, { port: 0, graceMs: 100 })],
    [
      'serveStdio',
      async (server) => {
        const stdin = new PassThrough()
        const served = serveStdio(server, { exit: false, stdin, stdout: new PassThrough(), graceMs: 100 })
        return {
          close: () => {
            stdin.end()
            return served.closed
          },
        }
      },
    ],
    [
      'memory',
      async (server) => {
        const client = await connect(server)
        return { close: () => client.close() }
      },
    ],
  ]
  const targets: readonly [string, (server: Server) => Promise<Parameters<typeof connect>[0]>][] = [
    ['serveHttp', async (server) => keep(await serveHttp(server, { port: 0, graceMs: 100 })).url],
    ['serveWebSocket', async (server) => keep(await serveWebSocket(server, { port: 0, graceMs: 100 })).url],
    ['serveSocket', async (server) => keep(await serveSocket(server, { port: 0, graceMs: 100 })).url],
    ['memory', async (server) => server],
  ]
  const rows = WAYS_DOWN.flatMap(([down, start]) => targets.map(([up, reach]) => ({ down, start, up, reach })))

  it.each(rows)('$down closes, a listener on $up goes on and another comes', async ({ start, reach }) => {
    const server = create()
    const closing = await start(server)
    const target = await reach(server)
    const client = keep(await connect(target))
    const heard: unknown[] = []
    await client.subscribe('x://r', (change) => heard.push(change))
    await closing.close()
    server.changed('x://r')
    await expect.poll(() => heard.length).toBe(1)
    const late = keep(await connect(target))
    await late.subscribe('x://r')
  })
})
