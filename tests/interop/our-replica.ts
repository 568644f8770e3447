/** The server under test as one of several replicas: told what they share and how it is to be, it says its address. */

import { createCluster } from '@portico/host/cluster'
import { openState } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createInteropServer } from './our-server.ts'

const [setting = '{}', options = '{}'] = process.argv.slice(2)
const { store, bus } = await openState(JSON.parse(setting))
const cluster = await createCluster({ store, bus, drainMs: 1, onError: () => undefined })
const server = createInteropServer(JSON.parse(options), { store, ...cluster.server })
await cluster.shareChanges(server)
const http = await serveHttp(server, { port: 0, graceMs: 500, sharing: cluster.sharing })
console.log(http.url)

process.once('SIGTERM', () => {
  void http.close().then(async () => {
    await cluster.close()
    process.exit(0)
  })
})
