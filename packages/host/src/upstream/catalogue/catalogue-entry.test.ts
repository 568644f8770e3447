import { expect, test } from 'vitest'
import { defineServer } from '../../config/define-server.ts'
import type { UpstreamState } from '../upstream.ts'
import { CatalogueEntry } from './catalogue-entry.ts'

const CONFIG = defineServer('mail', { kind: 'http', url: 'https://mail.example/mcp', headers: {} })

function openEntry(state: UpstreamState['state'], client: () => Promise<never>): CatalogueEntry {
  return new CatalogueEntry(CONFIG, {
    pins: {} as never,
    client,
    state: () => ({ state, since: Date.now() }) as UpstreamState,
    changed: () => {},
    settled: () => {},
    degrade: () => {},
  })
}

test.each([
  ['starting', true],
  // Its users are connected to it, and nobody reads its lists for all.
  ['ready', false],
  ['idle', false],
  ['needs-sign-in', false],
] as const)('a server that is %s and that nobody reads is waited for: %s', (state, awaited) => {
  const entry = openEntry(state, () => Promise.reject(new Error('not asked')))
  expect(entry.isStarting).toBe(awaited)
})

test('a server that is ready is waited for while its lists are read, and no longer where they cannot be', async () => {
  let refuse = (_error: Error): void => {}
  const entry = openEntry('ready', () => new Promise((_, reject) => (refuse = reject)))
  const reading = entry.read()
  expect(entry.isStarting).toBe(true)
  refuse(new Error('sign in first'))
  await reading
  expect(entry.isStarting).toBe(false)
})
