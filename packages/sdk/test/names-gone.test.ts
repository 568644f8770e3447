/** The names of servers cannot be looked up for a while: what a client says of it, and that it needs no help afterwards. */

import dns from 'node:dns'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchDocument } from '../src/auth/client/discovery-resource.ts'
import { createGuardedFetch } from '../src/auth/network/guarded-fetch.ts'
import { connect } from '../src/connect/connect.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  for (const close of closing.splice(0).reverse()) await close()
})

const GONE = ['ENOTFOUND', 'EAI_AGAIN']

type Found = (error: Error | null, addresses?: string | { address: string; family: number }[], family?: number) => void

/** What the system says of a name: an error's code, or that it is this machine. */
function lookUp(codeOf: (name: string) => string | undefined): void {
  const lookup = (name: string, options: { all?: boolean }, found: Found): void => {
    const code = codeOf(name)
    if (code !== undefined) found(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code }))
    else if (options.all === true) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  }
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup)
  syncBuiltinESMExports()
}

const server = createServer({ name: 'web', version: '1.0.0', tools: { echo: tool({}, () => 'here') } })
const NAME = 'mcp.example'
const allowedHosts = [NAME]

const WAYS = [
  { way: 'HTTP', open: () => serveHttp(server, { port: 0, allowedHosts }) },
  { way: 'a WebSocket', open: () => serveWebSocket(server, { port: 0, allowedHosts }) },
  { way: 'a port', open: () => serveSocket(server, { port: 0 }) },
]

describe.each(WAYS)('a client of $way', ({ open }) => {
  it.each(GONE)(
    'says that nothing was sent when its server has no address (%s), and connects when it has one',
    async (code) => {
      const listener = await open()
      closing.push(() => listener.close())
      const url = listener.url.replace('127.0.0.1', NAME)
      lookUp(() => code)
      const failure: unknown = await connect(url, { negotiations: false }).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'connect-failed', delivery: 'not-sent' })
      expect(wordsOf(failure)).toContain(code)
      lookUp(() => undefined)
      const client = await connect(url, { negotiations: false })
      closing.push(() => client.close())
      expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'here' }] })
    },
  )
})

/** What is said of an error and of its causes. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${wordsOf(error.cause)}` : ''
}

describe('discovery of an authorization server', () => {
  async function listen(handle: RequestListener): Promise<number> {
    const http = createHttp(handle)
    closing.push(() => http.close())
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return (http.address() as AddressInfo).port
  }

  it.each(GONE)('says what to do about %s, and goes on when names are back, its own among them', async (code) => {
    const port = await listen((_request, response) => response.end('{"issuer":"here"}'))
    const own = new URL(`http://${NAME}/mcp`)
    const fetch = createGuardedFetch({ server: own, dangerouslyAllowPlainHttp: true })
    const discover = () => fetchDocument(fetch, new URL(`http://id.example:${port}/`))
    lookUp(() => code)
    const words = /name cannot be resolved; check its spelling and the network connection$/
    const failure = { code: 'auth-failed', data: { reason: 'unreachable' }, message: expect.stringMatching(words) }
    await expect(discover()).rejects.toMatchObject(failure)
    // It is on this machine, where this server's client may go only if that server is here too.
    lookUp((name) => (name === NAME ? code : undefined))
    await expect(discover()).rejects.toMatchObject({ data: { reason: 'blocked-target' } })
    lookUp(() => undefined)
    expect(await discover()).toEqual({ issuer: 'here' })
  })
})
