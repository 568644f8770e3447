/** What a failed connection is told as: the reason that is true, in words that say what to do. */

import { expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { createServer } from '../src/server/server.ts'
import { scriptedChannel } from './client-peers.ts'

test.each([['2026-07-28'], ['2025-11-25']] as const)(
  'a server that broke down is not told as one of other revisions, where %s alone is allowed',
  async (version) => {
    const server = createServer({ name: 'broken', version: '1.0.0' })
    const fail = () => {
      throw new Error('The database of users is away')
    }
    const http = await serveHttp(server, { port: 0, authenticate: fail, onError: () => {} })
    try {
      const connected = connect(http.url, { versions: version, negotiations: false })
      await expect(connected).rejects.toMatchObject({ code: 'peer-error', message: 'Internal error' })
    } finally {
      await http.close()
    }
  },
)

test('a server that says nothing is told as silent, with the time that was given, not as a call that somebody cancelled', async () => {
  const { channel } = scriptedChannel(() => {})
  const connected = connect(channel, { negotiations: false, timeouts: { connectMs: 20 } })
  await expect(connected).rejects.toMatchObject({
    code: 'connect-failed',
    delivery: 'not-sent',
    message: 'No connection within 20 ms (connectMs)',
  })
})
