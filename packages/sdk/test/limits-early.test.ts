/** A server that is full says so before it reads a long body, and reads what is no request (sec-634). */

import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { Gate, META, modern, send } from './http-fixture.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function fullServer() {
  const gate = new Gate()
  const wait = tool({}, async () => {
    gate.arrive()
    await gate.opened
    return 'done'
  })
  const http = await serveHttp(createServer({ name: 'full', version: '1', tools: { wait } }), {
    port: 0,
    graceMs: 0,
    limits: { maxInFlight: 1 },
  })
  closing.push(
    () => http.close(),
    () => gate.open(),
  )
  const first = send(http.port, modern('tools/call', { name: 'wait' }))
  await gate.reached
  return { port: http.port, gate, first }
}

/** Announces a long body and sends none of it. */
function announce(port: number, method: string) {
  const { headers } = modern(method, { name: 'wait', _meta: META })
  const sent = request({ port, method: 'POST', path: '/mcp', headers: { ...headers, 'content-length': 1_000_000 } })
  closing.push(() => sent.destroy())
  sent.on('error', () => {})
  sent.flushHeaders()
  return sent
}

it('refuses a request whose body has not come, with Retry-After, and takes one again when there is room', async () => {
  const { port, gate, first } = await fullServer()
  const [refused] = await once(announce(port, 'tools/call'), 'response')
  expect(refused.statusCode).toBe(503)
  expect(refused.headers['retry-after']).toMatch(/^\d+$/)
  gate.open()
  expect((await first).status).toBe(200)
  const text = 'x'.repeat(100_000)
  const later = await send(port, modern('tools/call', { name: 'wait', arguments: { text } }))
  expect(later.status).toBe(200)
})

it('takes a long notification all the same', async () => {
  const { port } = await fullServer()
  const params = { reason: 'x'.repeat(100_000), requestId: 'none', _meta: META }
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  const { headers } = modern('notifications/cancelled', params)
  expect((await send(port, { headers: { ...headers }, body })).status).toBe(202)
})
