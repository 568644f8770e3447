/** Results over their budget are paged by whole items or kept and linked, for the one who caused them, never cut. */

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPrincipal } from '../../auth/principal.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import { createClock } from '../../testing/clock.ts'
import { eachEra, type TestClient, testClient } from '../../testing/test-client.ts'
import { tool } from '../items/definition.ts'
import { createServer } from '../server.ts'
import { SpillStore } from './budget-store.ts'

const BUDGET = 8192
const rows = Array.from({ length: 400 }, (_, id) => ({ id, text: `row "${id}" of many é` }))

function createSubject() {
  return createServer({
    name: 'subject',
    version: '1',
    maxResultBytes: BUDGET,
    tools: {
      text: tool({ input: z.object({ length: z.int() }) }, ({ length }) => 'x'.repeat(length)),
      rows: tool({}, () => rows),
      wrapped: tool({}, () => ({ total: rows.length, rows })),
      typed: tool({ output: z.object({ rows: z.array(z.object({ id: z.number(), text: z.string() })) }) }, () => ({
        rows,
      })),
      picture: tool({}, () => ({ type: 'image' as const, data: 'A'.repeat(12_000), mimeType: 'image/png' })),
    },
  })
}

function sizeOf(result: CallToolResult): number {
  return new TextEncoder().encode(
    JSON.stringify({ content: result.content, structuredContent: result.structuredContent }),
  ).length
}

function linkIn(result: CallToolResult): string {
  const link = result.content.find((block) => block.type === 'resource_link')
  return link?.type === 'resource_link' ? link.uri : ''
}

async function textAt(client: Pick<TestClient, 'readResource'>, uri: string): Promise<string[]> {
  const { contents } = await client.readResource(uri)
  return contents.map((one) => ('text' in one ? String(one.text) : ''))
}

describe('a text', () => {
  const overhead = sizeOf({ content: [{ type: 'text', text: '' }] })
  test.each([
    { length: BUDGET - overhead - 1, kept: false },
    { length: BUDGET - overhead, kept: false },
    { length: BUDGET - overhead + 1, kept: true },
  ])('of $length characters is kept elsewhere: $kept', async ({ length, kept }) => {
    await eachEra(createSubject(), async (client) => {
      const result = await client.callTool('text', { length })
      expect(linkIn(result) !== '').toBe(kept)
      expect(sizeOf(result)).toBeLessThanOrEqual(BUDGET)
      if (kept) expect(await textAt(client, linkIn(result))).toEqual(['x'.repeat(length)])
    })
  })
})

test.each(['rows', 'wrapped'])('an array (%s) is paged by whole items, and no item is lost', async (name) => {
  await eachEra(createSubject(), async (client) => {
    const result = await client.callTool(name)
    expect(sizeOf(result)).toBeLessThanOrEqual(BUDGET)
    const [first] = result.content
    const shown: unknown = JSON.parse(first?.type === 'text' ? first.text : '')
    const items = [...((name === 'rows' ? shown : (shown as { rows: unknown[] }).rows) as unknown[])]
    for (let uri: string | undefined = linkIn(result); uri !== undefined; ) {
      const [page = '', note = ''] = await textAt(client, uri)
      expect(new TextEncoder().encode(page).length).toBeLessThanOrEqual(BUDGET)
      items.push(...(JSON.parse(page) as unknown[]))
      uri = /The next is (\S+)\.$/.exec(note)?.[1]
    }
    expect(items).toEqual(rows)
  })
})

test('a tool that promised structured content answers with an error and a link, not with a part', async () => {
  await eachEra(createSubject(), async (client) => {
    await client.listTools()
    const result = await client.callTool('typed')
    expect(result.isError).toBe(true)
    expect(JSON.parse((await textAt(client, linkIn(result))).join())).toEqual({ rows })
  })
})

test('a picture is kept as bytes', async () => {
  await using client = await testClient(createSubject())
  const { contents } = await client.readResource(linkIn(await client.callTool('picture')))
  expect(contents).toMatchObject([{ mimeType: 'image/png', blob: 'A'.repeat(12_000) }])
})

test('what was kept belongs to its principal: to others it does not exist (sec-36, sec-37)', async () => {
  const server = createSubject()
  await using ada = await testClient(server, { principal: createPrincipal('ada') })
  await using eve = await testClient(server, { principal: createPrincipal('eve') })
  const uri = linkIn(await ada.callTool('text', { length: 20_000 }))
  const unknown = uri.replace(/[^/]+\/1$/, 'AAAAAAAAAAAAAAAAAAAAAA/1')
  const refusals = await Promise.all([uri, unknown].map((one) => eve.readResource(one).catch((error: Error) => error)))
  const texts = refusals.map((one) => (one instanceof Error ? one.message.replaceAll(/result:\S+/g, '') : 'read'))
  expect(texts[0]).toBe(texts[1])
  expect(texts[0]).not.toBe('read')
  expect((await textAt(ada, uri)).join()).toHaveLength(20_000)
})

test('what was kept expires, and the oldest gives way when room is short', async () => {
  const clock = createClock()
  try {
    const store = new SpillStore('result://a/', { ttlMs: 1000, maxBytes: 100 })
    const idOf = (where: ((part: number) => string) | undefined) => where?.(1).split('/')[3] ?? ''
    const [first, second] = [1, 2].map(() => idOf(store.keep('a', [[{ text: 'x' }]], 60)))
    expect(store.read(first ?? '', '1', 'a')).toBeUndefined()
    expect(store.read(second ?? '', '1', 'a')).toHaveLength(1)
    expect(store.keep('a', [], 101)).toBeUndefined()
    await clock.advance(1000)
    expect(store.read(second ?? '', '1', 'a')).toBeUndefined()
  } finally {
    clock.restore()
  }
})

test('without the option nothing is kept and no resources are declared', async () => {
  const server = createServer({ name: 's', version: '1', tools: { big: tool({}, () => 'x'.repeat(2_000_000)) } })
  await using client = await testClient(server)
  expect(linkIn(await client.callTool('big'))).toBe('')
  expect(client.server.capabilities.resources).toBeUndefined()
})

test('a budget too small for its own note is refused', () => {
  expect(() => createServer({ name: 's', version: '1', maxResultBytes: 100 })).toThrow('maxResultBytes')
})
