/** What `openState` refuses, and how it says so. What it opens is in the tests of each database. */

import { describe, expect, it } from 'vitest'
import { openState, type StateSetting } from './open-state.ts'
import { loadPeer } from './opened-state.ts'

const refused: { name: string; setting: object; words: RegExp }[] = [
  { name: 'no place', setting: {}, words: /name `sqlite`, `postgres` or `redis`/ },
  { name: 'two places', setting: { sqlite: 'a', redis: 'redis://h' }, words: /kept in one place/ },
  { name: 'a file in memory', setting: { sqlite: ':memory:' }, words: /createMemoryStore/ },
  { name: 'a file without a name', setting: { sqlite: '' }, words: /path of a file/ },
  { name: 'the URL of a file', setting: { sqlite: 'file:x?mode=memory' }, words: /path of a file/ },
  { name: 'another scheme', setting: { postgres: 'mysql://ann:hunter2@h/d' }, words: /begins with postgres:/ },
  { name: 'no URL', setting: { redis: 'ann:hunter2@h' }, words: /begins with redis:\/\/ or rediss:/ },
  {
    name: 'a schema that is none',
    setting: { postgres: 'postgres://h/d', schema: 'a; DROP' },
    words: /`schema` is made/,
  },
  { name: 'a prefix with braces', setting: { redis: 'redis://h', prefix: 'a}b' }, words: /`prefix` is made/ },
  {
    name: 'a library without what is used of it',
    setting: { redis: 'redis://h', library: async () => ({}) },
    words: /without createClient/,
  },
]

describe('opening state', () => {
  it.each(refused)('refuses $name, and repeats no password (sec-381)', async ({ setting, words }) => {
    // What a program without types may give.
    const error: unknown = await openState(setting as StateSetting).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringMatching(words) })
    expect(String((error as Error).message)).not.toContain('hunter2')
  })

  it('says how to have a library that is not installed (stores 1)', async () => {
    await expect(loadPeer('State in X', 'portico-no-such-package')).rejects.toMatchObject({
      code: 'invalid-config',
      message:
        'State in X needs the package portico-no-such-package. Install it with: npm install portico-no-such-package',
    })
  })

  it.each([
    { name: 'PostgreSQL', setting: { postgres: 'postgres://ann:hunter2@127.0.0.1:1/d' }, place: '127.0.0.1:1/d' },
  ])('tells where $name is that does not answer, without its password (sec-381)', async ({ setting, place }) => {
    const { store, status, close } = await openState(setting)
    const error: unknown = await store.get('k').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'store-unavailable', message: expect.stringContaining(place) })
    const told = await status()
    expect(told).toMatchObject({ kind: 'postgres', available: false, place })
    expect(JSON.stringify([String(error), told])).not.toContain('hunter2')
    await close()
    await expect(store.get('k')).rejects.toMatchObject({ code: 'closed' })
  })
})
