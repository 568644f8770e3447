/** The names of servers cannot be looked up for a while: what a host says of it, and that it recovers by itself. */

import dns from 'node:dns'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openState } from '../../src/state/open-state.ts'
import { createUpstreams } from '../../src/upstream/upstreams.ts'
import { configOf } from './fixture.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

let url = ''
beforeEach(async () => {
  const echo = tool({ input: { type: 'object' } }, () => 'here')
  const http = await serveHttp(createServer({ name: 'web', version: '1.0.0', tools: { echo } }), { port: 0 })
  closing.push(() => http.close())
  url = `http://localhost:${http.port}/mcp`
})

type Found = (error: Error | null, addresses?: { address: string; family: number }[]) => void

/** `undefined` finds this machine. */
function lookUp(code: string | undefined) {
  return vi.spyOn(dns, 'lookup').mockImplementation(((name: string, _options: unknown, found: Found) => {
    if (code === undefined) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, syscall: 'getaddrinfo' }))
  }) as unknown as typeof dns.lookup)
}

it.each(['ENOTFOUND', 'EAI_AGAIN'])(
  'a host says what to do about %s, and is back by itself when it is over',
  async (code) => {
    lookUp(code)
    const upstreams = createUpstreams({ watchdog: false, breaker: { firstWaitMs: 1, openMs: 1, longestOpenMs: 5 } })
    closing.push(() => upstreams.close())
    await upstreams.set([configOf('web', { kind: 'http', url, headers: {} }, { lazy: false })])
    await expect(upstreams.client('web')).rejects.toThrow(/The name localhost.* cannot be resolved/)
    const [view] = upstreams.views()
    expect(view?.state).toMatchObject({ remedy: 'Check the spelling of the URL and the network connection.' })
    lookUp(undefined)
    await expect.poll(() => upstreams.views()[0]?.state.state, { timeout: 20_000 }).toBe('ready')
    const client = await upstreams.client('web')
    expect(await client.callTool('echo')).toMatchObject({ content: [{ text: 'here' }] })
  },
)

it.each(['ENOTFOUND', 'EAI_AGAIN'])(
  'state in a database without an address (%s) is away, and is looked for anew',
  async (code) => {
    lookUp(code)
    const state = await openState({ postgres: 'postgres://ada:secret@db.example:1/portico' })
    closing.push(() => state.close())
    await expect(state.store.get('a')).rejects.toMatchObject({ code: 'store-unavailable' })
    const away = await state.status()
    expect(away).toMatchObject({ available: false, reason: expect.stringContaining(code) })
    expect(away.reason).not.toContain('secret')
    lookUp(undefined)
    // Nothing listens there, but it has been found.
    await expect.poll(async () => (await state.status()).reason, { timeout: 10_000 }).toContain('ECONNREFUSED')
  },
)
