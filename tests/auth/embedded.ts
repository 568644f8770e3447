/** The authorization server of `@portico/host` on this machine, and a server that it protects and asks about tokens. */

import { createServer as createNodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'

export interface Embedded {
  readonly issuer: string
  readonly url: string
  /** How often a path of the authorization server was posted to. */
  posts(path: string): number
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly accessTokenSeconds?: number
  /** Tokens that the server asks about at each use, so that revoking one counts at once. */
  readonly opaque?: boolean
}

export async function startEmbedded({ accessTokenSeconds, opaque = false }: EmbeddedOptions): Promise<Embedded> {
  const node = createNodeServer()
  const issuer = `http://127.0.0.1:${await listen(node)}`
  const probe = createNodeServer()
  const port = await listen(probe)
  await new Promise((resolve) => probe.close(resolve))
  const resource = `http://127.0.0.1:${port}/mcp`
  const asker = { client_id: 'server', client_secret: 'a secret of the server alone' }
  const { handler } = createAuthorizationServer({
    issuer,
    resources: [resource],
    scopes: ['read', 'write'],
    users: { alice: 'correct horse' },
    clients: [{ ...asker, redirect_uris: [], grant_types: [], response_types: [] }],
    tokenFormat: opaque ? 'opaque' : 'jwt',
    ...(accessTokenSeconds !== undefined && { accessTokenSeconds }),
  })
  const posted: string[] = []
  node.on('request', (req, res) => {
    if (req.method === 'POST') posted.push(req.url ?? '')
    handler(req, res)
  })
  const introspection = {
    endpoint: `${issuer}/token/introspection`,
    clientId: asker.client_id,
    clientSecret: asker.client_secret,
  }
  const auth = requireBearer({
    issuer,
    resource,
    scopesSupported: ['read'],
    cacheMs: 0,
    ...(opaque && { introspection }),
  })
  const http = await serveHttp(createTools(), { port, auth })
  return {
    issuer,
    url: http.url,
    posts: (path) => posted.filter((one) => one === path).length,
    async stop() {
      await http.close()
      node.closeAllConnections()
      await new Promise((resolve) => node.close(resolve))
    },
  }
}

function createTools() {
  return createServer({
    name: 'lab',
    version: '1.0.0',
    tools: {
      look: tool({ description: 'Needs read', scopes: ['read'] }, (_, ctx) => `seen by ${ctx.principal?.claims?.sub}`),
      change: tool({ description: 'Needs write', scopes: ['write'], challenge: 'step-up' }, () => 'changed'),
    },
  })
}

function listen(node: ReturnType<typeof createNodeServer>): Promise<number> {
  return new Promise((resolve) => {
    // A server on a port has an address of this kind.
    node.listen(0, '127.0.0.1', () => resolve((node.address() as AddressInfo).port))
  })
}
