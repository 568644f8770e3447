/** One replica of a small server, as a process: what it does is noted in a file, so that doing it twice is seen. */

import { appendFileSync } from 'node:fs'
import { createCluster } from '@portico/host/cluster'
import { openState } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createServer, resource, tool } from '@portico/sdk/server'
import { redisLibrary } from './places.ts'

const [setting = '{}', ledger = ''] = process.argv.slice(2)
// The setting was made by this suite.
const where = JSON.parse(setting) as { redis: string }
const { store, bus } = await openState('redis' in where ? { ...where, library: redisLibrary } : where)
const cluster = await createCluster({ store, bus, leaseMs: 5_000, drainMs: 500, onError: () => undefined })

const server = createServer({
  name: 'ledger',
  version: '1.0.0',
  ...cluster.server,
  onError: () => undefined,
  tools: {
    note: tool(
      {
        description: 'Notes a word',
        input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      },
      async (input, ctx) => {
        const { word, change, slowly } = input as { word: string; change?: boolean; slowly?: boolean }
        appendFileSync(ledger, `${word}\n`)
        if (slowly === true) await ctx.progress(1, 2, 'noted')
        if (change === true) server.changed('note:///one')
        return word
      },
    ),
  },
  resources: { one: resource({ uri: 'note:///one' }, () => 'text') },
})
await cluster.shareChanges(server)
const http = await serveHttp(server, { port: 0, sharing: cluster.sharing, health: { ready: () => cluster.ready() } })
console.log(http.url)

process.once('SIGTERM', () => {
  void http.close().then(async () => {
    await cluster.close()
    process.exit(0)
  })
})
