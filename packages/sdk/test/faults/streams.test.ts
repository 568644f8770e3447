/** What belongs to no single call: progress and subscriptions through faults, tokens, clocks, and what is left at the end. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { clientCredentials } from '../../src/auth/client/grant-machine.ts'
import { connect } from '../../src/connect/connect.ts'
import { discovered, json, result, scriptedHttp, toolResult } from '../client-peers.ts'
import { createTokenIssuer, type TokenIssuer } from './issuer.ts'
import { FaultProxy } from './proxy.ts'
import { type LinkKind, Rig, until } from './rig.ts'
import { AT_ONCE_MS, cell, issue, planCalls, TIMEOUT_MS, withVictim } from './run.ts'

const LINKS: [string, LinkKind][] = [
  ['L1', 'stdio'],
  ['L2', 'modern'],
  ['L3', 'session'],
]
const open: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of open.splice(0).reverse()) await close()
})

describe.each(LINKS)('streams (%s)', (level, kind) => {
  cell(`${level} progress has no gaps, up to the break`, kind, {}, async (rig, seeded) => {
    const plans = planCalls(
      seeded,
      (index) => ({ steps: 6, ms: 120, fault: index === 5 ? 'kill-after' : undefined, idempotent: false }),
      8,
    )
    const calls = issue(rig.client, plans)
    if (kind !== 'stdio') {
      await rig.gone()
      await rig.start()
    }
    const outcomes = await calls
    // An event of progress can come a moment after the call that it belongs to has failed; none may be left out.
    expect(Math.max(...outcomes.map(({ progress }) => progress.length))).toBeGreaterThan(0)
    return { outcomes }
  })

  test(`${level} a subscription is restored, and the gap is read again`, async () => {
    const rig = await Rig.open(kind, { plan: { keepAliveMs: 500 } })
    const changes: unknown[] = []
    await rig.client.subscribe({ toolsListChanged: true }, (change) => changes.push(change))
    const before = rig.pid
    expect(await lives(rig)).toEqual([`life-${before}`])
    rig.signal('SIGKILL')
    if (kind !== 'stdio') {
      await rig.gone()
      await rig.start()
    }
    await until(() => changes.length > 0, AT_ONCE_MS * 3)
    expect(changes[0]).toMatchObject({ kind: 'tools', synthetic: true })
    expect(rig.pid).not.toBe(before)
    expect(await lives(rig)).toEqual([`life-${rig.pid}`])
    expect((await rig.close()).left).toEqual([])
  })
})

describe('F23 · tokens', () => {
  for (const [level, kind] of LINKS.slice(1)) {
    test(`${level} F23 a token that expires under 50 calls is renewed once`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'portico-token-'))
      open.push(() => rmSync(folder, { recursive: true }))
      const tokenFile = join(folder, 'token')
      let resource = ''
      const issuer: TokenIssuer = await createTokenIssuer(tokenFile, () => resource)
      open.push(() => issuer.close())
      const rig = await Rig.open(kind, {
        plan: { tokenFile, metadata: `${issuer.url}/metadata` },
        client: (url) => {
          resource = url
          return { auth: { grant: clientCredentials({ clientId: 'x', clientSecret: 'y' }) } }
        },
      })
      expect(issuer.given).toBe(1)
      const plans = planCalls({ seed: 1, random: Math.random, pick: () => 0 }, () => ({ idempotent: false }), 50)
      issuer.expire()
      const outcomes = await issue(rig.client, plans)
      const { ledger, left } = await rig.close()
      expect(outcomes.map(({ kind: end }) => end)).toEqual(outcomes.map(() => 'result'))
      expect(plans.map(({ nonce }) => ledger.of(nonce).starts)).toEqual(plans.map(() => 1))
      expect({ given: issuer.given, left }).toEqual({ given: 2, left: [] })
    })
  }
})

describe('F24 · clocks', () => {
  for (const [level, kind] of LINKS) {
    for (const [name, jumpMs] of [
      ['back', -3_600_000],
      ['ahead', 3_600_000],
    ] as const) {
      cell(`${level} F24 the clock goes ${name} by an hour as the server dies`, kind, {}, async (rig, seeded) => {
        const now = Date.now
        const jump = () => vi.spyOn(Date, 'now').mockImplementation(() => now() + jumpMs)
        const calls = issue(rig.client, withVictim(seeded, 'kill-after'))
        // After the loss was noticed, and before anything was done about it.
        rig.client.on('disconnect', jump)
        if (kind !== 'stdio') {
          await rig.gone()
          jump()
          await rig.start()
        }
        const outcomes = await calls
        vi.restoreAllMocks()
        return { outcomes, restored: true }
      })
    }
  }

  test('F24 a timeout beyond what timers can hold does not fire at once', async () => {
    const rig = await Rig.open('modern')
    const [outcome] = await issue(rig.client, [{ nonce: 'patient', ms: 50, timeoutMs: 2 ** 32 }])
    expect(outcome?.kind).toBe('result')
    await rig.close()
  })
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
    const proxy = await FaultProxy.open((http.address() as AddressInfo).port)
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
  test('a call that was sent once is not called unsent, however its later attempts fail', async () => {
    const rig = await Rig.open('modern')
    const [outcome] = await issue(rig.client, [
      { nonce: 'once', fault: 'kill-after', idempotent: true, timeoutMs: 1_500 },
    ])
    const { ledger } = await rig.close()
    expect(ledger.of('once').ends).toBe(1)
    expect(outcome).toMatchObject({ kind: 'local', delivery: 'unknown' })
  })

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

async function lives(rig: Rig): Promise<string[]> {
  const tools = await rig.client.listTools()
  return tools.map(({ name }) => name).filter((name) => name.startsWith('life-'))
}
