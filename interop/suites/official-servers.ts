/** Our client at servers on the official SDK 1.32.2 and 2.4.0: every transport and era that they have. */

import type { Version } from '../guest.ts'
import { connectOurs } from '../guests/ours.ts'
import { type House, toCommand } from '../house.ts'
import { openSdk1Http } from '../peers/sdk-1-http.ts'
import { openSdk2Http } from '../peers/sdk-2-http.ts'
import type { Way } from './our-house.ts'
import { type Suite, visit } from './suite.ts'

type Maker = 'sdk-1' | 'sdk-2'

export const officialServerSuites: Suite[] = [
  toSuite('sdk-1', 'stdio', '2025-11-25'),
  toSuite('sdk-1', 'http', '2025-11-25'),
  toSuite('sdk-1', 'http', '2025-06-18'),
  toSuite('sdk-1', 'stdio', '2024-11-05', true),
  toSuite('sdk-1', 'sse', '2024-11-05'),
  toSuite('sdk-1', 'sse', '2025-11-25'),
  toSuite('sdk-2', 'stdio', '2026-07-28'),
  toSuite('sdk-2', 'http', '2026-07-28'),
  toSuite('sdk-2', 'stdio', '2025-11-25'),
  toSuite('sdk-2', 'http', '2025-11-25'),
  toSuite('sdk-2', 'http', '2025-06-18', true),
]

function toSuite(maker: Maker, way: Way, version: Version, longOnly = false): Suite {
  return {
    name: `our client · ${maker} server · ${way} · ${version}`,
    longOnly,
    async run(report) {
      const house = await openHouse(maker, way)
      try {
        await visit(report, house, version, (offer) => connectOurs(house.address, version, offer))
      } finally {
        await house.close()
      }
    },
  }
}

async function openHouse(maker: Maker, way: Way): Promise<House> {
  if (way === 'stdio') {
    const command = toCommand(new URL(`../peers/${maker}-stdio.ts`, import.meta.url))
    return { maker, address: { kind: 'stdio', command }, close: async () => {} }
  }
  const listening = await (maker === 'sdk-1' ? openSdk1Http() : openSdk2Http())
  const address = { kind: way, url: `${listening.origin}${way === 'sse' ? '/sse' : '/mcp'}` }
  return { maker, address, close: listening.close }
}
