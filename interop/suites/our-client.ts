/** Our client at our server: what the official pairs are measured against. */

import type { Version } from '../guest.ts'
import { connectOurs } from '../guests/ours.ts'
import { openOurs, type Way } from './our-house.ts'
import { type Suite, visit } from './suite.ts'

const PAIRS: [Way, Version, boolean?][] = [
  ['stdio', '2026-07-28'],
  ['http', '2026-07-28'],
  ['stdio', '2025-11-25', true],
  ['http', '2025-11-25'],
  ['http', '2025-06-18', true],
  ['http', '2025-03-26', true],
  ['sse', '2024-11-05'],
]

export const ourClientSuites: Suite[] = PAIRS.map(([way, version, longOnly = false]) => ({
  name: `our client · our server · ${way} · ${version}`,
  longOnly,
  async run(report) {
    const house = await openOurs(way)
    try {
      await visit(report, house, version, (offer) => connectOurs(house.address, version, offer))
    } finally {
      await house.close()
    }
  },
}))
