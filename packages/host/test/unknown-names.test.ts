/** A name that does not exist is said at once, wherever a program that embeds a host gives one. */

import { describe, expect, test } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'

describe('sdk 17: an event that there is not', () => {
  const ways: readonly (readonly [string, (host: Host) => unknown, string])[] = [
    ['host.on', (host) => host.on('problem' as 'problems', () => {}), 'event "problem". Did you mean "problems"?'],
    ['catalogue.on', (host) => host.catalogue.on('changed' as 'change', () => {}), 'Did you mean "change"?'],
    ['upstreams.on', (host) => host.upstreams.on('exit' as 'lost', () => {}), '; there are state, change, '],
  ]
  test.each(ways)('%s', async (_, use, says) => {
    const host = await createHost({ servers: [] })
    try {
      expect(() => use(host)).toThrow(says)
    } finally {
      await host.close()
    }
  })
})
