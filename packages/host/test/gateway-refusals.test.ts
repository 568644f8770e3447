/** What a call beyond a limit of the gateway is answered with, on the wire, in both eras. */

import { once } from 'node:events'
import { serveFetch } from '@portico/sdk/fetch'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createGateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createFeatureServer, createLab } from './gateway-lab.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const ABOUT = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Params {
  readonly name?: string
  readonly uri?: string
  readonly arguments?: object
}

async function openGateway() {
  const lab = await createLab({ features: { target: createFeatureServer() } })
  const gateway = createGateway(lab, {
    limits: { callsPerMinute: 1 },
    ownNames: true,
    allowAnonymous: true,
    tasks: false,
  })
  const handler = serveFetch(gateway.server)
  closers.push(
    () => lab.close(),
    () => gateway.close(0),
    () => handler.close(0),
  )
  return handler
}

type Handler = Awaited<ReturnType<typeof openGateway>>

async function post(handler: Handler, message: object, own: Record<string, string>) {
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...own,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
  const text = await response.text()
  const [, data = text] = /^data: (\{.+)$/m.exec(text) ?? []
  return { status: response.status, headers: response.headers, answer: data === '' ? undefined : JSON.parse(data) }
}

async function asker(handler: Handler, era: string) {
  if (era === MODERN) {
    return (method: string, params: Params) =>
      post(
        handler,
        { id: 2, method, params: { ...params, _meta: ABOUT } },
        { 'mcp-protocol-version': MODERN, 'mcp-method': method, 'mcp-name': params.name ?? params.uri ?? '' },
      )
  }
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const { headers } = await post(handler, { id: 1, method: 'initialize', params }, {})
  const own = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': LEGACY }
  await post(handler, { method: 'notifications/initialized' }, own)
  return (method: string, asked: Params) => post(handler, { id: 2, method, params: asked }, own)
}

test.each([LEGACY, MODERN])(
  'a gateway refuses a call beyond a limit with a result, and what is no call with an error, in %s (sec-564)',
  async (era) => {
    const ask = await asker(await openGateway(), era)
    const call: Params = { name: 'echo', arguments: { text: 'x' } }
    expect(await ask('tools/call', call)).toMatchObject({
      status: 200,
      answer: { result: { content: [{ text: 'x' }] } },
    })
    expect(await ask('tools/call', call)).toMatchObject({
      status: 200,
      answer: {
        result: {
          isError: true,
          content: [{ text: expect.stringMatching(/callsPerMinute \(1\) is exceeded. Try again in \d+ s/) }],
        },
      },
    })
    expect(await ask('resources/read', { uri: 'note://today' })).toMatchObject({
      status: 200,
      answer: {
        error: {
          code: -32603,
          data: { limit: expect.stringContaining('callsPerMinute'), retryAfterMs: expect.any(Number) },
        },
      },
    })
  },
)

test('a gateway holds its WebSocket to the bounds that it was given', async () => {
  const lab = await createLab({ features: { target: createFeatureServer() } })
  const gateway = createGateway(lab, { allowAnonymous: true, tasks: false })
  const http = await serveGateway(gateway, { port: 0, graceMs: 0, webSocketPath: '/socket', json: { maxDepth: 3 } })
  const socket = new WebSocket(`ws://127.0.0.1:${http.port}/socket`, 'mcp')
  closers.push(
    () => lab.close(),
    () => http.close(),
    async () => socket.terminate(),
  )
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: { b: { c: 1 } } } }))
  const [answer] = await once(socket, 'message')
  expect(JSON.parse(String(answer))).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('maxDepth (3)') },
  })
})
