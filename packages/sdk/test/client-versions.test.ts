/** What a caller is told when no connection comes about: the versions of both sides, and the attempt that came furthest. */

import { afterEach, describe, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import type { Target } from '../src/connect/options.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { createServer } from '../src/server/server.ts'
import { CONNECT } from '../src/session/connectable.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'
import { error, json, scriptedChannel, scriptedHttp } from './client-peers.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const newest = () => createServer({ name: 'newest', version: '1', versions: ['2026-07-28'] })

async function overHttp(): Promise<string> {
  const http = await serveHttp(newest(), { port: 0 })
  open.push(() => http.close())
  return http.url
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
}
const REFUSAL = { id: 1, error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-06-18' } } }

describe('no version in common (founding 12)', () => {
  test.each<[string, () => Target | Promise<Target>]>([
    ['memory', newest],
    ['HTTP', overHttp],
  ])('names those of both sides: %s', async (_way, target) => {
    const failure = connect(await target(), { versions: ['2025-06-18', '2024-11-05'], negotiations: false })
    await expect(failure).rejects.toMatchObject({
      code: 'unsupported-version',
      message: expect.stringMatching(/2025-06-18.*2024-11-05.*2026-07-28|2024-11-05.*2026-07-28/),
      data: { supported: ['2025-06-18', '2024-11-05'], offered: ['2026-07-28'] },
    })
  })

  test('a server of the newest revision alone answers `initialize` with the versions it has: memory', async () => {
    const [near, far] = createMemoryChannels()
    const answer = new Promise((resolve) => far.open({ message: resolve, malformed() {}, closed() {} }))
    newest()[CONNECT](near)
    far.send(JSON.stringify(INITIALIZE))
    expect(await answer).toMatchObject(REFUSAL)
    await far.close()
  })

  test('a server of the newest revision alone answers `initialize` with the versions it has: HTTP', async () => {
    const answer = await fetch(await overHttp(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(INITIALIZE),
    })
    expect(await answer.json()).toMatchObject(REFUSAL)
  })

  test.each([
    [-32000, 'Unsupported protocol version', { supported: ['2023-01-01'], requested: 'x' }],
    [-32602, 'Unsupported protocol version', { supported: ['2023-01-01'] }],
    [-32000, 'Unsupported protocol version: 2025-11-25', undefined],
  ])('is `unsupported-version` also when the server says it with %i (%s, %o)', async (code, message, data) => {
    const { channel } = scriptedChannel(({ id, method }, reply) => {
      if (id !== undefined) reply(method === 'initialize' ? error(id, code, message, data) : error(id, -32601))
    })
    await expect(connect(channel)).rejects.toMatchObject({
      code: 'unsupported-version',
      data: { supported: PROTOCOL_VERSIONS },
    })
  })
})

describe('the attempt that came furthest is told (founding 12)', () => {
  test('discovery, where the older handshake is not even known', async () => {
    const { channel } = scriptedChannel(({ id, method }, reply) => {
      if (id !== undefined) reply(method === 'initialize' ? error(id, -32601) : error(id, -32603, 'the disk is full'))
    })
    await expect(connect(channel)).rejects.toMatchObject({ rpcCode: -32603, message: 'the disk is full' })
  })

  test('the older event stream, where the newer transport is not there', async () => {
    const server = await scriptedHttp(({ method, url, body }, response) => {
      if (method === 'POST' && url === '/mcp') return void response.writeHead(405).end()
      if (method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('event: endpoint\ndata: /messages\n\n')
        streams.push(response)
        return
      }
      response.writeHead(202).end()
      const answer = error(body?.id, -32000, 'Unsupported protocol version', { supported: ['2023-01-01'] })
      for (const stream of streams) stream.write(`data: ${JSON.stringify(answer)}\n\n`)
    })
    const streams: import('node:http').ServerResponse[] = []
    open.push(() => server.close())
    await expect(connect(server.url, { negotiations: false })).rejects.toMatchObject({ code: 'unsupported-version' })
  })

  test('a refusal that asks for a sign-in, over a handshake that nobody knows', async () => {
    const server = await scriptedHttp(({ body }, response) => {
      if (body?.method === 'initialize') json(response, 404, error(body.id, -32601))
      else response.writeHead(401).end()
    })
    open.push(() => server.close())
    await expect(connect(server.url, { negotiations: false })).rejects.toMatchObject({ data: { status: 401 } })
  })
})
