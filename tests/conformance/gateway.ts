/**
 * The fixture behind the gateway: what `--gateway` runs the server suites against. The gateway reaches the fixture over
 * HTTP, by the newest revision unless `UPSTREAM` names another, and shows its items under their own names.
 */

import { DEFAULT_SETTINGS, type ServerConfig } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import type { ProtocolVersion } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createEverythingServer } from './fixture/everything.ts'

const behind = await serveHttp(createEverythingServer(), { port: 0, path: '/mcp' })
const versions = process.env.UPSTREAM as ProtocolVersion | undefined
const upstreams = createUpstreams({
  resolve: async () => ({ target: behind.url, options: versions === undefined ? {} : { versions } }),
})
const catalogue = createCatalogue(upstreams, { patienceMs: 10_000 })
const config: ServerConfig = {
  name: 'fixture',
  target: { kind: 'http', url: behind.url, headers: {} },
  settings: { ...DEFAULT_SETTINGS, trusted: true },
  place: { file: 'conformance/gateway.ts', path: 'fixture' },
  fingerprint: 'fixture',
}
await upstreams.set([config])
await catalogue.list()
const gateway = createGateway({ upstreams, catalogue }, { allowAnonymous: true, ownNames: true })
const listening = await serveGateway(gateway, { port: Number(process.env.PORT ?? 3000), path: '/mcp' })
console.log(`conformance gateway on ${listening.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await listening.close()
    catalogue.close()
    await upstreams.close()
    await behind.close()
  })
}
