/**
 * A gateway between two authorization servers: one whose tokens let users in, and one that protects the servers behind.
 * Everything that crosses either side is kept, so that a case can look for what must not be there.
 */

import { createServer as createNodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { DEFAULT_SETTINGS, type ServerConfig } from '@portico/host/config'
import {
  createGateway,
  createSignIn,
  createSignInPages,
  type Gateway,
  type SignIn,
  serveGateway,
  toSignInListener,
} from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { authorizationCode, createMemoryTokenStore, type TokenStore } from '@portico/sdk/auth'
import { requireBearer } from '@portico/sdk/bearer'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createPerson, type Person } from './person.ts'
import { freePort, type Issuer, startIssuer } from './provider.ts'

export interface SiteOptions {
  /** The gateway is one and the same client at the servers' authorization server, for whoever calls it. */
  readonly staticClient?: boolean
  readonly signInMs?: number
}

export interface Site {
  readonly url: string
  /** Where the gateway's own pages are. */
  readonly pages: string
  readonly front: Issuer
  readonly behind: Issuer
  readonly gateway: Gateway
  readonly signIn: SignIn
  /** What the gateway keeps of the servers' tokens, by key. */
  readonly kept: ReadonlyMap<string, string>
  /** The text of every request that reached a server behind the gateway: its address and headers. */
  readonly atServers: string[]
  /** The text of everything that the gateway sent to its clients. */
  readonly toClients: string[]
  /** The bearer tokens that clients brought, and those that servers were given. */
  readonly clientTokens: Set<string>
  readonly serverTokens: Set<string>
  /** Tokens that the servers refuse from now on. */
  readonly refused: Set<string>
  connect(user: string, options?: ConnectOptions, person?: Person): Promise<Client>
  stop(): Promise<void>
}

export const SERVERS = ['mail', 'files'] as const
export const STATIC_CLIENT = 'the-gateway'

