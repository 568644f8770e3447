/** The client's end of a WebSocket: servers without a subprotocol, and who the request that opens it says it comes from. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createSecureServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { AuthHeaders, Authorizer } from '../src/auth/client/authorization.ts'
import { createPrincipal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { attachWebSocket, serveWebSocket, type WebSocketOptions } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import type { WebSocketConstructor } from '../src/transport/websocket/websocket-client.ts'
import { initialized, result } from './client-peers.ts'

const open: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(url: string, options: ConnectOptions = {}) {
  const made = await connect(url, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

const whoami = tool({}, (_, ctx) => ctx.principal?.id ?? 'nobody')
const definition = () => createServer({ name: 'who', version: '1', tools: { whoami } })

/** A server that knows whoever sends `authorization: Bearer <name>`, and nobody else. */
async function serve(options: WebSocketOptions = {}): Promise<string> {
  const listener = await serveWebSocket(definition(), {
    port: 0,
    authenticate: (head) => {
      const [, name] = /^Bearer (\w+)$/.exec(head.header('authorization') ?? '') ?? []
      if (name !== undefined) return createPrincipal(name)
      return { status: 401, message: 'A token is needed', headers: ['www-authenticate', 'Bearer'] }
    },
    ...options,
  })
  open.push(() => listener.close())
  return listener.url
}

/** A server of the older revisions that knows of no subprotocol. */
async function serveWithoutSubprotocol(): Promise<{ url: string; offered: (string | undefined)[] }> {
  const offered: (string | undefined)[] = []
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false })
  open.push(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  })
  sockets.on('connection', (socket, request) => {
    offered.push(request.headers['sec-websocket-protocol'])
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data))
      if (method === 'initialize') socket.send(JSON.stringify(result(id, initialized('2024-11-05'))))
      else if (method === 'tools/list') socket.send(JSON.stringify(result(id, { tools: [] })))
      else if (id !== undefined)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: '' } }))
    })
  })
  await new Promise((resolve) => sockets.once('listening', resolve))
  return { url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`, offered }
}

/** Takes what the web's kind takes: no headers, no certificate. */
class WebKind extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols)
  }
}

describe('a WebSocket server that chooses no subprotocol (founding 2)', () => {
  test.each([
    ['ws', undefined],
    ['a constructor of the caller', WebKind as unknown as WebSocketConstructor],
  ])('is tried again without one: %s', async (_kind, webSocket) => {
    const { url, offered } = await serveWithoutSubprotocol()
    const made = await client(url, webSocket === undefined ? {} : { webSocket })
    expect(await made.listTools()).toEqual([])
    expect(offered).toEqual(['mcp', undefined])
  })
})

describe('what the options say of the caller (founding 2)', () => {
  test.each(PROTOCOL_VERSIONS)('headers go with the request that opens the connection: %s', async (versions) => {
    const url = await serve()
    const made = await client(url, { versions, headers: { authorization: 'Bearer ada' } })
    expect(await made.tools.whoami?.({})).toBe('ada')
  })

  test('headers that are a function are asked for each time', async () => {
    let asked = 0
    const url = await serve()
    const made = await client(url, { headers: async () => ({ authorization: `Bearer ada${++asked}` }) })
    expect(await made.tools.whoami?.({})).toBe('ada1')
  })

  test('a refusal is told with its status, and is not taken for a missing subprotocol', async () => {
    let asked = 0
    const url = await serve({
      authenticate: () => {
        asked++
        return { status: 403, message: 'no' }
      },
    })
    await expect(client(url)).rejects.toMatchObject({ code: 'http-status', data: { status: 403 } })
    expect(asked).toBe(1)
  })

  test('an authorizer answers the challenge, once per connection', async () => {
    const url = await serve()
    let token: string | undefined
    const seen: (string | undefined)[] = []
    const auth: Authorizer = {
      interactive: false,
      headers: ({ url: asked }) => {
        seen.push(asked.protocol)
        const headers: AuthHeaders = token === undefined ? {} : { authorization: `Bearer ${token}` }
        return headers
      },
      note: ({ status }) => status === 401,
      async challenge(answer) {
        seen.push(answer.header('www-authenticate'))
        token = 'bo'
        return 'retry'
      },
      async signOut() {},
      close() {},
    }
    const made = await client(url, { auth })
    expect(await made.tools.whoami?.({})).toBe('bo')
    expect(seen).toEqual(['http:', 'Bearer', 'http:'])
  })

  test('`onRefused` may find other headers', async () => {
    const url = await serve()
    let token = '-'
    const made = await client(url, {
      headers: () => ({ authorization: `Bearer ${token}` }),
      onRefused: async ({ status }) => {
        token = `after${status}`
        return true
      },
    })
    expect(await made.tools.whoami?.({})).toBe('after401')
  })

  test.skipIf(spawnSync('openssl', ['version']).status !== 0)('tls names the authority to trust', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-ws-'))
    open.push(() => rmSync(folder, { recursive: true }))
    const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', 'key.pem', '-out', 'cert.pem']
    execFileSync('openssl', [...words.split(' '), ...names], { cwd: folder, stdio: 'pipe' })
    const [cert, key] = ['cert.pem', 'key.pem'].map((file) => readFileSync(join(folder, file), 'utf8'))
    const node: TlsServer = createSecureServer({ cert, key })
    const attachment = attachWebSocket(definition(), node)
    await new Promise<void>((resolve) => node.listen(0, 'localhost', resolve))
    open.push(async () => {
      await attachment.close()
      node.close()
    })
    const url = `wss://localhost:${(node.address() as AddressInfo).port}/mcp`
    await expect(client(url)).rejects.toMatchObject({ code: 'connect-failed' })
    expect((await client(url, { tls: { ca: cert ?? '' } })).server.info?.name).toBe('who')
  })

  const auth: Authorizer = {
    interactive: false,
    headers: () => ({}),
    note: () => false,
    challenge: async () => 'fail',
    async signOut() {},
    close() {},
  }
  test.each([
    ['headers', 'ws://127.0.0.1:1/', { headers: { a: 'b' }, webSocket: WebKind as unknown as WebSocketConstructor }],
    ['tls', 'ws://127.0.0.1:1/', { tls: { ca: '' }, webSocket: WebKind as unknown as WebSocketConstructor }],
    ['auth', 'ws://127.0.0.1:1/', { auth, webSocket: WebKind as unknown as WebSocketConstructor }],
    ['headers', 'tcp://127.0.0.1:1', { headers: { a: 'b' } }],
    ['tls', 'unix:/nowhere', { tls: { ca: '' } }],
    ['auth', 'tcp://127.0.0.1:1', { auth }],
  ])('`%s` is refused with a reason where it cannot be sent: %s', async (name, url, options) => {
    await expect(client(url, options)).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining(`\`${name}\``),
    })
  })
})
