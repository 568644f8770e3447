/**
 * A small world to sign in to, on real sockets: an authorization server with every duty and, on request, every vice, and
 * a protected MCP server beside it. Records what both were asked.
 */

import { createHash, randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UserAgent } from '../src/auth/user-agent/user-agent.ts'
import { createHttpHandler } from '../src/serve/adapters/http.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

export interface Recorded {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly form: URLSearchParams
}

type Json = { readonly [name: string]: unknown }

export interface Vices {
  /** Changes to the metadata documents; undefined members are left out. */
  readonly issuer?: (issuer: string) => Json
  readonly resource?: (server: string) => Json
  /** Changes to the parameters that the person comes back with. */
  readonly callback?: (params: URLSearchParams) => void
  readonly token?: (form: URLSearchParams) => Json | undefined
  readonly register?: () => { readonly status: number; readonly body: Json }
  /** The challenge, in place of the proper one. */
  readonly challenge?: (metadata: string) => string
  readonly scopeFor?: (body: string) => string | undefined
  readonly expiresIn?: number
}

export class World {
  readonly toIssuer: Recorded[] = []
  readonly toServer: Recorded[] = []
  readonly vices: Vices
  issuer = ''
  server = ''
  /** Access tokens that are good, with their scopes. */
  readonly tokens = new Map<string, Set<string>>()
  readonly refreshTokens = new Map<string, Set<string>>()
  readonly #codes = new Map<string, { readonly challenge: string; readonly scope: string }>()
  readonly #servers: Server[] = []

  constructor(vices: Vices = {}) {
    this.vices = vices
  }

  static async start(vices?: Vices): Promise<World> {
    const world = new World(vices)
    world.issuer = await world.listen((req, res) => void world.#issue(req, res))
    const handle = createHttpHandler(demo)
    const origin = await world.listen((req, res) => void world.#protect(req, res, () => handle(req, res)))
    world.server = `${origin}/mcp`
    return world
  }

  async listen(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
    const server = createHttpServer(handle)
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  /** A person who agrees to everything. */
  get person(): UserAgent & { readonly pages: URL[]; readonly added: (readonly string[] | undefined)[] } {
    const pages: URL[] = []
    const added: (readonly string[] | undefined)[] = []
    return {
      pages,
      added,
      redirectUri: () => 'http://127.0.0.1:7777/callback',
      async open(page, signal, more) {
        pages.push(page)
        added.push(more)
        const answer = await fetch(page, { redirect: 'manual', signal })
        return new URL(answer.headers.get('location') ?? '').searchParams
      },
    }
  }

  asked(path: string): Recorded[] {
    return this.toIssuer.filter(({ url }) => url.pathname === path)
  }

  grants(type: string): Recorded[] {
    return this.asked('/token').filter(({ form }) => form.get('grant_type') === type)
  }

  async #issue(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await record(req, this.issuer)
    this.toIssuer.push(request)
    const { pathname } = request.url
    if (pathname === '/.well-known/oauth-authorization-server') json(res, 200, this.#metadata())
    else if (pathname === '/register') this.#register(res)
    else if (pathname === '/authorize') this.#authorize(request, res)
    else if (pathname === '/token') this.#token(request, res)
    else if (pathname === '/revoke') {
      for (const known of [this.tokens, this.refreshTokens]) known.delete(request.form.get('token') ?? '')
      res.writeHead(200).end()
    } else res.writeHead(404).end()
  }

  #metadata(): Json {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.vices.issuer?.(issuer),
    }
  }

  #register(res: ServerResponse): void {
    const { status, body } = this.vices.register?.() ?? { status: 201, body: { client_id: `client-${randomUUID()}` } }
    json(res, status, body)
  }

  #authorize({ url }: Recorded, res: ServerResponse): void {
    const { searchParams: params } = url
    const code = randomUUID()
    this.#codes.set(code, { challenge: params.get('code_challenge') ?? '', scope: params.get('scope') ?? '' })
    const back = new URL(params.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', params.get('state') ?? '')
    back.searchParams.set('iss', this.issuer)
    this.vices.callback?.(back.searchParams)
    res.writeHead(302, { location: back.href }).end()
  }

  #token({ form }: Recorded, res: ServerResponse): void {
    const special = this.vices.token?.(form)
    if (special !== undefined) {
      json(res, 'error' in special ? 400 : 200, special)
      return
    }
    const scopes = this.#redeem(form)
    if (scopes === undefined) {
      json(res, 400, { error: 'invalid_grant', error_description: 'used up' })
      return
    }
    const access = `secret-access-${randomUUID()}`
    const refresh = `secret-refresh-${randomUUID()}`
    this.tokens.set(access, scopes)
    this.refreshTokens.set(refresh, scopes)
    json(res, 200, {
      access_token: access,
      token_type: 'Bearer',
      refresh_token: refresh,
      expires_in: this.vices.expiresIn ?? 3_600,
    })
  }

  /** What a grant is good for, if for anything; it is used up by this. */
  #redeem(form: URLSearchParams): Set<string> | undefined {
    if (form.get('grant_type') === 'authorization_code') {
      const code = this.#codes.get(form.get('code') ?? '')
      this.#codes.delete(form.get('code') ?? '')
      const digest = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      return code?.challenge === digest ? new Set(code.scope.split(' ')) : undefined
    }
    if (form.get('grant_type') === 'refresh_token') {
      const scopes = this.refreshTokens.get(form.get('refresh_token') ?? '')
      this.refreshTokens.delete(form.get('refresh_token') ?? '')
      return scopes
    }
    return new Set(form.get('scope')?.split(' '))
  }

  async #protect(req: IncomingMessage, res: ServerResponse, next: () => void): Promise<void> {
    const origin = new URL(this.server).origin
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    if (req.url === '/.well-known/oauth-protected-resource/mcp') {
      this.toServer.push({ ...(await record(req, origin)) })
      const document = { resource: this.server, authorization_servers: [this.issuer] }
      return json(res, 200, { ...document, ...this.vices.resource?.(this.server) })
    }
    if (req.url !== '/mcp') return void res.writeHead(404).end()
    const url = new URL(req.url, origin)
    this.toServer.push({ method: req.method ?? '', url, headers: req.headers, body: '', form: new URLSearchParams() })
    const scopes = this.tokens.get(req.headers.authorization?.replace(/^Bearer /, '') ?? '')
    const challenge = this.vices.challenge?.(metadata) ?? `Bearer resource_metadata="${metadata}"`
    if (scopes === undefined) return void res.writeHead(401, { 'www-authenticate': challenge }).end()
    const needed = this.vices.scopeFor?.(String(req.headers['mcp-method'] ?? ''))
    if (needed !== undefined && !needed.split(' ').every((scope) => scopes.has(scope))) {
      const more = `${challenge}, error="insufficient_scope", scope="${needed}"`
      return void res.writeHead(403, { 'www-authenticate': more }).end()
    }
    next()
  }
}

const demo = createServer({
  name: 'demo',
  version: '1.0.0',
  tools: { hello: tool({ description: 'Greets' }, () => 'hello') },
})

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function record(req: IncomingMessage, origin: string): Promise<Recorded> {
  let body = ''
  for await (const chunk of req) body += chunk
  const { method = '', headers } = req
  return { method, url: new URL(req.url ?? '/', origin), headers, body, form: new URLSearchParams(body) }
}
