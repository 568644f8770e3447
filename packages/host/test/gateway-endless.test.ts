/** A server behind a gateway that answers with too much costs its caller an error, and nobody else anything. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Client, connect, RpcError } from '@portico/sdk/client'
import { afterEach, expect, test } from 'vitest'
import type { ServerTarget } from '../src/config/server-config.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createCatalogue } from '../src/upstream/catalogue/catalogue.ts'
import { createUpstreams } from '../src/upstream/upstreams.ts'
import { configOf, program } from './upstream/fixture.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const PROGRAM = fileURLToPath(new URL('fixtures/endless-server.mjs', import.meta.url))

async function targetOf(mode: string): Promise<ServerTarget> {
  if (mode === 'line') return { kind: 'stdio', command: process.execPath, args: [PROGRAM, mode], env: {} }
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, mode], { stdio: ['pipe', 'pipe', 'inherit'] })
  closing.push(() => child.kill())
  if (child.stdout === null) throw new Error('There is no pipe')
  const [port] = await once(child.stdout, 'data')
  return { kind: 'http', url: `http://127.0.0.1:${String(port).trim()}/mcp`, headers: {} }
}

async function gatewayBefore(mode: string) {
  const upstreams = createUpstreams({ watchdog: false, breaker: { firstWaitMs: 1, openMs: 1, longestOpenMs: 5 } })
  const catalogue = createCatalogue(upstreams)
  // What is right in all its parts and has no end is ended by the time that a call has; nothing else is, on a slow machine too.
  const settings = { callMs: mode === 'events' ? 1000 : 600_000 }
  await upstreams.set([configOf('pours', await targetOf(mode), settings), program('calm', 'echo')])
  await catalogue.list()
  const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, onError: () => {} })
  const http = await serveGateway(gateway, { port: 0, graceMs: 0 })
  closing.push(
    () => upstreams.close(),
    () => catalogue.close(),
    () => http.close(),
  )
  const open = async (): Promise<Client> => {
    const client = await connect(http.url, { negotiations: false })
    closing.push(() => client.close())
    return client
  }
  return { caller: await open(), neighbour: await open() }
}

const ECHO = { text: 'x', token: 't' }

test.each([
  { mode: 'line', what: 'a line of a program', code: /^(limit-exceeded|closed)$/ },
  { mode: 'body', what: 'a body', code: /^limit-exceeded$/ },
  { mode: 'event', what: 'one event', code: /^limit-exceeded$/ },
  { mode: 'events', what: 'event after event', code: /^timeout$/ },
])('$what without end is an error for its caller, neighbours are answered, and all goes on (sec-563)', async (row) => {
  const { caller, neighbour } = await gatewayBefore(row.mode)
  let outcome: unknown
  const over = caller.callTool('pours_pour').catch((error: unknown) => {
    outcome = error
  })
  let answered = 0
  do {
    const { content } = await neighbour.callTool('calm_echo', ECHO)
    expect(content).toMatchObject([{ text: JSON.stringify(ECHO) }])
    answered++
    await new Promise((resolve) => setImmediate(resolve))
  } while (outcome === undefined)
  await over
  expect(answered).toBeGreaterThan(0)
  expect(outcome).toBeInstanceOf(RpcError)
  expect(outcome).toMatchObject({ data: { code: expect.stringMatching(row.code), delivery: 'unknown' } })
  // The server that did it, too: for this caller and for others.
  for (const client of [caller, neighbour]) {
    await expect
      .poll(() => client.callTool('pours_echo').catch((error: unknown) => error), { timeout: 20_000 })
      .toMatchObject({ content: [{ text: 'here' }] })
  }
})
