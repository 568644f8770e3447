/** What a gateway keeps of credentials: how long a connection lives by one, and what of a server's is passed on. */

import { createPrincipal, createServer, RpcError, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createGateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createFeatureServer, createLab } from './gateway-lab.ts'
import { closeAll, closers, createSite } from './gateway-site.ts'

afterEach(closeAll)

describe.each(['', '?tools=echo'])('security D4: a WebSocket at the gateway, opened with "%s"', (query) => {
  test('ends with the credential that it was opened by', async () => {
    let end = Number.POSITIVE_INFINITY
    const lab = await createLab({ one: { target: createFeatureServer() } })
    const gateway = createGateway(lab, { onError: () => {} })
    const http = await serveGateway(gateway, {
      port: 0,
      graceMs: 0,
      webSocketPath: '/ws',
      authenticate: () => {
        end = Date.now() + 1_000
        return { ...createPrincipal('ada'), expiresAt: end }
      },
    })
    closers.push(
      () => lab.close(),
      () => gateway.close(0),
      () => http.close(),
    )
    const socket = new WebSocket(`${http.url.replace(/^http/, 'ws').replace('/mcp', '/ws')}${query}`, 'mcp')
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    await closed
    expect(Date.now()).toBeGreaterThanOrEqual(end - 5)
  })
})

describe('sec-222: a secret that a server quotes (host 15)', () => {
  const SECRET = 'canary-77c1-secret'

  test.each(['2026-07-28', '2025-11-25'] as const)('is in no error and no log of a client of %s', async (versions) => {
    const target = createServer({
      name: 'leaky',
      version: '1',
      tools: {
        leak: tool({}, (_args, ctx) => {
          ctx.log('error', { with: SECRET })
          throw new RpcError(-32000, `refused for ${SECRET}`, { token: [SECRET] })
        }),
      },
    })
    const failures: unknown[] = []
    const site = await createSite({ leaky: { target } }, { onError: (error) => failures.push(error) })
    Object.assign(site.lab.upstreams, { hide: (text: string) => text.replaceAll(SECRET, '[redacted]') })
    const client = await site.connect('ada', { versions })
    const logs: unknown[] = []
    client.on('log', (log) => logs.push(log))
    await client.setLogLevel('debug')
    const error = await client.callTool('leak').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ message: 'refused for [redacted]', data: { token: ['[redacted]'] } })
    await expect.poll(() => logs.length).toBe(1)
    expect(JSON.stringify([logs, failures.map(String)])).not.toContain(SECRET)
  })
})
