/** Faults that need no server of their own: a connection that says nothing, and what is sent again. The others are in `tests/faults`. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { connect } from '../../src/connect/connect.ts'
import { FaultProxy } from '../../src/testing/faults/proxy.ts'
import { discovered, json, result, scriptedHttp, toolResult } from '../client-peers.ts'

/** What is to be noticed at once must be noticed in a tenth of the timeout. */
const TIMEOUT_MS = 30_000
const AT_ONCE_MS = TIMEOUT_MS / 10

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

describe('F15 · WebSocket', () => {
  test('a server that is gone without a word is noticed by pings, well before the timeout', async () => {
    const http = createServer()
    const sockets = new WebSocketServer({ server: http })
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data))
        if (message.method === 'server/discover') socket.send(JSON.stringify(result(message.id, discovered())))
      })
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const proxy = await FaultProxy.open({ port: (http.address() as AddressInfo).port })
    open.push(
      () => http.close(),
      () => sockets.close(),
      () => proxy.close(),
    )
    const keepAlive = { pingMs: 400, pongMs: 200 }
    const client = await connect(`ws://127.0.0.1:${proxy.port}/`, { keepAlive, negotiations: false })
    open.push(() => client.close())
    // As long as there are pongs, a call without an answer is only slow.
    const slow = client.callTool('x', {}, { timeoutMs: 1_500 })
    await expect(slow).rejects.toMatchObject({ code: 'timeout' })
    const call = client.callTool('x', {}, { timeoutMs: TIMEOUT_MS })
    const before = performance.now()
    proxy.hold()
    await expect(call).rejects.toMatchObject({ code: 'closed', delivery: 'unknown' })
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
    proxy.release()
  })
})

describe('what may be sent again', () => {
  test('503 with Retry-After while connecting is waited out', async () => {
    let asked = 0
    const server = await scriptedHttp(({ body }, response) => {
      // With a body such as servers put there for people to read.
      const busy = { jsonrpc: '2.0', error: { code: -32603, message: 'busy' } }
      if (++asked < 3) json(response, 503, busy, { 'retry-after': '0' })
      else json(response, 200, result(body?.id, discovered()))
    })
    open.push(() => server.close())
    const client = await connect(server.url, { negotiations: false })
    open.push(() => client.close())
    expect(client.version).toBe('2026-07-28')
  })

  test('503 with Retry-After beyond the time for connecting fails at once', async () => {
    const server = await scriptedHttp((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    open.push(() => server.close())
    const before = performance.now()
    await expect(connect(server.url, { negotiations: false })).rejects.toMatchObject({
      code: 'http-status',
      delivery: 'not-sent',
    })
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
  })

  test.each<[string, number, (url: string) => Promise<unknown>]>([
    ['a list', 2, (url) => connect(url, { negotiations: false }).then(async (client) => [open.push(() => client.close()), await client.listTools()])],
    ['a read', 2, (url) => connect(url, { negotiations: false }).then(async (client) => [open.push(() => client.close()), await client.readResource('x:y')])],
    ['a call', 1, (url) => connect(url, { negotiations: false }).then(async (client) => [open.push(() => client.close()), await client.callTool('x').catch(() => {})])],
  ])('%s whose connection was lost is sent %i time(s)', async (_, times, use) => {
    let others = 0
    const server = await scriptedHttp(({ body }, response) => {
      if (body?.method === 'server/discover') json(response, 200, result(body.id, discovered()))
      else if (++others === 1) response.socket?.resetAndDestroy()
      else json(response, 200, result(body?.id, { ...toolResult('x'), tools: [], contents: [] }))
    })
    open.push(() => server.close())
    await use(server.url)
    expect(others).toBe(times)
  }) // biome-ignore format: a table
})
