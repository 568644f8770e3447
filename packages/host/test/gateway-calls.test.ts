/** What the gateway does for one relayed call, counted in things that no busy machine can change. */

import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleHost, gatewayPath } from '../../../tests/support/call-paths.ts'

/** What was reached, 299 and 310, and what timers and slow sockets add where the machine is busy; it only ever goes down. */
const PATHS = [
  { era: '2025-11-25', most: 315 },
  { era: '2026-07-28', most: 326 },
] as const

describe('the way of a warm tools/call through the gateway', () => {
  let host: Awaited<ReturnType<typeof bundleHost>>
  beforeAll(async () => {
    host = await bundleHost()
  })

  it.each(PATHS)('in $era runs at most $most distinct functions', async ({ era, most }) => {
    const { distinct } = await gatewayPath(host, era)
    expect(distinct.length).toBeGreaterThan(50)
    expect(distinct.length, distinct.join('\n')).toBeLessThanOrEqual(most)
  })

  it.each(PATHS)('in $era makes no abort controller', async ({ era }) => {
    let made = 0
    const Real = AbortController
    vi.stubGlobal(
      'AbortController',
      class extends Real {
        constructor() {
          super()
          made++
        }
      },
    )
    await gatewayPath(host, era)
    // Those of the connections, which are made once; there are 15 calls.
    expect(made).toBeLessThan(10)
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})
