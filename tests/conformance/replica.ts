/** One of several processes that serve the fixture together; `STATE` is the place that they share, as `openState` takes it. */

import { createCluster } from '@portico/host/cluster'
import { openState } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createEverythingServer } from './fixture/everything.ts'

const { store, bus } = await openState(JSON.parse(process.env.STATE ?? '{}'))
const cluster = await createCluster({ store, bus, drainMs: 1 })
const server = createEverythingServer({ store, bus, ...cluster.server })
await cluster.shareChanges(server)
const http = await serveHttp(server, { port: 0, path: '/mcp', sharing: cluster.sharing })
console.log(http.url)

process.once('SIGTERM', () => {
  void http.close().then(async () => {
    await cluster.close()
    process.exit(0)
  })
})
