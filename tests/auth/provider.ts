/** A real authorization server (`oidc-provider`) on this machine, and a server of ours that it protects. */

import { randomBytes } from 'node:crypto'
import { createServer as createNodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireBearer } from '@portico/sdk/bearer'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'

export const CLIENT_DOCUMENT = 'https://client.example/oauth.json'
export const JOB = { clientId: 'job', clientSecret: 'a secret that is long enough for anybody' }

export interface Lab {
  readonly issuer: string
  readonly url: string
  /** Requests to the authorization server: method, path, and the grant type if there is one. */
  readonly asked: string[]
  stop(): Promise<void>
}

export interface LabOptions {
  readonly ttlSeconds?: number
  readonly nonces?: boolean
  /** The public key of the client `signer`, as a JWK. */
  readonly signer?: object
  readonly dpopRequired?: boolean
  /** Clients that are known from the start, as the library takes them. */
  readonly clients?: readonly object[]
}

export interface Issuer {
  readonly issuer: string
  /** Requests to it: method, path, and the grant type if there is one. */
  readonly asked: string[]
  /** All that requests brought: headers, queries and parameters, as text. */
  readonly seen: string[]
  stop(): Promise<void>
}

/** The authorization server alone, for whatever resource asks for its tokens. */
export async function startIssuer(options: LabOptions = {}): Promise<Issuer> {
  const node = createNodeServer()
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const asked: string[] = []
  const seen: string[] = []
  const provider = await createProvider(issuer, options)
  provider.use(async (ctx, next) => {
    await next()
    const { params = {} } = ctx.oidc ?? {}
    asked.push([ctx.method, ctx.path, params.grant_type].filter(Boolean).join(' '))
    seen.push(JSON.stringify([ctx.url, ctx.headers, params]))
  })
  node.on('request', provider.callback())
  return {
    issuer,
    asked,
    seen,
    async stop() {
      node.closeAllConnections()
      await new Promise((resolve) => node.close(resolve))
    },
  }
}

export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { issuer, asked, stop } = await startIssuer(options)
  const http = await protect(issuer, options)
  return {
    issuer,
    url: http.url,
    asked,
    async stop() {
      await http.close()
      await stop()
    },
  }
}

/** The part of the library that is used here; it brings no types of its own. */
interface Provider {
  use(middleware: (ctx: ProviderContext, next: () => Promise<void>) => Promise<void>): void
  callback(): (req: unknown, res: unknown) => void
}

interface ProviderContext {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly headers: object
  readonly oidc?: { readonly params?: { readonly grant_type?: string } }
}

async function createProvider(
  issuer: string,
  { ttlSeconds = 3_600, nonces = false, signer, clients = [] }: LabOptions,
): Promise<Provider> {
  // The library uses this function of newer Nodes.
  const urls = URL as unknown as { parse?: (text: string, base?: string) => URL | null }
  urls.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null)
  const name = 'oidc-provider'
  const { default: Library } = (await import(name)) as { default: new (issuer: string, options: object) => Provider }
  const { exportJWK, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256', kid: 'lab' }
  const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  return new Library(issuer, {
    clients: [
      { ...machine, client_id: JOB.clientId, client_secret: JOB.clientSecret },
      ...(signer === undefined
        ? []
        : [
            {
              ...machine,
              client_id: 'signer',
              token_endpoint_auth_method: 'private_key_jwt',
              jwks: { keys: [signer] },
            },
          ]),
      ...clients,
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { clientAuthSigningAlgValues: ['ES256'], idTokenSigningAlgValues: ['ES256'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    fetch: async (url: string | URL, init: RequestInit) => {
      return String(url) === CLIENT_DOCUMENT ? Response.json(clientDocument) : fetch(url, init)
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => nonces },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx: unknown, resource: string) => ({
          audience: resource,
          scope: 'read write',
          accessTokenFormat: 'jwt',
          accessTokenTTL: ttlSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
}

const clientDocument = {
  client_id: CLIENT_DOCUMENT,
  client_name: 'A client with a document',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1:8765/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

async function protect(issuer: string, { nonces = false, dpopRequired = false }: LabOptions): Promise<HttpServer> {
  const server = createServer({
    name: 'lab',
    version: '1.0.0',
    tools: {
      look: tool({ description: 'Needs read', scopes: ['read'] }, () => 'seen'),
      change: tool({ description: 'Needs write', scopes: ['write'], challenge: 'step-up' }, () => 'changed'),
    },
  })
  const port = await freePort()
  const auth = requireBearer({
    issuer,
    resource: `http://127.0.0.1:${port}/mcp`,
    scopesSupported: ['read'],
    cacheMs: 0,
    dpop: { required: dpopRequired, nonce: nonces },
  })
  return serveHttp(server, { port, auth })
}

/** Where a server will listen that has to be known before it does: its address is what tokens are issued for. */
export async function freePort(): Promise<number> {
  const probe = createNodeServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
