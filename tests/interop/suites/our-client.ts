/** Our client at our server: what the official pairs are measured against. */

import type { Trial } from '../../support/suite.ts'
import { pageChecks } from '../checks/pages.ts'
import type { Version } from '../client-under-test.ts'
import { connectOurs } from '../clients/ours.ts'
import { openOurs, type Way } from './open-ours.ts'
import { visit, withClient } from './suite.ts'

const PAIRS: [Way, Version, boolean?][] = [
  ['stdio', '2026-07-28'],
  ['http', '2026-07-28'],
  ['stdio', '2025-11-25', true],
  ['http', '2025-11-25'],
  ['http', '2025-06-18', true],
  ['http', '2025-03-26', true],
  ['sse', '2024-11-05'],
]

export const ourClientSuites: Trial[] = PAIRS.map(([way, version, long = false]) => ({
  name: `our client · our server · ${way} · ${version}`,
  long,
  async run(report) {
    const server = await openOurs(way)
    const paged = await openOurs(way, { pageSize: 3 })
    try {
      await visit(report, server, version, (offer) => connectOurs(server.address, version, offer))
      const connect = () => connectOurs(paged.address, version, { asking: false })
      await withClient(report, paged, version, connect, { asking: false }, pageChecks)
    } finally {
      await server.close()
      await paged.close()
    }
  },
}))
