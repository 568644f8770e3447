/** Kept results and change notices together: whoever hears of a change and reads again must not get what was kept before it. */

import { afterEach, expect, test } from 'vitest'
import { createMemoryCache, type ResultCache } from '../src/client/cache.ts'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { discovered, json, type Message, modernChannel, result, scriptedHttp, toolResult } from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { verdicts: false, ...options })
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
