/** The server under test, opened for clients: as a program to start, or listening on a free port. */

import { serveHttp } from '@portico/sdk/http'
import { createInteropServer, type InteropServerOptions } from '../our-server.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { toCommand } from '../server-under-test.ts'

export type Way = 'stdio' | 'http' | 'sse'

/** Serves on a port. */
export type Listen = (options: InteropServerOptions) => Promise<{ readonly url: string; close(): Promise<void> }>

/** Where it listens: in this process, unless a suite has it served elsewhere. */
export const place: { listen: Listen } = {
  listen: (options) => serveHttp(createInteropServer(options), { port: 0, graceMs: 500 }),
}

export async function openOurs(way: Way, options: InteropServerOptions = {}): Promise<ServerUnderTest> {
  if (way === 'stdio') {
    const args = options.pageSize === undefined ? [] : ['--page-size', String(options.pageSize)]
    const command = toCommand(new URL('../our-stdio.ts', import.meta.url), args)
    return { maker: 'ours', address: { kind: 'stdio', command }, close: async () => {} }
  }
  const listening = await place.listen(options)
  const url = way === 'sse' ? new URL('/sse', listening.url).href : listening.url
  return { maker: 'ours', address: { kind: way, url }, close: () => listening.close() }
}
