/** Kept results and change notices together: whoever hears of a change and reads again must not get what was kept before it. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { createMemoryCache, type ResultCache } from '../src/client/features/cache.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { resource } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { discovered, json, type Message, modernChannel, result, scriptedHttp, toolResult } from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

/** A cache behind a network: everything takes a while. */
function createSlowCache(): ResultCache {
  const cache = createMemoryCache()
  const later = () => new Promise((resolve) => setImmediate(resolve))
  return {
    get: async (key) => cache.get(key),
    set: async (key, entry) => cache.set(key, entry),
    async deletePrefix(prefix) {
      await later()
      await cache.deletePrefix(prefix)
    },
  }
}

/** Numbers its reads, each good for a minute. */
function numberedReads() {
  let reads = 0
  return (message: Message) =>
    result(message.id, {
      contents: [{ uri: message.params?.uri, text: `read ${++reads}` }],
      ttlMs: 60_000,
      cacheScope: 'private',
    })
}

const text = async (made: Client) => (await made.readResource('a:1')).contents[0]

test('a cache that takes its time is waited for before it is asked again (2026-07-28, "Caching")', async () => {
  const read = numberedReads()
  const { channel } = modernChannel((message, reply) => {
    if (message.method === 'resources/read') reply(read(message))
    if (message.method === 'tools/call') {
      reply({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:1' } })
      reply(result(message.id, toolResult('x')))
    }
  })
  const made = await client(channel, { cache: createSlowCache() })
  await text(made)
  expect(await text(made)).toMatchObject({ text: 'read 1' })
  const again = new Promise((resolve) => made.on('change', () => resolve(text(made))))
  await made.callTool('change')
  expect(await again).toMatchObject({ text: 'read 2' })
})

test('what was kept before a subscription was interrupted is read again after it', async () => {
  const read = numberedReads()
  let listens = 0
  let drop = () => {}
  const server = await scriptedHttp((request, response) => {
    const message = request.body as Message
    if (message.method === 'server/discover') json(response, 200, result(message.id, discovered()))
    else if (message.method === 'resources/read') json(response, 200, read(message))
    else {
      const acknowledged = {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { 'io.modelcontextprotocol/subscriptionId': message.id },
          notifications: message.params?.notifications,
        },
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(acknowledged)}\n\n`)
      if (++listens === 1) drop = () => response.destroy()
    }
  })
  open.push(() => server.close())
  const made = await client(server.url)
  expect(await text(made)).toMatchObject({ text: 'read 1' })
  let heard: (value: unknown) => void = () => {}
  const again = new Promise((resolve) => {
    heard = resolve
  })
  await made.subscribe('a:1', ({ synthetic }) => heard(Promise.all([synthetic, text(made)])))
  drop()
  expect(await again).toMatchObject([true, { text: 'read 2' }])
})

describe('reads of older revisions, kept until `updated` (founding 16)', () => {
  const LEGACY = PROTOCOL_VERSIONS.slice(0, 4)
  async function opened(versions: (typeof PROTOCOL_VERSIONS)[number], cacheUntilUpdated?: boolean) {
    let reads = 0
    const note = resource({ uri: 'note:1' }, () => `read ${++reads}`)
    const server = createServer({ name: 'notes', version: '1', resources: { note } })
    const client = await connect(server, { versions, ...(cacheUntilUpdated && { cacheUntilUpdated }) })
    const read = async () => ((await client.readResource('note:1')).contents[0] as { text: string }).text
    return { client, server, read }
  }

  test.each(LEGACY)('while subscribed, and no longer: %s', async (version) => {
    const { client, server, read } = await opened(version, true)
    expect([await read(), await read()]).toEqual(['read 1', 'read 2'])
    let updated = () => {}
    const told = new Promise<void>((resolve) => {
      updated = resolve
    })
    const subscription = await client.subscribe('note:1', updated)
    expect([await read(), await read()]).toEqual(['read 3', 'read 3'])
    server.changed('note:1')
    await told
    expect([await read(), await read()]).toEqual(['read 4', 'read 4'])
    await subscription.close()
    expect([await read(), await read()]).toEqual(['read 5', 'read 6'])
    await client.subscribe('note:1')
    expect([await read(), await read()]).toEqual(['read 7', 'read 7'])
    await client.close()
  })

  test.each(LEGACY)('is off by default: %s', async (version) => {
    const { client, read } = await opened(version)
    await client.subscribe('note:1')
    expect([await read(), await read()]).toEqual(['read 1', 'read 2'])
    await client.close()
  })
})

test.each(PROTOCOL_VERSIONS)(
  'one change is one notice, however many subscriptions cover it (founding 16): %s',
  async (versions) => {
    const note = resource({ uri: 'note:1' }, () => 'text')
    const server = createServer({ name: 'notes', version: '1', resources: { note } })
    const client = await connect(server, { versions })
    const heard: string[] = []
    const each: string[] = []
    const last = new Promise<void>((resolve) => {
      client.on('change', (change) => {
        heard.push(change.kind)
        if (change.kind === 'resources') resolve()
      })
    })
    await client.subscribe('note:1', () => each.push('first'))
    await client.subscribe({ resourceSubscriptions: ['note:1'], resourcesListChanged: true }, ({ kind }) =>
      each.push(kind),
    )
    server.changed('note:1')
    server.changed('resources')
    await last
    await client.listResources()
    expect(heard).toEqual(['resource', 'resources'])
    expect(each.slice().sort()).toEqual(['first', 'resource', 'resources'])
    await client.close()
  },
)
