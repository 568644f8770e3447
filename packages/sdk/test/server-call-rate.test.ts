/** How often tools may be called, over every revision and transport (founding 10). */

import { afterEach, describe, expect, test, vi } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { type CallRates, limitCalls } from '../src/server/call/call-rate.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { modern } from './http-fixture.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of open.splice(0).reverse()) await close()
})

const tools = { ping: tool({}, () => 'pong'), dear: tool({}, () => 'paid') }
const server = (callRate?: CallRates) => {
  const made = createServer({ name: 'rated', version: '1', tools })
  return callRate === undefined ? made : made.use('tools/call', limitCalls(callRate))
}

async function client(callRate: CallRates | undefined, versions: (typeof PROTOCOL_VERSIONS)[number]) {
  const made = await connect(server(callRate), { versions })
  open.push(() => made.close())
  return made
}

describe('callsPerMinute (founding 10)', () => {
  test.each(PROTOCOL_VERSIONS)('the call beyond the burst is refused, with when to come back: %s', async (version) => {
    const made = await client({ callsPerMinute: 60, burst: 2 }, version)
    await made.callTool('ping')
    await made.callTool('dear')
    await expect(made.callTool('ping')).rejects.toMatchObject({
      message: expect.stringContaining('callsPerMinute (60) exceeded'),
      data: { retryAfterMs: expect.any(Number) },
    })
  })

  test('calls come back with time', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const made = await client({ callsPerMinute: 60, burst: 1 }, '2025-11-25')
    await made.callTool('ping')
    await expect(made.callTool('ping')).rejects.toMatchObject({ data: { retryAfterMs: 1000 } })
    vi.advanceTimersByTime(1000)
    await made.callTool('ping')
  })

  test('a tool has a rate of its own, and what it refuses does not count for the others', async () => {
    const made = await client({ callsPerMinute: 60, burst: 3, tools: { dear: { callsPerMinute: 1 } } }, '2026-07-28')
    await made.callTool('dear')
    for (let again = 0; again < 5; again++) {
      await expect(made.callTool('dear')).rejects.toThrow('callsPerMinute of "dear" (1) exceeded')
    }
    await made.callTool('ping')
    await made.callTool('ping')
    await expect(made.callTool('ping')).rejects.toThrow('callsPerMinute (60) exceeded')
  })

  test('is off by default', async () => {
    const made = await client(undefined, '2026-07-28')
    for (let again = 0; again < 200; again++) await made.callTool('ping')
  })

  test('is counted for each principal, and over HTTP is a 429 with Retry-After', async () => {
    const http = await serveHttp(server({ callsPerMinute: 2, burst: 1 }), {
      port: 0,
      authenticate: (head) => createPrincipal(head.header('authorization') ?? 'nobody'),
    })
    open.push(() => http.close())
    const call = async (authorization: string) => {
      const { headers, body } = modern('tools/call', { name: 'ping', arguments: {} })
      const answer = await fetch(http.url, {
        method: 'POST',
        headers: { ...headers, authorization },
        body: String(body),
      })
      return [answer.status, answer.headers.get('retry-after')]
    }
    expect(await call('ada')).toEqual([200, null])
    expect(await call('bo')).toEqual([200, null])
    expect(await call('ada')).toEqual([429, '30'])
  })

  test.each([{ callsPerMinute: 0 }, { callsPerMinute: 1, burst: 0 }])('%o is refused', (callRate) => {
    expect(() => server(callRate)).toThrow('callsPerMinute must be above 0')
  })
})
