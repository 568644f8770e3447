/**
 * What the tests of protected servers share: an issuer with real keys that signs whatever a test wants, counts what it
 * is asked for, and answers introspection; a protected server; and requests that carry a token.
 */

import { once } from 'node:events'
import { createServer as createNodeServer, type Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type HttpOptions, type HttpServer, serveHttp } from '../src/serve/adapters/http.ts'
import { type BearerOptions, requireBearer } from '../src/serve/bearer/bearer.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { modern, type Received, type Sent, send } from './http-fixture.ts'

export const RESOURCE = 'https://mcp.example.com/mcp'

export interface Issuer {
  readonly url: string
  /** Paths asked for, in order. */
  readonly asked: string[]
  /** Tokens that introspection calls active, with what it says of them. */
  readonly active: Map<string, JWTPayload>
  readonly privateKey: CryptoKey
  readonly publicPem: Uint8Array
  /** Signs a good token, altered by `claims` and `header`; undefined takes a claim away. */
  sign(claims?: { readonly [name: string]: unknown }, header?: { readonly [name: string]: unknown }): Promise<string>
  /** Makes and publishes a new key; tokens are signed with it from now on. */
  rotate(): Promise<void>
  /** What the next requests for keys are answered with, instead of the keys. */
  fault: { status: number; body: string } | undefined
  close(): Promise<void>
}

export async function createIssuer(algorithm = 'ES256'): Promise<Issuer> {
  const asked: string[] = []
  const active = new Map<string, JWTPayload>()
  const published: object[] = []
  let keys = await generateKeyPair(algorithm, { extractable: true })
  let kid = 'key-1'
  const publish = async (): Promise<void> => {
    published.push({ ...(await exportJWK(keys.publicKey)), kid, alg: algorithm, use: 'sig' })
  }
  await publish()
  const node: NodeServer = createNodeServer(async (req, res) => {
    const path = req.url ?? ''
    asked.push(path)
    const json = (value: unknown, status = 200) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (issuer.fault !== undefined) res.writeHead(issuer.fault.status).end(issuer.fault.body)
    else if (path === '/.well-known/oauth-authorization-server')
      json({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` })
    else if (path === '/jwks') json({ keys: published })
    else if (path === '/introspect') {
      let body = ''
      for await (const chunk of req) body += chunk
      const claims = active.get(new URLSearchParams(body).get('token') ?? '')
      if (req.headers.authorization !== `Basic ${btoa('rs:s%3Acret')}`) json({}, 401)
      else json(claims === undefined ? { active: false } : { active: true, ...claims })
    } else json({}, 404)
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  const issuer: Issuer = {
    // A server that listens on a port has an address of this form.
    url: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    asked,
    active,
    privateKey: keys.privateKey,
    publicPem: new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey))),
    fault: undefined,
    sign(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000)
      const payload = {
        iss: issuer.url,
        aud: RESOURCE,
        sub: 'alice',
        scope: 'read',
        iat: now,
        exp: now + 300,
        ...claims,
      }
      return new SignJWT(withoutUndefined(payload))
        .setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt', ...header })
        .sign(keys.privateKey)
    },
    async rotate() {
      keys = await generateKeyPair(algorithm, { extractable: true })
      kid = `key-${published.length + 1}`
      await publish()
    },
    async close() {
      node.closeAllConnections()
      node.close()
      await once(node, 'close')
    },
  }
  return issuer
}

export interface Protected {
  readonly server: Server
  readonly http: HttpServer
  readonly port: number
  /** Tools that ran, with who called them. */
  readonly ran: string[]
}

/** A server with an open tool and items behind scopes, protected as given. */
export async function serveProtected(
  options: Partial<BearerOptions> & Pick<BearerOptions, 'issuer'>,
  http: HttpOptions = {},
): Promise<Protected> {
  const server = createServer({
    name: 'protected',
    version: '1.0.0',
    onError: () => {},
    tools: {
      whoami: tool({}, (_, ctx) => {
        ran.push(ctx.principal?.id ?? 'anonymous')
        return ctx.principal?.id ?? 'anonymous'
      }),
      read: tool({ scopes: ['read'] }, () => 'read'),
      hidden: tool({ scopes: ['admin'] }, () => 'hidden'),
      write: tool({ scopes: ['read', 'write'], challenge: 'step-up' }, () => 'written'),
    },
    resources: {
      secret: resource({ uri: 'file:///secret', scopes: ['admin'] }, () => 'secret'),
      ledger: resource({ uri: 'file:///ledger', scopes: ['write'], challenge: 'step-up' }, () => 'ledger'),
    },
    prompts: {
      plan: prompt(
        { scopes: ['write'], challenge: 'step-up', arguments: [{ name: 'x' }], complete: { x: () => ['one'] } },
        () => 'plan',
      ),
      plot: prompt({ scopes: ['admin'], arguments: [{ name: 'x' }], complete: { x: () => ['canary'] } }, () => 'plot'),
    },
  })
  const ran: string[] = []
  const auth = requireBearer({ resource: RESOURCE, onError: () => {}, ...options })
  const served = await serveHttp(server, { port: 0, graceMs: 500, auth, ...http })
  return { server, http: served, port: served.port, ran }
}

export function callTool(
  port: number,
  name: string,
  headers: { readonly [name: string]: string } = {},
): Promise<Received> {
  return send(port, modern('tools/call', { name, arguments: {} }, headers))
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

export function get(path: string, headers: { readonly [name: string]: string } = {}): Sent {
  return { method: 'GET', path, headers }
}

/** The parameters of the first challenge in a `WWW-Authenticate` header. */
export function challengeOf(received: Received): { readonly [name: string]: string } {
  const header = received.headers['www-authenticate'] ?? ''
  const scheme = /^(\w+)/.exec(header)?.[1] ?? ''
  return {
    scheme,
    ...Object.fromEntries([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  }
}

function withoutUndefined(claims: object): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
