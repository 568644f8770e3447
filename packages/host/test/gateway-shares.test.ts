/** One caller at full tilt keeps no other from its share; what waits for one keeps nobody else waiting. */

import { connect, type ProtocolVersion } from '@portico/sdk/client'
import { createPrincipal, createServer, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { createHost } from '../src/assembly/host.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { ServerSettings } from '../src/config/server-config.ts'
import { createGateway, type GatewayOptions } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createCatalogue } from '../src/upstream/catalogue/catalogue.ts'
import { createUpstreams } from '../src/upstream/upstreams.ts'
import { closeAll, closers, raw, type Site, textOf } from './gateway-site.ts'
import { configOf } from './upstream/fixture.ts'

afterEach(closeAll)

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const

/** A server that asks, takes its time, or answers. */
function createTools(versions: readonly ProtocolVersion[] = ['2025-11-25']) {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  closers.push(async () => release())
  const counts = { slow: 0, asked: 0 }
  const server = createServer({
    name: 's',
    version: '1.0.0',
    versions,
    onError: () => {},
    tools: {
      plain: tool({}, () => 'plain'),
      slow: tool({}, async () => {
        counts.slow++
        await held
        return 'slow'
      }),
      ask: tool({}, async (_args, ctx) => {
        counts.asked++
        const { action } = await ctx.elicit('who', { message: 'Who?', form: FORM })
        return action
      }),
    },
  })
  return { server, counts, release: () => release() }
}

async function open(server: Server, settings: Partial<ServerSettings>, options: GatewayOptions = {}) {
  const upstreams = createUpstreams({ watchdog: false, inProcess: new Map([['s', async () => ({ server })]]) })
  const catalogue = createCatalogue(upstreams)
  await upstreams.set([configOf('s', { kind: 'in-process', module: 's', options: {} }, settings)])
  const gateway = createGateway({ upstreams, catalogue }, { onError: () => {}, ...options })
  const http = await serveGateway(gateway, {
    port: 0,
    graceMs: 0,
    authenticate: (head) => createPrincipal(/^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1] ?? 'nobody'),
  })
  closers.push(
    () => upstreams.close(),
    () => catalogue.close(),
    () => gateway.close(0),
    () => http.close(),
  )
  const call = (user: string, name: string) =>
    raw({ http } as Site, 'tools/call', { name: `s_${name}`, arguments: {} }, { user })
  const join = async (user: string, versions?: ProtocolVersion) => {
    const client = await connect(http.url, {
      headers: { authorization: `Bearer ${user}` },
      ...(versions && { versions }),
    })
    closers.push(() => client.close())
    return client
  }
  return { gateway, upstreams, catalogue, http, call, join }
}

describe('sec-230: shares of a server (host 9)', () => {
  test('calls that wait for their users hold no slot', async () => {
    const { server, counts } = createTools()
    const { call, gateway } = await open(server, { maxConcurrent: 2 })
    for (const user of ['ada', 'ada', 'ada', 'cy', 'cy']) {
      expect((await call(user, 'ask')).result.resultType).toBe('input_required')
    }
    expect([counts.asked, gateway.metrics().parked]).toEqual([5, 5])
    expect(textOf((await call('bob', 'plain')).result)).toBe('plain')
  })

  test.each([
    ['of their own', {}],
    ['that all share', { shareable: true }],
  ])('a caller with many slow calls leaves room for others, on connections %s', async (_, settings) => {
    const { server, counts, release } = createTools()
    const { call } = await open(server, { maxConcurrent: 4, ...settings })
    const slow = Array.from({ length: 20 }, () => call('ada', 'slow'))
    await expect.poll(() => counts.slow).toBe(3)
    expect(textOf((await call('bob', 'plain')).result)).toBe('plain')
    release()
    for (const one of slow) expect(textOf((await one).result)).toBe('slow')
  })

  test('one principal cannot use up what a server may be asked in a minute', async () => {
    const { server } = createTools()
    const { call } = await open(server, { callsPerMinute: 8 })
    const outcomes: (boolean | undefined)[] = []
    for (let count = 0; count < 12; count++) outcomes.push((await call('ada', 'plain')).error === undefined)
    expect(outcomes.filter(Boolean)).toHaveLength(6)
    expect(textOf((await call('bob', 'plain')).result)).toBe('plain')
  })

  test('one principal cannot take every place for calls that wait', async () => {
    const { server } = createTools()
    const parking = { maxParked: 4, maxParkedPerPrincipal: 100 }
    const { call, gateway } = await open(server, {}, { parking })
    for (let count = 0; count < 6; count++) await call('ada', 'ask')
    expect(gateway.metrics().parked).toBe(3)
    expect((await call('bob', 'ask')).result.resultType).toBe('input_required')
  })

  test('sessions of one principal have so many connections, and the oldest unused one gives way', async () => {
    const { server } = createTools()
    const { join, upstreams } = await open(server, {}, { limits: { maxConnections: 3 } })
    for (let count = 0; count < 6; count++) await (await join('ada', '2025-11-25')).callTool('s_plain')
    // The host's own besides.
    await expect.poll(() => upstreams.view('s')?.connections).toBe(4)
    await (await join('bob', '2025-11-25')).callTool('s_plain')
    expect(upstreams.view('s')?.connections).toBe(5)
  })

  test('lists are counted too (host 9)', async () => {
    const { server } = createTools()
    const { join } = await open(server, {}, { limits: { listsPerMinute: 5 } })
    const client = await join('ada')
    for (let count = 0; count < 5; count++) await client.request('tools/list', {})
    await expect(client.request('tools/list', {})).rejects.toThrow('listsPerMinute (5)')
    expect(await (await join('bob')).listTools()).toHaveLength(3)
    expect(textOf(await client.callTool('s_plain'))).toBe('plain')
  })
})

