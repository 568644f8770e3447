/** The fingerprint is the same for the same meaning, and names what changed. */

import { describe, expect, test } from 'vitest'
import { prompt, resource, tool } from '../items/definition.ts'
import { createServer, type ServerDefinition, type ToolRecord } from '../server.ts'
import { fingerprint, verifyFingerprint } from './fingerprint.ts'

const input = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } } as const
const reordered = { properties: { b: { type: 'number' }, a: { type: 'string' } }, type: 'object' } as const

function create(definition: Partial<ServerDefinition<ToolRecord>>) {
  return createServer({ name: 's', version: '1', ...definition })
}

const base = {
  tools: { look: tool({ description: 'Looks', input, readOnly: true }, () => '') },
  resources: { notes: resource({ uri: 'notes://all', description: 'All notes' }, () => '') },
  prompts: { plan: prompt({ description: 'Plans' }, () => '') },
}

test('equal meaning gives equal text, whatever the order of keys', async () => {
  const other = {
    ...base,
    tools: { look: tool({ readOnly: true, input: reordered, description: 'Looks' }, () => 'other code') },
  }
  expect(JSON.stringify(await fingerprint(create(base)))).toBe(JSON.stringify(await fingerprint(create(other))))
})

test('a fingerprint survives being written and read', async () => {
  const made: unknown = JSON.parse(JSON.stringify(await fingerprint(create(base))))
  expect(await verifyFingerprint(create(base), made)).toEqual([])
})

describe('names what changed', () => {
  const look = (options: object) => ({
    ...base,
    tools: { look: tool({ description: 'Looks', input, readOnly: true, ...options }, () => '') },
  })
  const cases = [
    ['a description', look({ description: 'Looks and deletes' }), ['changed', 'look', ['description']]],
    ['a schema', look({ input: { type: 'object' } }), ['changed', 'look', ['inputSchema']]],
    ['an annotation', look({ readOnly: false }), ['changed', 'look', ['annotations']]],
    ['something added to an item', look({ title: 'Look' }), ['changed', 'look', ['title']]],
    ['a tool gone', { ...base, tools: {} }, ['removed', 'look', []]],
    ['a prompt added', { ...base, prompts: { ...base.prompts, more: prompt({}, () => '') } }, ['added', 'more', []]],
    ['a resource gone', { ...base, resources: {} }, ['removed', 'notes://all', []]],
  ] as const
  test.each(cases)('%s', async (_name, changed, [kind, name, parts]) => {
    const differences = await verifyFingerprint(create(changed), await fingerprint(create(base)))
    expect(differences).toMatchObject([{ kind, name, parts }])
    expect(differences[0]?.message).toContain(`"${name}"`)
  })
})

test.each([{}, { lockVersion: 1, servers: {} }, { lockVersion: 1, server: 's', tools: {} }, { fingerprintVersion: 2 }])(
  'what is no fingerprint of a server is refused: %j',
  async (made) => {
    await expect(verifyFingerprint(create(base), made)).rejects.toThrow('no fingerprint')
  },
)

test('house 7: a file that an earlier version wrote as a lock is read', async () => {
  const { server, lists } = await fingerprint(create(base))
  const lock: unknown = JSON.parse(JSON.stringify({ lockVersion: 2, server, ...lists }))
  expect(await verifyFingerprint(create(base), lock)).toEqual([])
  expect(await verifyFingerprint(create({ ...base, prompts: {} }), lock)).toMatchObject([
    { kind: 'removed', item: 'prompt', name: 'plan' },
  ])
})

describe('house 7: a fingerprint holds what a host pins, and no more', () => {
  const notes = (options: object) => ({
    ...base,
    resources: { notes: resource({ uri: 'notes://all', description: 'All notes', ...options }, () => '') },
  })
  const icons = [{ src: 'https://example.com/other.png' }]
  test.each([
    ['looks', { icons }, ['icons']],
    ['what programs are told', { meta: { 'example.com/ui': 'x' } }, ['_meta']],
    ['its size, which is data', { size: 12 }, []],
    ['when it was changed, which is data', { annotations: { lastModified: '2026-01-01T00:00:00Z' } }, []],
  ])('%s', async (_name, options, parts) => {
    const changed = create(notes(options))
    const differences = await verifyFingerprint(changed, await fingerprint(create(base)))
    expect(differences.flatMap((difference) => difference.parts)).toEqual(parts)
  })
})
