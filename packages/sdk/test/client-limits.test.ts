/** What a server may send, on every way to it: the bounds are the client's to set, and an answer beyond one fails its call. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { createServer, tool } from '../src/doors/server.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { serveSocket } from '../src/serve/socket/socket.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { discovered, PROCESS_LEGACY, PROCESS_MODERN, scriptedProcess } from './client-peers.ts'

const MEBI = 1024 * 1024
const closing: (() => Promise<unknown>)[] = []
const targets = new Map<string, [Target, ConnectOptions]>()

const server = createServer({
  name: 'big',
  version: '1',
  maxResultBytes: 64 * MEBI,
  tools: {
    text: tool({ input: { type: 'object', properties: { size: { type: 'number' } } } as const }, ({ size }) =>
      'x'.repeat(Number(size)),
    ),
  },
})

beforeAll(async () => {
  const http = await serveHttp(server, { port: 0 })
  const socket = await serveSocket(server, { path: join(tmpdir(), `portico-limits-${process.pid}.sock`) })
  const ws = await serveWebSocket(server, { port: 0 })
  closing.push(
    () => http.close(),
    () => socket.close(),
    () => ws.close(),
  )
  targets.set('memory', [server, {}])
  targets.set('http, newest', [http.url, { versions: '2026-07-28' }])
  targets.set('http, sessions', [http.url, { versions: '2025-11-25' }])
  targets.set('http+sse', [new URL('/sse', http.url), { versions: '2024-11-05' }])
  targets.set('socket', [socket.url, {}])
  targets.set('websocket', [ws.url, {}])
  const echo = `
    if (message.method === 'tools/call')
      return reply({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', content: [
        { type: 'text', text: 'x'.repeat(message.params.arguments.size) }] } })
  `
  targets.set('stdio', [scriptedProcess(PROCESS_MODERN + echo), { versions: '2026-07-28' }])
  targets.set('stdio, older', [scriptedProcess(PROCESS_LEGACY + echo), { versions: '2025-11-25' }])
})
afterAll(async () => {
  for (const close of closing) await close()
})

const WAYS = ['memory', 'http, newest', 'http, sessions', 'http+sse', 'socket', 'websocket', 'stdio', 'stdio, older']

async function call(way: string, size: number, limits?: ConnectOptions['limits']): Promise<number> {
  const [target, options] = targets.get(way)!
  const client = await connect(target, { ...options, ...(limits && { limits }), negotiations: false })
  try {
    const { content } = await client.callTool('text', { size })
    return content[0]?.type === 'text' ? content[0].text.length : -1
  } finally {
    await client.close()
  }
}

describe.each(WAYS)('%s', (way) => {
  test('sdk D3: a string of five million characters arrives without an option', async () => {
    expect(await call(way, 5 * MEBI)).toBe(5 * MEBI)
  })

  test.each([
    [9_999, true],
    [10_000, true],
    [10_001, false],
  ])('sdk D3, host 10: maxStringLength 10000, %i characters', async (size, arrives) => {
    const answer = call(way, size, { maxStringLength: 10_000 })
    if (arrives) expect(await answer).toBe(size)
    else
      await expect(answer).rejects.toMatchObject({
        code: 'limit-exceeded',
        message: expect.stringMatching(/maxStringLength \(10000\)/),
      })
  })

  test('sec-185, sdk D3, host 10: an answer beyond maxAnswerBytes fails at once, and the error names the option', async (context) => {
    // In memory there are no bytes.
    if (way === 'memory') return context.skip()
    const before = performance.now()
    await expect(call(way, 200_000, { maxAnswerBytes: 100_000 })).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringMatching(/maxAnswerBytes \(100000\)/),
    })
    // Far from the thirty seconds that a call may take.
    expect(performance.now() - before).toBeLessThan(20_000)
  })
})

test('sdk D3: depth, members and items are bounded too', async () => {
  const deep = JSON.stringify({ content: [], deep: nested(60) })
  const target = scriptedProcess(`
    if (message.method === 'server/discover') return ok(${JSON.stringify(discovered())})
    if (message.method === 'tools/call') return ok(${deep})
  `)
  const client = await connect(target, { negotiations: false, limits: { maxDepth: 50 } })
  closing.push(() => client.close())
  await expect(client.callTool('any')).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringMatching(/maxDepth \(50\)/),
  })
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}
