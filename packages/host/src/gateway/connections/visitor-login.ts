/**
 * A browser signed in at the issuer whose tokens callers bring: the gateway asks for a token for itself, as any client of
 * it would, has it checked as any caller's, keeps who it is for, and gives the token back. Nothing is kept of a login but
 * that; each is bound to the browser that began it, and is over after ten minutes.
 */

import { randomBytes } from 'node:crypto'
import {
  type Authorizer,
  authorizationCode,
  createAuthorizer,
  createMemoryTokenStore,
  type TokenStore,
} from '@portico/sdk/auth'
import { createGuardedFetch } from '@portico/sdk/auth-node'
import type { Protection } from '@portico/sdk/bearer'
import type { Principal } from '@portico/sdk/server'
import type { GatewayClient } from '../sign-in/sign-in.ts'
import { cookieOf, page, sendTo, setCookie } from '../sign-in/sign-in-html.ts'

/** How browsers sign in at the authorization server whose tokens the gateway's callers bring. */
export interface IssuerLogin {
  /** The URL under which clients know the gateway: what its tokens are for. */
  readonly resource: string
  /** How the gateway's pages are known to the issuer: a registered client, or the metadata to register one. */
  readonly client?: GatewayClient
}

interface VisitorLoginOptions extends IssuerLogin {
  readonly protection: Protection
  readonly redirectUri: string
}

/** A login on its way through the issuer's pages. */
interface Login {
  readonly ticket: string
  readonly ending: AbortController
  /** Once the browser was sent to the issuer. */
  sent?: {
    readonly state: string
    /** Gives the issuer's answer to the grant that waits for it. */
    readonly settle: (params: URLSearchParams) => void
    readonly principal: Promise<Principal>
  }
}

interface LoggedIn {
  readonly principal: Principal
  readonly ticket: string
  readonly cookies: readonly string[]
}

const COOKIE = '__Host-portico-visitor-login'
const LOGIN_MS = 10 * 60_000
const MAX_LOGINS = 200
/** Of one ticket: who opens its link again and again ends the logins of before, and nobody else's. */
const MAX_PER_TICKET = 4

export class VisitorLogin {
  readonly #options: VisitorLoginOptions
  readonly #logins = new Map<string, Login>()
  /** How the gateway is registered; forgotten when a login fails, since the issuer may have forgotten it. */
  #registrations = createMemoryTokenStore()

  constructor(options: VisitorLoginOptions) {
    this.#options = options
  }

  /** Sends the browser to the issuer. */
  begin(ticket: string): Response | Promise<Response> {
    const others = [...this.#logins.values()].filter((one) => one.ticket === ticket)
    if (others.length >= MAX_PER_TICKET) others[0]?.ending.abort()
    else if (this.#logins.size >= MAX_LOGINS) return page(503, 'Too busy', '<p>Too many people sign in right now.</p>')
    const id = randomBytes(24).toString('base64url')
    const login: Login = { ticket, ending: new AbortController() }
    this.#logins.set(id, login)
    return new Promise<Response>((resolve) => {
      const principal = this.#run(login.ending.signal, (target, settle) => {
        login.sent = { state: target.searchParams.get('state') ?? '', settle, principal }
        resolve(sendTo(target.href, [setCookie(COOKIE, id, LOGIN_MS / 1000)]))
      })
      void principal
        .catch(() => {
          this.#registrations = createMemoryTokenStore()
          // Too late for one that was sent on already: it hears of it when it comes back.
          resolve(page(502, 'Not now', '<p>The gateway cannot reach the page where you sign in to it.</p>'))
        })
        .finally(() => this.#logins.delete(id))
    })
  }

  /** Takes the browser back from the issuer: once, and only the one that was sent there. */
  async finish(request: Request): Promise<LoggedIn | Response> {
    const { searchParams } = new URL(request.url)
    const id = cookieOf(request, COOKIE) ?? ''
    const login = this.#logins.get(id)
    if (login?.sent === undefined || searchParams.get('state') !== login.sent.state) {
      return page(400, 'Not expected', '<p>Nobody waits for this answer. Start again from your program.</p>')
    }
    const { settle, principal } = login.sent
    this.#logins.delete(id)
    settle(searchParams)
    try {
      return { principal: await principal, ticket: login.ticket, cookies: [setCookie(COOKIE, '', 0)] }
    } catch {
      return page(403, 'Not signed in', '<p>You were not signed in to the gateway. Start again from your program.</p>')
    }
  }

  /** Gets a token for the gateway, has it checked, and gives it back. */
  async #run(
    ending: AbortSignal,
    opened: (target: URL, settle: (params: URLSearchParams) => void) => void,
  ): Promise<Principal> {
    const { protection, resource, client, redirectUri } = this.#options
    const userAgent = {
      redirectUri: () => redirectUri,
      open: (target: URL) => new Promise<URLSearchParams>((resolve) => opened(target, resolve)),
    }
    const server = new URL(resource)
    const authorizer = createAuthorizer(server, {
      grant: authorizationCode({ clientName: 'Portico gateway', ...client, userAgent, signInMs: LOGIN_MS }),
      store: withOwnTokens(this.#registrations),
      dpop: 'off',
      fetch: withDocuments(protection, server),
    })
    try {
      await authorizer.challenge(await refusalOf(protection, server), {}, ending)
      const headers = await authorizer.headers({ method: 'POST', url: server })
      const found = await protection.authenticate({
        method: 'POST',
        url: server.pathname,
        header: (name) => headers[name.toLowerCase()],
      })
      if (found === undefined || !('id' in found)) throw new Error('The token is none for the gateway')
      return found
    } finally {
      giveBack(authorizer)
    }
  }
}

function giveBack(authorizer: Authorizer): void {
  void authorizer
    .signOut()
    .catch(() => {})
    .finally(() => authorizer.close())
}

/** What a caller without a token is told, which says where to get one. */
async function refusalOf({ authenticate }: Protection, server: URL) {
  const found = await authenticate({ method: 'POST', url: server.pathname, header: () => undefined })
  const pairs = found !== undefined && 'status' in found ? (found.headers ?? []) : []
  const header = (name: string): string | undefined => {
    const at = pairs.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name.toLowerCase())
    return at < 0 ? undefined : pairs[at + 1]
  }
  return { status: 401, header }
}

/** The gateway's own documents are at hand, also where its public address does not lead back here. */
function withDocuments({ documents }: Protection, server: URL) {
  const outside = createGuardedFetch({ server })
  return async (...[url, init]: Parameters<typeof outside>): Promise<Response> => {
    const { origin, pathname } = new URL(url)
    const text = origin === server.origin ? documents?.get(pathname) : undefined
    return text === undefined
      ? outside(url, init)
      : new Response(text, { headers: { 'content-type': 'application/json' } })
  }
}

/** Registrations are shared by all logins, tokens by none: one browser's must never be another's. */
function withOwnTokens(registrations: TokenStore): TokenStore {
  const own = createMemoryTokenStore()
  const of = (key: string): TokenStore => (key.startsWith('["client",') ? registrations : own)
  return {
    get: (key) => of(key).get(key),
    set: (key, value) => of(key).set(key, value),
    delete: (key) => of(key).delete(key),
    withLock: (key, action) => own.withLock(key, action),
  }
}