test('a reload does not wait for calls that wait for their users (host 17)', async () => {
  const { server, counts, release } = createTools()
  const { gateway, call } = await open(server, {})
  await call('ada', 'ask')
  const slow = call('ada', 'slow')
  await expect.poll(() => counts.slow).toBe(1)
  const order: string[] = []
  const reloaded = gateway.reload(['s'], async () => order.push('changed'), 600_000)
  const other = call('bob', 'plain')
  release()
  await reloaded
  expect(textOf((await slow).result)).toBe('slow')
  expect(textOf((await other).result)).toBe('plain')
  expect(order).toEqual(['changed'])
})

describe('as the guide says', () => {
  test('a host can be given as it is: what its rules allow is allowed every time (host 11)', async () => {
    const { server } = createTools()
    const host = await createHost({
      inProcess: new Map([['s', async () => ({ server })]]),
      servers: ['s', 't'].map((name) => defineServer(name, { kind: 'in-process', module: 's', options: {} })),
      rules: [{ id: 'all', outcome: 'allow', effect: ['connect', 'call'] }],
    })
    const gateway = createGateway(host, { unattended: true, allowAnonymous: true, onError: () => {} })
    const http = await serveGateway(gateway, { port: 0, graceMs: 0 })
    const client = await connect(http.url)
    closers.push(
      () => host.close(),
      () => http.close(),
      () => client.close(),
    )
    for (const name of ['s_plain', 's_plain', 't_plain']) expect(textOf(await client.callTool(name))).toBe('plain')
  })

  test('a caller right after the start is served, not told that nothing is known (host 20)', async () => {
    const { server } = createTools()
    let start = (): void => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const slow = async () => {
      await started
      return { server }
    }
    const upstreams = createUpstreams({ watchdog: false, inProcess: new Map([['s', slow]]) })
    const catalogue = createCatalogue(upstreams, { patienceMs: 600_000 })
    await upstreams.set([configOf('s', { kind: 'in-process', module: 's', options: {} })])
    const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, onError: () => {} })
    const http = await serveGateway(gateway, { port: 0, graceMs: 0 })
    const client = await connect(http.url)
    closers.push(
      () => upstreams.close(),
      () => catalogue.close(),
      () => http.close(),
      () => client.close(),
    )
    const [called, listed] = [client.callTool('s_plain'), client.listTools()]
    start()
    expect(textOf(await called)).toBe('plain')
    expect(await listed).toHaveLength(3)
  })

  test('a list that fails once is tried again, and meanwhile everybody is told (host 18)', async () => {
    const { server } = createTools()
    let lists = 0
    server.use('tools/list', async (_ctx, next) => {
      if (lists++ === 0) throw new Error('not yet')
      return next()
    })
    const { gateway, http, upstreams, join } = await open(server, {})
    await expect.poll(() => upstreams.state('s')?.state).toBe('degraded')
    expect(upstreams.state('s')?.reason).toContain('lists cannot be read')
    expect(gateway.health()).toMatchObject({ ok: false, servers: { s: { state: 'degraded' } } })
    expect((await fetch(new URL('/readyz', http.url))).status).toBe(503)
    const client = await join('ada')
    await expect.poll(async () => (await client.listTools()).length, { timeout: 10_000 }).toBe(3)
    expect(gateway.health().ok).toBe(true)
    expect(upstreams.state('s')?.state).toBe('ready')
  })
})
