/** However much a server says at once, no change that somebody subscribed to goes unheard, and no log is filled. */

import { afterEach, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { Target } from '../src/connect/options.ts'
import { createServer, resource, tool } from '../src/doors/server.ts'
import { legacyChannel, modernChannel, result, toolResult } from './client-peers.ts'

const open: Client[] = []
afterEach(async () => {
  for (const made of open.splice(0)) await made.close()
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  'sdk 17: on %s, of more changes than are kept for a second, everything subscribed to is reported and read anew',
  async (versions) => {
    const URIS = Array.from({ length: 1_300 }, (_, at) => `note://${at}`)
    let text = 'before'
    const note = resource({ uri: 'note://{id}', cache: { ttlMs: 60_000 } }, () => text)
    const server = createServer({ name: 'notes', version: '1', resources: { note }, tools: {} })
    const made = await connect(server, {
      versions,
      cacheUntilUpdated: true,
      limits: { notificationsPerSecond: 20 },
    })
    open.push(made)
    const heard = new Set<string>()
    let lists = 0
    made.on('change', ({ kind }) => {
      if (kind === 'tools') lists++
    })
    await made.subscribe({ resourceSubscriptions: URIS, toolsListChanged: true }, (change) => {
      if (change.kind === 'resource') heard.add(change.uri)
    })
    const last = URIS.at(-1)!
    const read = async () => (await made.readResource(last)).contents[0]
    expect(await read()).toMatchObject({ text: 'before' })
    text = 'after'
    for (const uri of URIS) server.changed(uri)
    // The last of them finds no room among what is kept.
    server.tool(
      'new',
      tool({}, () => 'x'),
    )
    await expect.poll(() => heard.size, { timeout: 20_000 }).toBe(URIS.length)
    await expect.poll(() => lists, { timeout: 20_000 }).toBeGreaterThan(0)
    expect(await read()).toMatchObject({ text: 'after' })
  },
)

const FLOOD = 2_000
const floods: readonly (readonly [string, (at: number) => object])[] = [
  ['answers to nothing', (at) => ({ jsonrpc: '2.0', id: `none-${at}`, result: {} })],
  ['messages that are none', () => ({ jsonrpc: '1.0', no: true })],
]
test.each(floods)('sec-331: %s bring no more warnings than somebody can read', async (_, message) => {
  for (const channelOf of [modernChannel, legacyChannel]) {
    const { channel } = channelOf(({ id, method }, reply) => {
      if (method !== 'tools/call') return
      for (let at = 0; at < FLOOD; at++) reply(message(at))
      reply(result(id, toolResult('done')))
    })
    expect(await warningsOf(channel, (made) => made.callTool('x'))).toContain('the others are left out')
  }
})

test('sec-331: tools that are left out of a list bring no more warnings than somebody can read', async () => {
  const tools = Array.from({ length: FLOOD }, (_, at) => ({ name: `tool-${at}`, inputSchema: 'none' }))
  const { channel } = legacyChannel(({ id }, reply) => reply(result(id, { tools })))
  expect(await warningsOf(channel, (made) => made.listTools())).toContain('the others are left out')
})

/** What is warned of, joined; as many as fit into the seconds that it took. */
async function warningsOf(channel: Target, use: (made: Client) => Promise<unknown>): Promise<string> {
  const made = await connect(channel, { negotiations: false })
  open.push(made)
  const warnings: string[] = []
  made.on('warning', ({ message }) => warnings.push(message))
  const before = performance.now()
  await use(made)
  const seconds = Math.ceil((performance.now() - before) / 1_000) + 1
  expect(warnings.length).toBeLessThanOrEqual(200 * seconds)
  return warnings.join('\n')
}
