/** Probes are answered beside the MCP endpoint: alive while the process runs, ready while requests are welcome. */

import { describe, expect, test } from 'vitest'
import { tool } from '../../server/items/definition.ts'
import { createServer } from '../../server/server.ts'
import { serveHttp } from '../adapters/http.ts'
import type { HttpOptions } from '../adapters/http-server.ts'

async function withServer(options: HttpOptions, run: (origin: string, close: () => Promise<void>) => Promise<void>) {
  const server = createServer({ name: 's', version: '1', tools: { t: tool({}, () => '') } })
  const http = await serveHttp(server, { ...options, port: 0 })
  try {
    await run(new URL(http.url).origin, () => http.close())
  } finally {
    await http.close()
  }
}

const get = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init)
  return { status: response.status, body: await response.text(), headers: response.headers }
}

describe('the probes', () => {
  test('are not there unless asked for', () =>
    withServer({}, async (origin) => {
      expect((await get(`${origin}/healthz`)).status).toBe(404)
    }))

  const cases: [string, string, HttpOptions, RequestInit, number, string][] = [
    ['alive', '/healthz', { health: true }, {}, 200, '{"status":"alive"}'],
    ['ready', '/readyz?x=1', { health: true }, {}, 200, '{"status":"ready"}'],
    ['HEAD', '/readyz', { health: true }, { method: 'HEAD' }, 200, ''],
    ['POST', '/healthz', { health: true }, { method: 'POST' }, 405, ''],
    ['own path', '/alive', { health: { livePath: '/alive' } }, {}, 200, '{"status":"alive"}'],
    ['not ready', '/readyz', { health: { ready: () => false } }, {}, 503, '{"status":"not ready"}'],
    [
      'rejected',
      '/readyz',
      { health: { ready: () => Promise.reject(new Error('down')) } },
      {},
      503,
      '{"status":"not ready"}',
    ],
    [
      'silent',
      '/readyz',
      { health: { ready: () => new Promise(() => {}), readyTimeoutMs: 5 } },
      {},
      503,
      '{"status":"not ready"}',
    ],
    ['alive though not ready', '/healthz', { health: { ready: () => false } }, {}, 200, '{"status":"alive"}'],
  ]
  test.each(cases)('%s', (_name, path, options, init, status, body) =>
    withServer(options, async (origin) => {
      const answer = await get(origin + path, init)
      expect([answer.status, answer.body]).toEqual([status, body])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    }),
  )

  test('say "draining" as soon as the server closes, while a request is still under way', async () => {
    let release = (): void => {}
    const blocked = new Promise<string>((resolve) => {
      release = () => resolve('done')
    })
    let begun = (): void => {}
    const running = new Promise<void>((resolve) => {
      begun = resolve
    })
    const slow = tool({}, () => {
      begun()
      return blocked
    })
    const server = createServer({ name: 's', version: '1', tools: { slow }, versions: ['2026-07-28'] })
    const http = await serveHttp(server, { port: 0, health: true })
    const { connect } = await import('../../connect/connect.ts')
    const client = await connect(http.url)
    const call = client.callTool('slow')
    await running
    const closed = http.close()
    expect((await get(new URL('/readyz', http.url).href)).body).toBe('{"status":"draining"}')
    expect((await get(new URL('/healthz', http.url).href)).status).toBe(200)
    release()
    expect((await call).content).toHaveLength(1)
    await client.close()
    await closed
  })
})
