/** What the gateway does for one relayed call, counted in things that no busy machine can change. */

import { beforeAll, describe, expect, it } from 'vitest'
import { bundleHost, gatewayPath } from '../../../tests/support/call-paths.ts'

/** What was reached, 346 to 349, and what timers and slow sockets add where the machine is busy; it only ever goes down. */
const PATHS = [
  { era: '2025-11-25', most: 365 },
  { era: '2026-07-28', most: 365 },
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
})
