/** The servers behind the gateway: the one of `tests/interop/` on our packages, and its likeness on the official ones. */

import { serveHttp } from '@portico/sdk/http'
import { serveWebSocket } from '@portico/sdk/websocket'
import { createInteropServer } from '../interop/our-server.ts'
import { openSdk1Http } from '../interop/peers/sdk-1-http.ts'
import { openSdk2Http } from '../interop/peers/sdk-2-http.ts'
import { type Command, toCommand } from '../interop/server-under-test.ts'
import type { Variant } from './variants.ts'

/** Where a server is: a program to start, or a URL. Plain, so that it can be given to a program as an argument. */
export type Place = Command | { readonly url: string }

export interface OpenServer {
  readonly place: Place
  close(): Promise<void>
}

export async function openServer({ maker, way }: Variant): Promise<OpenServer> {
  if (way === 'stdio') {
    const file = maker === 'ours' ? '../interop/our-stdio.ts' : `../interop/peers/${maker}-stdio.ts`
    return { place: toCommand(new URL(file, import.meta.url)), close: async () => {} }
  }
  if (maker === 'ours') return openOurs(way)
  const listening = await (maker === 'sdk-1' ? openSdk1Http() : openSdk2Http())
  return { place: { url: `${listening.origin}${way === 'sse' ? '/sse' : '/mcp'}` }, close: listening.close }
}

async function openOurs(way: 'http' | 'sse' | 'ws'): Promise<OpenServer> {
  const server = createInteropServer()
  if (way === 'ws') {
    const listening = await serveWebSocket(server, { port: 0 })
    return { place: { url: listening.url }, close: () => listening.close() }
  }
  const listening = await serveHttp(server, { port: 0, graceMs: 200 })
  const url = way === 'sse' ? new URL('/sse', listening.url).href : listening.url
  return { place: { url }, close: () => listening.close() }
}
