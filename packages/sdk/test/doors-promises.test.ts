/** What the doors promise: nothing that is only how the parts of this package meet. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as client from '../src/doors/client.ts'
import * as internal from '../src/doors/internal.ts'
import * as server from '../src/doors/server.ts'
import { createServer, prompt, resource } from '../src/doors/server.ts'
import { createMemoryChannels, serveChannel } from '../src/doors/transport.ts'

const folder = fileURLToPath(new URL('../src/doors/', import.meta.url))
const PUBLIC = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.startsWith('internal'))

function namesOf(file: string): string[] {
  const source = readFileSync(`${folder}${file}`, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...source.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) => list.match(/\w+(?=\s*(?:,|$))/g) ?? [])
}

describe.each(PUBLIC)('sdk 17: %s promises', (file) => {
  test('no name of the internal door', () => {
    const inside = new Set([...namesOf('internal.ts'), ...Object.keys(internal)])
    expect(inside.size).toBeGreaterThan(10)
    expect(namesOf(file).filter((name) => inside.has(name))).toEqual([])
  })
})

test('sdk 17: contexts and clients are made by the library alone', () => {
  expect(Object.keys(server)).not.toEqual(expect.arrayContaining(['AskingContext']))
  expect(Object.keys(server)).not.toEqual(expect.arrayContaining(['RequestContext']))
  expect(Object.keys(client)).not.toEqual(expect.arrayContaining(['Client']))
  expect('endpointOf' in server.Server).toBe(false)
})

test('sdk 17: what serves an item is under no name that an author would meet', () => {
  const made = [resource({ uri: 'x://a' }, () => ''), prompt({}, () => '')]
  for (const item of made) expect(Object.keys(item)).toEqual(['kind', 'options', 'handler'])
})

test('sdk 17: a transport of one’s own serves a server with public names alone', async () => {
  const [near, far] = createMemoryChannels()
  const connection = serveChannel(createServer({ name: 'a', version: '1' }), near)
  const connected = await client.connect(far)
  expect(connected.server.info?.name).toBe('a')
  await connected.close()
  await connection.closed
})