export async function startSite({ staticClient = false, signInMs }: SiteOptions = {}): Promise<Site> {
  const stops: (() => Promise<unknown>)[] = []
  const pages = `http://127.0.0.1:${await freePort()}/sign-in`
  // Tokens at the gateway outlast those of the servers, whose end is what some cases are about.
  const front = await startIssuer({ ttlSeconds: 36_000 })
  const behind = await startIssuer({ ttlSeconds: 900, clients: staticClient ? [toClient(`${pages}/callback`)] : [] })
  stops.push(front.stop, behind.stop)
  const serverTokens = new Set<string>()
  const refused = new Set<string>()
  const atServers: string[] = []
  const servers = new Map<string, HttpServer>()
  for (const name of SERVERS) {
    const server = await openServer(name, behind.issuer, serverTokens, refused)
    server.node.prependListener('request', (req) => atServers.push(JSON.stringify([req.url, req.headers])))
    servers.set(name, server)
    stops.push(() => server.close())
  }

  const kept = new Map<string, string>()
  /** Principal ids by the names that people sign in with. */
  const ids = new Map<string, string>()
  const signIn = createSignIn({
    url: pages,
    store: watched(createMemoryTokenStore(), kept),
    scopes: () => ['read', 'offline_access'],
    // The gateway's web session is the embedding program's; here, a cookie that names the user.
    whoIs: (request) => ids.get(/gateway-user=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
    ...(signInMs !== undefined && { signInMs }),
    ...(staticClient && { client: { client: { clientId: STATIC_CLIENT, issuer: behind.issuer } } }),
  })
  const { origin, port: pagesPort } = new URL(pages)
  const desk = createNodeServer(toSignInListener(createSignInPages(signIn), origin))
  await new Promise<void>((resolve) => desk.listen(Number(pagesPort), '127.0.0.1', resolve))
  stops.push(async () => {
    desk.closeAllConnections()
    desk.close()
  })

  const upstreams = createUpstreams({
    watchdog: false,
    resolve: async ({ name }, { principal }) => ({
      target: servers.get(name)?.url ?? '',
      options: principal === undefined ? {} : signIn.connectOptions(name, principal),
    }),
  })
  const catalogue = createCatalogue(upstreams)
  await upstreams.set(SERVERS.map(configOf))
  const gateway = createGateway(
    { upstreams, catalogue },
    { onError: () => {}, signIn, personal: () => true, visits: { visitMs: 3_000 } },
  )
  const clientTokens = new Set<string>()
  const toClients: string[] = []
  const port = await freePort()
  const bearer = requireBearer({ issuer: front.issuer, resource: `http://127.0.0.1:${port}/mcp`, scopes: ['read'] })
  const http = await serveGateway(gateway, {
    port,
    graceMs: 0,
    auth: {
      ...bearer,
      authenticate: async (head) => {
        const token = tokenOf(head.header('authorization'))
        if (token !== undefined) clientTokens.add(token)
        const found = await bearer.authenticate(head)
        if (found !== undefined && 'id' in found) ids.set(String(found.claims?.sub), found.id)
        return found
      },
    },
  })
  http.http.node.on('connection', (socket) => record(socket, toClients))
  stops.push(
    () => upstreams.close(),
    async () => catalogue.close(),
    () => http.close(),
  )
  return {
    url: http.url,
    pages,
    front,
    behind,
    gateway,
    signIn,
    kept,
    atServers,
    toClients,
    clientTokens,
    serverTokens,
    refused,
    async connect(user, options = {}, person = createPerson(user)) {
      const client = await connect(http.url, {
        auth: { grant: authorizationCode({ userAgent: person }), scopes: ['read'] },
        negotiations: false,
        timeouts: { callMs: 60_000 },
        ...options,
      })
      stops.push(() => client.close())
      return client
    },
    async stop() {
      for (const stop of stops.reverse()) await stop()
    },
  }
}

async function openServer(
  name: string,
  issuer: string,
  tokens: Set<string>,
  refused: ReadonlySet<string>,
): Promise<HttpServer> {
  const port = await freePort()
  const bearer = requireBearer({ issuer, resource: `http://127.0.0.1:${port}/mcp`, scopes: ['read'], cacheMs: 0 })
  const server = createServer({
    name,
    version: '1.0.0',
    tools: { whoami: tool({}, (_args, ctx) => String(ctx.principal?.claims?.sub)) },
  })
  return serveHttp(server, {
    port,
    graceMs: 0,
    auth: {
      ...bearer,
      authenticate: (head) => {
        const token = tokenOf(head.header('authorization'))
        if (token === undefined || !refused.has(token)) {
          if (token !== undefined) tokens.add(token)
          return bearer.authenticate(head)
        }
        return { status: 401, message: 'revoked', headers: ['www-authenticate', 'Bearer error="invalid_token"'] }
      },
    },
  })
}

function toClient(redirectUri: string): object {
  return {
    client_id: STATIC_CLIENT,
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

function configOf(name: string): ServerConfig {
  return {
    name,
    target: { kind: 'in-process', module: name, options: {} },
    settings: { ...DEFAULT_SETTINGS, lazy: true },
    place: { file: 'tests/auth', path: name },
    fingerprint: name,
  }
}

function tokenOf(header: string | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(header ?? '')?.[1]
}

function watched(store: TokenStore, kept: Map<string, string>): TokenStore {
  return {
    get: (key) => store.get(key),
    set: async (key, value) => {
      await store.set(key, value)
      kept.set(key, value)
    },
    delete: async (key) => {
      await store.delete(key)
      kept.delete(key)
    },
    withLock: (key, action) => store.withLock(key, action),
  }
}

/** Keeps what is written to a client: heads and bodies. */
function record(socket: Socket, texts: string[]): void {
  const { write } = socket
  socket.write = (...args: unknown[]): boolean => {
    const [chunk] = args
    if (typeof chunk === 'string') texts.push(chunk)
    else if (chunk instanceof Uint8Array) texts.push(Buffer.from(chunk).toString())
    return Reflect.apply(write, socket, args)
  }
}
