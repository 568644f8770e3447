/** What a subscription holds of the connections that it has had. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test, vi } from 'vitest'
import type { Reconnector } from '../reconnector.ts'
import type { Requests } from '../requests.ts'
import { Subscriptions } from './subscriptions.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const ATTEMPTS = 40

test('reliability soak: a subscription that was restored many times holds nothing of the earlier attempts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const connection = { revision: { era: 'modern' } }
  const reconnector = { closed: false, restore: async () => {}, ready: async () => connection }
  const made: WeakRef<AbortController>[] = []
  vi.stubGlobal(
    'AbortController',
    class extends AbortController {
      constructor() {
        super()
        made.push(new WeakRef(this))
      }
    },
  )
  let attempts = 0
  const requests = {
    async send({ onId }: { onId: (id: number, connection: object) => void }) {
      onId(++attempts, connection)
      const _meta = { 'io.modelcontextprotocol/subscriptionId': attempts }
      const params = { _meta, notifications: { toolsListChanged: true } }
      subscriptions.own({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params })
    },
  }
  const subscriptions = new Subscriptions(
    requests as unknown as Requests,
    reconnector as unknown as Reconnector,
    { emit: () => {}, tell: () => {} } as never,
    { acknowledgeMs: 1000, missed: () => {} },
  )
  const subscription = await subscriptions.add({ toolsListChanged: true })
  while (attempts < ATTEMPTS) await vi.advanceTimersByTimeAsync(40_000)
  vi.useRealTimers()
  // A weak reference that was looked at keeps its object until the turn is over.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(made.length).toBeGreaterThanOrEqual(ATTEMPTS)
  expect(made.filter((attempt) => attempt.deref() !== undefined).length).toBeLessThan(5)
  await subscription.close()
})
