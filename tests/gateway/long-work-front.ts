/** A gateway that keeps its tasks in a file, as a process to be ended: `long-work-front.ts <file> <URL of the server>`. */

import { defineServer } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { openState } from '@portico/host/state'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'

const [file = '', url = ''] = process.argv.slice(2)
const upstreams = createUpstreams({ watchdog: false })
const catalogue = createCatalogue(upstreams, { patienceMs: 30_000 })
await upstreams.set([defineServer('far', { kind: 'http', url, headers: {} }, { tasksAfterMs: 0 })])
await catalogue.list()
const { store, bus, close } = await openState({ sqlite: file })
const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, tasks: { store, bus } })
const listening = await serveGateway(gateway, { port: 0, graceMs: 200 })
console.log(listening.url)

process.once('SIGTERM', async () => {
  await gateway.close(0)
  await listening.close()
  catalogue.close()
  await upstreams.close()
  await close()
})
