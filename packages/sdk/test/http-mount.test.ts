/** The endpoint as a handler within somebody else's Node server, as Express and its like pass requests on. */

import { once } from 'node:events'
import { createServer as createNodeServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpHandler, type HttpHandler } from '../src/serve/adapters/http.ts'
import { createFixture, type Fixture, modern, open, send } from './http-fixture.ts'

let fixture: Fixture
let node: Server
afterEach(async () => {
  node.closeAllConnections()
  node.close()
  await fixture.http.close()
})

async function mount(
  run: (handler: HttpHandler) => (...args: Parameters<HttpHandler>) => void,
  path?: string,
): Promise<number> {
  fixture = await createFixture()
  node = createNodeServer(run(createHttpHandler(fixture.server, { path })))
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  return (node.address() as AddressInfo).port
}

/** What a body parser does: reads the stream to its end and leaves the result on the request. */
async function parse(req: IncomingMessage, as: 'object' | 'text' | 'bytes'): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return as === 'bytes' ? bytes : as === 'text' ? bytes.toString() : JSON.parse(bytes.toString())
}

describe('createHttpHandler', () => {
  it('serves under a plain Node server, on every path when none is given', async () => {
    const port = await mount((handler) => handler)
    expect((await send(port, { ...modern('tools/list'), path: '/anything' })).status).toBe(200)
  })

  it.each(['object', 'text', 'bytes'] as const)('takes a body that was read before, as %s', async (as) => {
    const port = await mount((handler) => async (req, res) => {
      handler(Object.assign(req, { body: await parse(req, as) }), res)
    })
    const answer = await send(port, modern('tools/call', { name: 'echo', arguments: { text: 'é' } }))
    expect(answer.json?.result.content[0].text).toBe('é')
  })

  it('reads the body itself when a parser only left an empty object', async () => {
    const port = await mount((handler) => (req, res) => handler(Object.assign(req, { body: {} }), res))
    expect((await send(port, modern('tools/list'))).status).toBe(200)
  })

  it('passes other paths on, and keeps headers that were set before', async () => {
    const port = await mount(
      (handler) => (req, res) => {
        res.setHeader('x-powered-by', 'tests')
        handler(req, res, () => res.writeHead(418).end())
      },
      '/mcp',
    )
    expect((await send(port, { ...modern('tools/list'), path: '/else' })).status).toBe(418)
    const answer = await send(port, modern('tools/list'))
    expect([answer.status, answer.headers['x-powered-by'], answer.headers['content-type']]).toEqual([
      200,
      'tests',
      'application/json',
    ])
  })

  it('tells old clients to post to the path they came by, as the outside sees it', async () => {
    const port = await mount((handler) => (req, res) => {
      handler(Object.assign(req, { originalUrl: `/api${req.url}`, url: '/' }), res)
    })
    const stream = await open(port, { method: 'GET', path: '/mcp', headers: { accept: 'text/event-stream' } })
    const endpoint = (await stream.next())?.data ?? ''
    expect(endpoint).toMatch(/^\/api\/mcp\?session=/)
    const path = endpoint.replace('/api', '')
    const posted = await send(port, {
      path,
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    expect(posted.status).toBe(202)
    expect(JSON.parse((await stream.next())?.data ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    stream.destroy()
  })

  it('drains without the server around it', async () => {
    let handler: HttpHandler | undefined
    const port = await mount((made) => {
      handler = made
      return made
    })
    expect((await send(port, modern('tools/list'))).status).toBe(200)
    await handler?.close()
    const refused = await send(port, modern('tools/list'))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.any(String)])
  })
})
