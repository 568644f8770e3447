/** Chooses how this runtime speaks HTTP. Apart from `http-client.ts`, so that the implementations can take their types from it. */

import type { TlsIdentity } from '../../auth/tls-identity.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { FetchFunction, HttpDialer } from './http-client.ts'

/** The dialer for this runtime. `node:` modules are loaded only where they exist, so that bundles for the web stay clean. */
export async function createDialer(fetch?: FetchFunction, tls?: TlsIdentity): Promise<HttpDialer> {
  if (fetch === undefined && isNode()) {
    const { createNodeDialer } = await import('./http-client-node.ts')
    return createNodeDialer(tls)
  }
  if (tls !== undefined) {
    throw new PorticoError('connect-failed', '`tls` needs the HTTP of Node', { delivery: 'not-sent' })
  }
  const { createFetchDialer } = await import('./http-client-fetch.ts')
  return createFetchDialer(fetch ?? ((url, init) => globalThis.fetch(url, init)))
}

function isNode(): boolean {
  const runtime = globalThis as { process?: { versions?: { node?: string } }; Bun?: unknown; Deno?: unknown }
  return runtime.process?.versions?.node !== undefined && runtime.Bun === undefined && runtime.Deno === undefined
}
