/** What is still arriving is bounded for each peer on every way in, and small messages always pass (security D14, sec-166). */

import { request } from 'node:http'
import { connect as dial } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { modern, send } from './http-fixture.ts'
import { ENVELOPE } from './limits-ways.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const server = createServer({ name: 'receiving', version: '1', tools: { any: tool({}, () => 'taken') } })
const limits = { maxReceivingBytesPerPeer: 200_000 }
/** With the 64 KiB that are not counted, two of these are too much. */
const PART = 200_000
const long = (size: number) => ({ name: 'any', arguments: { text: 'x'.repeat(size) } })

it('over HTTP', async () => {
  const http = await serveHttp(server, { port: 0, graceMs: 0, limits })
  open.push(http)
  const { headers } = modern('tools/call', { name: 'any' })
  const stalled = request({
    port: http.port,
    method: 'POST',
    path: '/mcp',
    headers: { ...headers, 'content-length': 1e6 },
  })
  stalled.on('error', () => {})
  await new Promise((resolve) => stalled.write('x'.repeat(PART), resolve))
  const status = async (size: number) => (await send(http.port, modern('tools/call', long(size)))).status
  await expect.poll(() => status(PART)).toBe(503)
  expect(await status(1000)).toBe(200)
  stalled.destroy()
  await expect.poll(() => status(PART)).toBe(200)
})

const message = (id: string, size: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: { ...long(size), _meta: ENVELOPE }, id })

it('on a socket, where the message is answered by its own id', async () => {
  const listener = await serveSocket(server, { port: 0, graceMs: 0, limits })
  open.push(listener)
  const stalled = dial(listener.port ?? 0, '127.0.0.1')
  await new Promise((resolve) => stalled.write(`{"x":"${'x'.repeat(PART)}`, resolve))
  const ask = async (size: number) => {
    const socket = dial(listener.port ?? 0, '127.0.0.1')
    // In two writes, so that the line is held for a while.
    const text = message('own', size)
    await new Promise((resolve) => socket.write(text.slice(0, -1), resolve))
    socket.write(`${text.slice(-1)}\n`)
    let heard = ''
    for await (const chunk of socket) {
      heard += chunk
      if (heard.endsWith('\n')) break
    }
    return JSON.parse(heard)
  }
  await expect
    .poll(() => ask(PART))
    .toMatchObject({ id: 'own', error: { message: expect.stringContaining('maxReceivingBytesPerPeer (200000)') } })
  expect(await ask(1000)).toMatchObject({ id: 'own', result: {} })
  stalled.destroy()
  await expect.poll(() => ask(PART)).toMatchObject({ id: 'own', result: {} })
})

it('on a WebSocket, which is closed', async () => {
  const listener = await serveWebSocket(server, { port: 0, graceMs: 0, limits })
  open.push(listener)
  const stalled = new WebSocket(listener.url, 'mcp')
  await new Promise((resolve) => stalled.once('open', resolve))
  await new Promise((resolve) => stalled.send('x'.repeat(PART), { fin: false }, resolve))
  const ask = async (size: number) => {
    const socket = new WebSocket(listener.url, 'mcp')
    await new Promise((resolve) => socket.once('open', resolve))
    const outcome = new Promise((resolve) => {
      socket.once('close', resolve)
      socket.once('message', (data) => resolve(JSON.parse(String(data)).id))
    })
    socket.send(message('own', size))
    return outcome.finally(() => socket.close())
  }
  await expect.poll(() => ask(PART)).toBe(1013)
  expect(await ask(1000)).toBe('own')
  stalled.terminate()
  await expect.poll(() => ask(PART)).toBe('own')
})
