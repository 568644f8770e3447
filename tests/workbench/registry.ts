/** A registry for the lab: what a trial lists there is found by the words of its names, as the official one finds it. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Registry {
  readonly url: string
  /** What is published, as `server.json` says it. */
  entries: readonly { readonly name: string; readonly [member: string]: unknown }[]
  /** Searches for this word fail. */
  readonly broken: string
  close(): void
}

export async function startRegistry(): Promise<Registry> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry')
    const word = searchParams.get('search') ?? ''
    const isKnown = pathname === '/v0/servers' && word !== registry.broken
    const servers = registry.entries.filter(({ name }) => name.includes(word)).map((entry) => ({ server: entry }))
    response.writeHead(isKnown ? 200 : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? { servers, metadata: { count: servers.length } } : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const registry: Registry = {
    // A server on a port has an address of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries: [],
    broken: 'out-of-order',
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return registry
}
