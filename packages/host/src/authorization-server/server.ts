/**
 * An authorization server for development and small teams, so that the whole flow runs on one machine: `oidc-provider`
 * with pages of our own and memory for storage. `@portico/sdk/bearer` protects servers with what it issues.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { cannotListen } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { ClientMetadata, JWKS } from 'oidc-provider'
import { createConfiguration } from './configuration.ts'
import { Interactions } from './interaction.ts'
import { FRAME_HEADERS } from './page-response.ts'
import { Provider } from './provider.ts'
import { type GateRefusal, RequestGate } from './request-gate.ts'
import { type User, Users } from './users.ts'

/** Options of `createAuthorizationServer`: who may sign in, for which servers, and how long tokens hold. */
export interface AuthorizationServerOptions {
  /** The URL under which it is reached: `https`, or `http` on this machine. */
  readonly issuer: string
  /** The servers that tokens can be asked for, by the URL that each calls its `resource`. */
  readonly resources: readonly string[]
  /** Scopes that can be granted for them. */
  readonly scopes?: readonly string[]
  /** Who may sign in, by name: a password, or more about each. Either this or `password`. */
  readonly users?: { readonly [name: string]: string | User }
  /** The password of the only user, whose name is `owner`. */
  readonly password?: string
  /** Clients that are known beforehand, in the words of RFC 7591. */
  readonly clients?: readonly RegisteredClient[]
  /** Private keys to sign with; new ones at each start by default. */
  readonly jwks?: { readonly keys: readonly object[] }
  /** `opaque` tokens can be revoked at once, by servers that use introspection. `jwt` by default. */
  readonly tokenFormat?: 'jwt' | 'opaque'
  /** 15 minutes unless given. */
  readonly accessTokenSeconds?: number
  /** 14 days unless given. */
  readonly refreshTokenSeconds?: number
  /** Fetches the documents of clients. */
  readonly fetch?: typeof fetch
  /** Whether TLS ends at a proxy in front whose `X-Forwarded-*` headers are to be believed. */
  readonly trustProxy?: boolean
}

/** A client's metadata, as RFC 7591 names it. */
export interface RegisteredClient {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris?: readonly string[]
  readonly [name: string]: unknown
}

/**
 * An OAuth 2.1 authorization server with a sign-in page, for a server of your own on this machine or behind a proxy.
 */
export interface AuthorizationServer {
  readonly issuer: string
  /** For a server of your own; every path of the issuer's origin belongs to it. */
  readonly handler: (req: IncomingMessage, res: ServerResponse) => void
  /** Listens where the issuer's URL says, on this machine alone. */
  listen(): Promise<{ close(): Promise<void> }>
}

const OWNER = 'owner'

/**
 * Makes an authorization server whose tokens protect your own MCP servers, for those who have none elsewhere. Give
 * either `users` or the `password` of a single user.
 *
 * @example
 * ```ts
 * import { createAuthorizationServer } from '@portico/host/authorization-server'
 *
 * const issuer = 'http://127.0.0.1:3001'
 * const password = crypto.randomUUID()
 * const issuing = await createAuthorizationServer({ issuer, password, resources: ['http://127.0.0.1:3000/mcp'] }).listen()
 * await issuing.close()
 * ```
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const issuer = checkIssuer(options.issuer)
  if ((options.users === undefined) === (options.password === undefined)) {
    throw new PorticoError('invalid-definition', 'Give either users or password')
  }
  const twice = options.clients?.find(({ client_id: id }) => isUser(options, id))
  if (twice !== undefined) {
    // Tokens name both in the same claim (RFC 9068, 5): the one must not pass for the other.
    throw new PorticoError('invalid-definition', `"${twice.client_id}" is both a client and a user`)
  }
  const users = new Users(options.users ?? { [OWNER]: options.password ?? '' })
  const sources = new AsyncLocalStorage<string>()
  const configuration = createConfiguration({
    issuer: options.issuer,
    resources: options.resources,
    scopes: options.scopes ?? [],
    // The library checks both when it starts, in full.
    clients: (options.clients ?? []) as readonly ClientMetadata[],
    jwks: options.jwks as JWKS | undefined,
    tokenFormat: options.tokenFormat ?? 'jwt',
    accessTokenSeconds: options.accessTokenSeconds ?? 15 * 60,
    refreshTokenSeconds: options.refreshTokenSeconds ?? 14 * 24 * 3600,
    users,
    fetch: options.fetch,
    source: () => sources.getStore(),
  })
  const provider = new Provider(options.issuer, configuration)
  provider.proxy = options.trustProxy === true
  const singleUser = options.users === undefined ? OWNER : undefined
  const gate = new RequestGate(issuer, options.trustProxy === true)
  const sourceOf = (req: IncomingMessage) => gate.sourceOf(req)
  const interactions = new Interactions({ provider, users, singleUser, origin: issuer.origin, sourceOf })
  const serveProtocol = provider.callback()

  function handler(req: IncomingMessage, res: ServerResponse): void {
    for (const [name, value] of Object.entries(FRAME_HEADERS)) res.setHeader(name, value)
    const refusal = gate.judge(req)
    if (refusal !== undefined) {
      refuse(res, refusal)
      return
    }
    const path = withScope(req.url ?? '/')
    req.url = path
    if (!/^\/interaction\/[\w-]+$/.test(path)) {
      void sources.run(sourceOf(req), serveProtocol, req, res)
      return
    }
    sources
      .run(sourceOf(req), () => interactions.handle(req, res))
      .catch(() => {
        if (!res.headersSent) res.writeHead(500, { 'content-type': 'text/plain' })
        res.end('Internal error')
      })
  }

  return { issuer: options.issuer, handler, listen: () => listen(issuer, handler) }
}

function isUser({ users }: AuthorizationServerOptions, name: string): boolean {
  return users === undefined ? name === OWNER : Object.hasOwn(users, name)
}

function refuse(
  res: ServerResponse,
  { status, error, code = 'temporarily_unavailable', retryAfter }: GateRefusal,
): void {
  if (retryAfter !== undefined) res.setHeader('retry-after', retryAfter)
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  res.end(JSON.stringify({ error: code, error_description: error }))
}

/** Who names no scope gets the least there is (RFC 6749, 3.3): the library takes a grant of nothing for a refusal. */
function withScope(path: string): string {
  const query = path.startsWith('/auth?') ? new URLSearchParams(path.slice('/auth?'.length)) : undefined
  return query === undefined || query.has('scope') ? path : `${path}&scope=openid`
}

function listen({ hostname, port, protocol }: URL, handler: AuthorizationServer['handler']) {
  if (protocol !== 'http:') {
    throw new PorticoError(
      'invalid-definition',
      'listen() is for http on this machine; put handler behind TLS otherwise',
    )
  }
  const node = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, handler)
  return new Promise<{ close(): Promise<void> }>((resolve, reject) => {
    const wanted = Number(port || 80)
    node.once('error', (cause) => reject(cannotListen(`${hostname}:${wanted}`, wanted, cause)))
    node.listen(wanted, hostname.replace(/^\[|\]$/g, ''), () => {
      resolve({
        close: () =>
          new Promise((done) => {
            node.close(() => done())
            node.closeAllConnections()
          }),
      })
    })
  })
}

function checkIssuer(issuer: string): URL {
  if (!URL.canParse(issuer)) throw new PorticoError('invalid-definition', 'issuer is not a URL')
  const url = new URL(issuer)
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw new PorticoError('invalid-definition', 'issuer must be https, or http on this machine')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new PorticoError('invalid-definition', 'issuer must be an origin, without a path')
  }
  return url
}
