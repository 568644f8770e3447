/** A new host with so many live servers and dead ones: how long until a live one has answered a call. */

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { defineServer, type ServerConfig } from '@portico/host/config'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { SUM, startHttp } from '../clients/target.ts'
import { announceTimed } from '../control.ts'

const [live = 0, dead = 0] = process.argv.slice(2).map(Number)
const url = await startHttp()
// Takes connections and says nothing.
const silent = createServer(() => {}).listen(0, '127.0.0.1')
await once(silent, 'listening')
const mute = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`

const configs: readonly ServerConfig[] = [
  // The dead come first: whoever took them one after the other would show it.
  ...[
    defineServer('nobody', { kind: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} }),
    defineServer('mute', { kind: 'http', url: mute, headers: {} }),
    defineServer('missing', { kind: 'stdio', command: '/nonexistent/server', args: [], env: {} }),
  ].slice(0, dead),
  ...Array.from({ length: live }, (_, at) =>
    defineServer(`live${at}`, { kind: 'http', url: `${url}?at=${at}`, headers: {} }),
  ),
]

announceTimed(async () => {
  const start = performance.now()
  const upstreams = createUpstreams()
  const catalogue = createCatalogue(upstreams)
  void upstreams.set(configs)
  const client = await upstreams.client(`live${live - 1}`)
  await client.callTool(SUM.name, SUM.arguments)
  const took = performance.now() - start
  catalogue.close()
  await upstreams.close()
  return took
})
