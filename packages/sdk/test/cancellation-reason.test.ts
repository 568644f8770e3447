/** The caller's reason travels with a cancellation, bounded at either end (founding 16). */

import { afterEach, describe, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { deferred } from './client-peers.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function waiting() {
  const [running, cancelled] = [deferred(), deferred<unknown>()]
  const wait = tool({}, (_, ctx) => {
    ctx.signal.addEventListener('abort', () => cancelled.resolve(ctx.signal.reason))
    running.resolve()
    return new Promise<string>(() => {})
  })
  const server = createServer({ name: 'waiting', version: '1', tools: { wait }, slow: false })
  return { server, running: running.promise, cancelled: cancelled.promise }
}

const DEFAULT = 'The caller cancelled the request'
const REASONS: [given: unknown, told: string][] = [
  ['the tab was closed', 'the tab was closed'],
  ['x'.repeat(5_000), 'x'.repeat(200)],
  [new Error('password of the database'), DEFAULT],
  [undefined, DEFAULT],
]

const LEGACY = PROTOCOL_VERSIONS.slice(0, 4)
describe('the reason for a cancellation (founding 16)', () => {
  test.each([
    ...PROTOCOL_VERSIONS.map((version) => ['memory', version] as const),
    // On HTTP the newest revision ends the request itself, which says nothing.
    ...LEGACY.map((version) => ['HTTP', version] as const),
  ])('is what the caller wrote, where it was written to be read: %s, %s', async (way, versions) => {
    for (const [given, told] of REASONS) {
      const { server, running, cancelled } = waiting()
      const http = way === 'HTTP' ? await serveHttp(server, { port: 0, graceMs: 1 }) : undefined
      if (http !== undefined) open.push(() => http.close())
      const client = await connect(http?.url ?? server, { versions, negotiations: false })
      open.push(() => client.close())
      const controller = new AbortController()
      const call = client.callTool('wait', {}, { signal: controller.signal })
      await running
      controller.abort(given)
      await expect(call).rejects.toMatchObject({ code: 'aborted' })
      expect(await cancelled).toBe(told)
    }
  })
})
