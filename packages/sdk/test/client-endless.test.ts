/** A server that answers without end costs its caller an error, and its neighbours nothing, on every way there is. */

import { createServer as createHttp, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNet, type Server as NodeServer } from 'node:net'
import type { Writable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { connect } from '../src/connect/connect.ts'
import type { Target } from '../src/connect/options.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { initialized, json, type Message, result, scriptedHttp } from './client-peers.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const CHUNK = 'x'.repeat(64 * 1024)
const NOTICE = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(4000) } })}\n\n`
const opening = (id: unknown): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"text":"`

/** For as long as anybody takes it. */
function pour(to: Writable, text: string): void {
  to.on('error', () => {})
  const more = (): void => {
    while (!to.destroyed && to.write(text));
  }
  to.on('drain', more)
  more()
}

function answerLine(line: string, to: Writable): void {
  const { id, method }: Message = JSON.parse(line)
  if (method === 'initialize') to.write(`${JSON.stringify(result(id, initialized()))}\n`)
  else if (method === 'tools/call') {
    to.write(opening(id))
    pour(to, CHUNK)
  }
}

const portOf = (server: NodeServer): number => (server.address() as AddressInfo).port

async function overHttp(type: string, start: (id: unknown) => string, text: string): Promise<string> {
  const endless = (response: ServerResponse, id: unknown): void => {
    response.writeHead(200, { 'content-type': type }).write(start(id))
    pour(response, text)
  }
  const server = await scriptedHttp(({ body: { id, method } = {} }, response) => {
    if (method === 'initialize') json(response, 200, result(id, initialized()), { 'mcp-session-id': 's' })
    else if (method === 'tools/call') endless(response, id)
    else response.writeHead(method === undefined ? 405 : 202).end()
  })
  closing.push(() => server.close())
  return server.url
}

async function overPort(): Promise<string> {
  const server = createNet((socket) => {
    let heard = ''
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        heard += bytes
        const lines = heard.split('\n')
        heard = lines.pop() ?? ''
        for (const line of lines) answerLine(line, socket)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `tcp://127.0.0.1:${portOf(server)}`
}

async function overWebSocket(): Promise<string> {
  const http = createHttp()
  const sockets = new WebSocketServer({ server: http, handleProtocols: () => 'mcp' })
  sockets.on('connection', (socket) => {
    socket
      .on('error', () => {})
      .on('message', (data) => {
        const { id, method }: Message = JSON.parse(String(data))
        if (method === 'initialize') socket.send(JSON.stringify(result(id, initialized())))
        if (method !== 'tools/call') return
        socket.send(opening(id), { fin: false })
        const more = (): void => {
          if (socket.readyState === socket.OPEN) socket.send(CHUNK, { fin: false }, () => setImmediate(more))
        }
        more()
      })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets.clients) socket.terminate()
    http.close()
  })
  return `ws://127.0.0.1:${portOf(http)}/mcp`
}

const PROGRAM = `
const initialized = ${JSON.stringify(initialized())}
let heard = ''
process.stdout.on('error', () => process.exit())
process.stdin.on('data', (bytes) => {
  heard += bytes
  const lines = heard.split('\\n')
  heard = lines.pop()
  for (const { id, method } of lines.map((line) => JSON.parse(line))) {
    if (method === 'initialize') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: initialized }) + '\\n')
    if (method !== 'tools/call') continue
    const more = () => process.stdout.write('x'.repeat(65536), more)
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[{"text":"', more)
  }
})`

const WAYS: readonly { way: string; target: () => Promise<Target>; code: string }[] = [
  { way: 'a body', target: () => overHttp('application/json', opening, CHUNK), code: 'limit-exceeded' },
  {
    way: 'one event',
    target: () => overHttp('text/event-stream', (id) => `data: ${opening(id)}`, CHUNK),
    code: 'limit-exceeded',
  },
  // Each of them is in order: what ends it is the time that a call has.
  { way: 'event after event', target: () => overHttp('text/event-stream', () => '\n', NOTICE), code: 'timeout' },
  { way: 'a line on a port', target: overPort, code: 'limit-exceeded' },
  { way: 'a WebSocket message', target: overWebSocket, code: 'limit-exceeded' },
  {
    way: 'a line of a program',
    target: async () => ({ command: process.execPath, args: ['-e', PROGRAM] }),
    code: 'limit-exceeded',
  },
]

const calm = createServer({ name: 'calm', version: '1', tools: { any: tool({}, () => 'here') } })

it.each(WAYS)('$way without end is an error for its caller, and neighbours are answered (sec-563)', async (row) => {
  const neighbour = await connect(calm)
  closing.push(() => neighbour.close())
  const client = await connect(await row.target(), {
    versions: '2025-11-25',
    negotiations: false,
    limits: { maxAnswerBytes: 1_000_000 },
    timeouts: { callMs: row.code === 'timeout' ? 500 : 60_000 },
  })
  closing.push(() => client.close())
  const failure = client.callTool('any').then(
    () => undefined,
    (error: { code?: string }) => error,
  )
  let answered = 0
  let over = false
  void failure.then(() => {
    over = true
  })
  do {
    await neighbour.callTool('any')
    answered++
    await new Promise((resolve) => setImmediate(resolve))
  } while (!over)
  expect(answered).toBeGreaterThan(0)
  expect(await failure).toMatchObject({ code: expect.stringMatching(`^(${row.code}|closed)$`) })
})
