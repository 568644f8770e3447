/** The official clients, SDK 1.32.2 and 2.4.0, at our server: every transport, every revision that they can speak. */

import assert from 'node:assert/strict'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { pageChecks } from '../checks/pages.ts'
import { type ClientUnderTest, type Offer, textOf, type Version } from '../client-under-test.ts'
import { connectSdk1 } from '../clients/sdk-1.ts'
import { connectSdk2 } from '../clients/sdk-2.ts'
import type { Address } from '../server-under-test.ts'
import { openOurs, type Way } from './open-ours.ts'
import { visit, withClient } from './suite.ts'

type ConnectTo = (address: Address, version: Version, offer: Offer) => Promise<ClientUnderTest>

const SDK1 = { client: 'sdk-1 client', connect: connectSdk1 as ConnectTo }
const SDK2 = { client: 'sdk-2 client', connect: connectSdk2 as ConnectTo }

export const officialClientSuites: Trial[] = [
  toSuite(SDK1, 'stdio', '2025-11-25'),
  toSuite(SDK1, 'http', '2025-11-25'),
  toSuite(SDK1, 'stdio', '2025-06-18', true),
  toSuite(SDK1, 'http', '2025-06-18'),
  toSuite(SDK1, 'stdio', '2025-03-26', true),
  toSuite(SDK1, 'http', '2025-03-26'),
  toSuite(SDK1, 'stdio', '2024-11-05'),
  toSuite(SDK1, 'sse', '2024-11-05'),
  toSuite(SDK2, 'stdio', '2025-11-25'),
  toSuite(SDK2, 'http', '2025-11-25'),
  toSuite(SDK2, 'http', '2025-06-18', true),
  toSuite(SDK2, 'http', '2025-03-26', true),
  toSuite(SDK2, 'stdio', '2024-11-05', true),
  toSuite(SDK2, 'sse', '2024-11-05', true),
  toSuite(SDK2, 'stdio', '2026-07-28'),
  toSuite(SDK2, 'http', '2026-07-28'),
  { name: 'sdk clients at paged lists', run: visitPaged },
  { name: 'sdk-2 client finding the newest revision by itself', run: findNewest },
  { name: 'sdk clients and the end of things', run: endThings },
]

function toSuite({ client, connect }: typeof SDK1, way: Way, version: Version, long = false): Trial {
  return {
    name: `${client} · ${way} · ${version}`,
    long,
    async run(report) {
      const server = await openOurs(way)
      try {
        await visit(report, server, version, (offer) => connect(server.address, version, offer))
      } finally {
        await report.check('the server closes', server.close)
      }
    },
  }
}

async function visitPaged(report: Report): Promise<void> {
  for (const way of ['stdio', 'http'] as const) {
    const server = await openOurs(way, { pageSize: 3 })
    const clients = [
      ['2025-11-25', connectSdk1],
      ['2026-07-28', connectSdk2],
    ] as const
    for (const [version, connect] of clients) {
      await withClient(
        report,
        server,
        version,
        (offer) => connect(server.address, version, offer),
        { asking: false },
        pageChecks,
      )
    }
    await server.close()
  }
}

async function findNewest(report: Report): Promise<void> {
  for (const way of ['stdio', 'http'] as const) {
    const server = await openOurs(way)
    await report.check(`${way}: discovery leads to 2026-07-28`, () => echoAt(server.address, '2026-07-28'))
    await server.close()
  }
  const older = await openOurs('http', { versions: ['2025-06-18', '2025-11-25'] })
  await report.check('a server of older revisions only is spoken to in 2025-11-25', () =>
    echoAt(older.address, '2025-11-25'),
  )
  await older.close()
  const newest = await openOurs('http', { versions: ['2026-07-28'] })
  await report.check('a server of the newest revision only is spoken to in it', () =>
    echoAt(newest.address, '2026-07-28'),
  )
  await report.check('a server of the newest revision only refuses the older handshake', async () => {
    await assert.rejects(connectSdk1(newest.address, '2025-11-25', { asking: false }))
  })
  await newest.close()
}

/** Connects with nothing pinned and has a word repeated. */
async function echoAt(address: Address, expected: Version): Promise<void> {
  const client = await connectSdk2(address, expected, { asking: false }, true)
  assert.equal(textOf(await client.callTool('echo', { text: 'hello' })), 'hello')
  await client.close()
}

/** Sessions that a client ends, and a server that ends while it is listened to. */
async function endThings(report: Report): Promise<void> {
  const server = await openOurs('http')
  await report.check('a session that the client ended is gone', async () => {
    const client = await connectSdk1(server.address, '2025-11-25', { asking: false })
    await client.endSession?.()
    await assert.rejects(client.callTool('echo', { text: 'still there?' }))
    await client.close()
  })
  await report.check('two clients of two eras are served at once by one address', async () => {
    const older = await connectSdk1(server.address, '2025-11-25', { asking: false })
    const newer = await connectSdk2(server.address, '2026-07-28', { asking: false })
    const listening = await newer.listen({ toolsListChanged: true })
    await older.callTool('grow', { kind: 'tool' })
    await newer.heard.next('notifications/tools/list_changed')
    await older.heard.next('notifications/tools/list_changed')
    await newer.callTool('shrink', { kind: 'tool' })
    await listening.close()
    await older.close()
    await newer.close()
  })
  await report.check('a listening client is told when the server closes', async () => {
    const client = await connectSdk2(server.address, '2026-07-28', { asking: false })
    const listening = await client.listen({ toolsListChanged: true })
    const closing = server.close()
    assert.equal(await listening.closed, 'graceful')
    await client.close()
    await closing
  })
  await server.close()
}
