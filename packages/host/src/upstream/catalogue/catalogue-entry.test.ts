import type { Client } from '@portico/sdk/client'
import { expect, test, vi } from 'vitest'
import { defineServer } from '../../config/define-server.ts'
import { createPinStore } from '../pins/pins.ts'
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

test.each([
  ['nothing', 0, 30, 41],
  ['100 ms', 100, 5, 10],
  ['a minute', 60_000, 0, 0],
] as const)(
  'changes that are announced all the time are read the more rarely the more a reading takes: %s (sec-833)',
  async (_name, costMs, least, most) => {
    vi.useFakeTimers()
    try {
      let readings = 0
      let usedMs = 0
      const client = {
        revision: { era: 'modern' },
        server: { capabilities: { tools: {} } },
        listTools: async () => {
          readings++
          usedMs += costMs
          return [{ name: `tool-${readings}`, inputSchema: { type: 'object' } }]
        },
      }
      const entry = new CatalogueEntry(
        CONFIG,
        {
          pins: createPinStore(),
          // As much of a client as a reading of tools needs.
          client: async () => client as unknown as Client,
          state: () => ({ state: 'ready', since: 0 }) as UpstreamState,
          changed: () => {},
          settled: () => {},
          degrade: () => {},
        },
        () => usedMs,
      )
      await entry.read()
      readings = 0
      for (let at = 0; at < 1_000; at++) {
        entry.changed('tools')
        await vi.advanceTimersByTimeAsync(10)
      }
      entry.close()
      expect(readings).toBeGreaterThanOrEqual(least)
      expect(readings).toBeLessThanOrEqual(most)
    } finally {
      vi.useRealTimers()
    }
  },
)
