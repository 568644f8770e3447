/** What a client keeps of what a server says is bounded in bytes, not in number alone: one item may be as large as an answer. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { Emitter } from '../src/client/events.ts'
import { createMemoryCache } from '../src/client/features/cache.ts'
import { readPages } from '../src/client/features/pages.ts'
import { ListedNames } from '../src/client/listed-names.ts'
import { CLIENT_LIMITS } from '../src/client/options.ts'
import { connect } from '../src/connect/connect.ts'
import { createServer, resource } from '../src/doors/server.ts'
import { weightOf } from '../src/jsonrpc/weight.ts'

const open: Client[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

describe('sec-330: a list that comes in pages', () => {
  const KIND = { method: 'resources/list', member: 'resources', key: 'uri' }
  const page = (at: number, pages: number, item: object) => ({
    resources: [{ uri: `a://${at}`, ...item }],
    ...(at < pages && { nextCursor: `${at}` }),
  })
  async function read(pages: readonly object[], maxListBytes: number): Promise<number> {
    let at = 0
    let found = 0
    const load = async () => ({ ...pages[at++] })
    const host = { limits: { ...CLIENT_LIMITS, maxListBytes }, emitter: new Emitter(), listed: new ListedNames() }
    for await (const items of readPages(KIND, load, host)) {
      found += items.length
    }
    return found
  }

  const ways: readonly (readonly [string, readonly object[]])[] = [
    ['items', [1, 2, 3].map((at) => page(at, 3, { description: 'd'.repeat(100) }))],
    ['cursors', ['a', 'b', ''].map((next) => ({ resources: [], ...(next && { nextCursor: next.repeat(100) }) }))],
    ['what nobody reads', [1, 2, 3].map((at) => ({ ...page(at, 3, {}), other: ['x'.repeat(100)] }))],
  ]
  test.each(ways)('is taken up to maxListBytes, and no further: %s', async (_, pages) => {
    const weight = pages.reduce((sum, one) => sum + weightOf(one), 0)
    const items = pages.filter((one) => JSON.stringify(one).includes('a://')).length
    expect(await read(pages, weight + 1)).toBe(items)
    expect(await read(pages, weight)).toBe(items)
    await expect(read(pages, weight - 1)).rejects.toThrow(`maxListBytes (${weight - 1}) exceeded by resources/list`)
  })

  test('a single page is an answer as any other', async () => {
    expect(await read([page(1, 1, { description: 'd'.repeat(100) })], 10)).toBe(1)
  })
})

describe('sec-330: results that are kept', () => {
  const freshUntil = Date.now() + 60_000
  const entry = (text: string) => ({ result: { text }, freshUntil })

  test('give way to newer ones beyond the bytes, the oldest first, and none is kept that is larger than all', async () => {
    const one = weightOf(entry('x'.repeat(1_000))) + 'key-0'.length
    const cache = createMemoryCache(100, one * 3)
    for (let at = 0; at < 4; at++) await cache.set(`key-${at}`, entry('x'.repeat(1_000)))
    const kept = async () => (await Promise.all([0, 1, 2, 3].map((at) => cache.get(`key-${at}`)))).map(Boolean)
    expect(await kept()).toEqual([false, true, true, true])
    await cache.set('key-0', entry('x'.repeat(4_000)))
    expect(await kept()).toEqual([false, true, true, true])
    await cache.set('key-3', entry('short'))
    await cache.set('key-0', entry('x'.repeat(1_000)))
    expect(await kept()).toEqual([true, false, true, true])
  })

  test.each([
    ['2026-07-28', {}],
    ['2025-11-25', { cacheUntilUpdated: true }],
  ] as const)('a server on %s that says everything may be kept fills no memory', async (versions, options) => {
    const BYTES = 5 * 1024 * 1024
    let reads = 0
    const large = resource({ uri: 'large://{id}', cache: { ttlMs: 60_000 } }, () => {
      reads++
      return 'x'.repeat(BYTES)
    })
    const client = await connect(createServer({ name: 'large', version: '1', resources: { large } }), {
      versions,
      ...options,
    })
    open.push(client)
    const read = async (at: number) => {
      if (versions === '2025-11-25') await client.subscribe(`large://${at}`)
      await client.readResource(`large://${at}`)
    }
    for (let at = 0; at < 14; at++) await read(at)
    expect(reads).toBe(14)
    await client.readResource('large://13')
    expect(reads).toBe(14)
    await client.readResource('large://0')
    expect(reads).toBe(15)
  })
})
