/** Portico's gateway in front of the bare server: on pipes, or so many times on HTTP. */

import { defineServer } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { command, startHttp } from '../clients/target.ts'
import { announce } from '../control.ts'
import { serverName } from '../load/messages.ts'

const [kind, count = '1'] = process.argv.slice(2)
const upstreams = createUpstreams()
const catalogue = createCatalogue(upstreams)
if (kind === 'stdio') {
  await upstreams.set([defineServer('bare', { kind: 'stdio', ...command, env: {} })])
} else {
  const url = await startHttp()
  const places = Array.from({ length: Number(count) }, (_, at) => serverName(at))
  // One process, and an address for each.
  await upstreams.set(places.map((name) => defineServer(name, { kind: 'http', url: `${url}?at=${name}`, headers: {} })))
}
await catalogue.list()
const gateway = createGateway(
  { upstreams, catalogue },
  { allowAnonymous: true, ownNames: kind === 'stdio', limits: { callsPerMinute: Number.MAX_SAFE_INTEGER } },
)
const { port } = await serveGateway(gateway, { port: 0, path: '/mcp' })
announce(port)
