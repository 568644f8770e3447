/** Search against a model of it that looks at everything: whatever is remembered, the same things are found. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemoryFile } from './database.ts'
import { MEMORY_LIMITS } from './limits.ts'
import { MemoryStore } from './store.ts'

let folder = ''
let file: MemoryFile
let store: MemoryStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-search-'))
  file = await MemoryFile.open(join(folder, 'memory.db'))
  store = new MemoryStore(file, MEMORY_LIMITS)
})
afterAll(async () => {
  file.close()
  await rm(folder, { recursive: true, force: true })
})

// Beginnings of each other, short and long, cases, and letters that are one with others only once they are composed.
const word = fc.constantFrom(
  'tea',
  'teapot',
  'Tea',
  'a',
  'ab',
  '5',
  '50',
  'ﬁle',
  'file',
  'über',
  'ÜBER',
  '東京',
  '_',
  '%',
)
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const world = fc.record({
  facts: fc.array(fc.record({ entity: text, text }), { maxLength: 6 }),
  relations: fc.array(fc.record({ from: text, kind: text, to: text }), { maxLength: 4 }),
  query: text,
})

interface Known {
  readonly name: string
  readonly texts: Set<string>
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim()
}

function wordsOf(phrase: string): string[] {
  return [...new Set(phrase.match(/[\p{L}\p{N}]+/gu) ?? [])]
}

test('finds those that have every word, or else those that have some, the more the earlier', async () => {
  let owner = 0
  await fc.assert(
    fc.asyncProperty(world, async ({ facts, relations, query }) => {
      const who = `user ${owner++}`
      const known = new Map<string, Known>()
      const touch = (name: string): Known => {
        const one = known.get(keyOf(name)) ?? { name, texts: new Set([keyOf(name)]) }
        known.set(keyOf(name), one)
        return one
      }
      for (const { entity, text: fact } of facts) {
        await store.remember(who, [{ entity, text: fact }])
        touch(entity).texts.add(fact.toLowerCase())
      }
      for (const { from, kind, to } of relations) {
        await store.relate(who, from, kind, to)
        for (const name of [from, to]) touch(name).texts.add(keyOf(kind))
      }
      const wanted = wordsOf(query)
      const has = ({ texts }: Known, one: string): boolean =>
        [...texts].some((all) =>
          wordsOf(all).some((other) =>
            [keyOf(one), one.toLowerCase()].some((key) => (one.length >= 3 ? other.startsWith(key) : other === key)),
          ),
        )
      const hits = new Map(
        [...known.values()].map((one) => [one.name, wanted.filter((each) => has(one, each)).length] as const),
      )
      const most = Math.max(0, ...hits.values())
      const least = most === wanted.length ? most : 1
      const expected = [...hits].filter(([, count]) => wanted.length > 0 && count >= least).map(([name]) => name)
      const found = (await store.search(who, query, 100)).map(({ name }) => name)
      expect([...found].sort()).toEqual(expected.sort())
      const order = found.map((name) => hits.get(name) ?? 0)
      expect(order).toEqual([...order].sort((a, b) => b - a))
    }),
    { numRuns: 100 },
  )
})

test('finds words in whichever way their accents are written', async () => {
  await store.remember('accents', [
    { entity: 'Ada', text: 'Likes cafe\u0301s and x\u0301s' },
    { entity: 'Bo', text: 'cafe s, x s' },
  ])
  for (const query of ['cafe\u0301s', 'cafés', 'cafes', 'x\u0301s']) {
    expect((await store.search('accents', query, 10)).map(({ name }) => name)).toEqual(['Ada'])
  }
})
