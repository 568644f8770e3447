/** Our client at servers on the official SDK 1.32.2 and 2.4.0: every transport and era that they have. */

import assert from 'node:assert/strict'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { codeOf, type ListKind, textOf, type Version } from '../guest.ts'
import { connectOurs } from '../guests/ours.ts'
import { type House, toCommand } from '../house.ts'
import { openSdk1Http } from '../peers/sdk-1-http.ts'
import { ITEMS, openSdk1Paged } from '../peers/sdk-1-paged.ts'
import { openSdk2Http } from '../peers/sdk-2-http.ts'
import type { Way } from './our-house.ts'
import { visit } from './suite.ts'

type Maker = 'sdk-1' | 'sdk-2'

export const officialServerSuites: Trial[] = [
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
  { name: 'our client finding the newest revision by itself', run: findNewest },
  { name: 'our client · sdk-1 server · pages, without sessions', run: readPages },
]

function toSuite(maker: Maker, way: Way, version: Version, long = false): Trial {
  return {
    name: `our client · ${maker} server · ${way} · ${version}`,
    long,
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

/** Nothing is pinned here: the client has to find out what each server speaks, and how. */
async function findNewest(report: Report): Promise<void> {
  const expected: [Maker, Way, Version][] = [
    ['sdk-1', 'stdio', '2025-11-25'],
    ['sdk-1', 'http', '2025-11-25'],
    ['sdk-1', 'sse', '2025-11-25'],
    ['sdk-2', 'stdio', '2026-07-28'],
    ['sdk-2', 'http', '2026-07-28'],
  ]
  for (const [maker, way, version] of expected) {
    const house = await openHouse(maker, way)
    await report.check(`${maker} server over ${way}: ${version}`, async () => {
      const guest = await connectOurs(house.address, undefined, { asking: false })
      assert.equal(guest.version, version)
      assert.equal(textOf(await guest.callTool('echo', { text: 'hello' })), 'hello')
      await guest.close()
    })
    await house.close()
  }
}

async function readPages(report: Report): Promise<void> {
  const listening = await openSdk1Paged()
  await report.check('all four lists are whole', async () => {
    const guest = await connectOurs({ kind: 'http', url: `${listening.origin}/mcp` }, undefined, { asking: false })
    for (const kind of ['tools', 'resources', 'resourceTemplates', 'prompts'] satisfies ListKind[]) {
      const names = (await guest.list(kind)).map(({ name }) => name)
      assert.deepEqual(
        names,
        Array.from({ length: ITEMS }, (_, at) => `item-${at}`),
      )
      await assert.rejects(guest.page(kind, 'nonsense'), (error) => codeOf(error) === -32602)
    }
    await guest.close()
  })
  await listening.close()
}
