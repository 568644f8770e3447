/** Our client at servers on the official SDK 1.32.2 and 2.4.0: every transport and era that they have. */

import assert from 'node:assert/strict'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { codeOf, type ListKind, textOf, type Version } from '../client-under-test.ts'
import { connectOurs } from '../clients/ours.ts'
import { openSdk1Http } from '../peers/sdk-1-http.ts'
import { ITEMS, openSdk1Paged } from '../peers/sdk-1-paged.ts'
import { openSdk2Http } from '../peers/sdk-2-http.ts'
import { type ServerUnderTest, toCommand } from '../server-under-test.ts'
import type { Way } from './open-ours.ts'
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
      const server = await openServer(maker, way)
      try {
        await visit(report, server, version, (offer) => connectOurs(server.address, version, offer))
      } finally {
        await server.close()
      }
    },
  }
}

async function openServer(maker: Maker, way: Way): Promise<ServerUnderTest> {
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
    const server = await openServer(maker, way)
    await report.check(`${maker} server over ${way}: ${version}`, async () => {
      const client = await connectOurs(server.address, undefined, { asking: false })
      assert.equal(client.version, version)
      assert.equal(textOf(await client.callTool('echo', { text: 'hello' })), 'hello')
      await client.close()
    })
    await server.close()
  }
}

async function readPages(report: Report): Promise<void> {
  const listening = await openSdk1Paged()
  await report.check('all four lists are whole', async () => {
    const client = await connectOurs({ kind: 'http', url: `${listening.origin}/mcp` }, undefined, { asking: false })
    for (const kind of ['tools', 'resources', 'resourceTemplates', 'prompts'] satisfies ListKind[]) {
      const names = (await client.list(kind)).map(({ name }) => name)
      assert.deepEqual(
        names,
        Array.from({ length: ITEMS }, (_, at) => `item-${at}`),
      )
      await assert.rejects(client.page(kind, 'nonsense'), (error) => codeOf(error) === -32602)
    }
    await client.close()
  })
  await listening.close()
}
