/** Idle connections: which are used again, and which a server or the clock has ended. */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { connect } from '../../src/connect/connect.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of open.splice(0).reverse()) await close()
})

async function client(url: string): Promise<Client> {
  const made = await connect(url, { negotiations: false, cache: false })
  open.push(() => made.close())
  return made
}

const ANSWER = `(body, calls = 0) => {
  const { id, method } = JSON.parse(body)
  const result = method === 'server/discover'
    ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    : { resultType: 'complete', content: [{ type: 'text', text: String(calls) }] }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}`

/** Ends its connections when one file appears, and says by another that it has. */
const PROGRAM = `
const { existsSync, writeFileSync } = require('node:fs')
const [go, gone] = process.argv.slice(1)
const answer = ${ANSWER}
const sockets = new Set()
let calls = 0
const server = require('node:http').createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    if (body.includes('tools/call')) calls++
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(body, calls))
  })
})
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('close', () => {
    sockets.delete(socket)
    if (existsSync(go) && sockets.size === 0) writeFileSync(gone, '')
  })
})
server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))
const timer = setInterval(() => {
  if (!existsSync(go)) return
  clearInterval(timer)
  for (const socket of sockets) socket.destroy()
}, 2)
`

test('sdk 17: a connection that ended while this process had no time to notice is not used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-idle-'))
  const [go, gone] = [join(folder, 'go'), join(folder, 'gone')]
  const child = spawn(process.execPath, ['-e', PROGRAM, go, gone], { stdio: ['ignore', 'pipe', 'inherit'] })
  open.push(
    () => child.kill(),
    () => rmSync(folder, { recursive: true }),
  )
  let said = ''
  const port = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += chunk
      const found = /port (\d+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const connected = await client(`http://127.0.0.1:${port}/mcp`)
  await connected.callTool('any')
  // From here to the call this process is busy with something else: nothing tells it that the connection has ended.
  writeFileSync(go, '')
  while (!existsSync(gone));
  expect(await connected.callTool('any')).toMatchObject({ content: [{ text: '2' }] })
})

test.each([
  [undefined, 2_000, 1],
  [undefined, 4_001, 2],
  ['timeout=1', 0, 3],
  ['timeout=5', 2_000, 1],
  ['timeout=5', 4_001, 2],
  ['timeout=60, max=100', 50_000, 1],
  ['max=100, timeout=60', 59_001, 2],
])('sdk 17: Keep-Alive: %s, after %i ms: %i connections', async (keepAlive, waitMs, expected) => {
  const { url, connections } = await counting(keepAlive)
  const connected = await client(url)
  await connected.callTool('any')
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + waitMs)
  await connected.callTool('any')
  expect(connections()).toBe(expected)
})

test('sdk 17: Connection: close is taken at its word', async () => {
  const { url, connections } = await counting(undefined, 'close')
  const connected = await client(url)
  for (let calls = 0; calls < 4; calls++) await connected.callTool('any')
  expect(connections()).toBe(5)
})

/** A server that says how long it keeps connections, and counts them. */
async function counting(keepAlive: string | undefined, connection = 'keep-alive') {
  const answer = new Function(`return ${ANSWER}`)() as (body: string) => string
  let connections = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const headers = { 'content-type': 'application/json', connection, ...(keepAlive && { 'keep-alive': keepAlive }) }
      response.writeHead(200, headers).end(answer(body))
    })
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, connections: () => connections }
}
