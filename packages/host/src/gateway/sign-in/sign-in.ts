/**
 * Signing callers in to the servers behind: each principal has tokens of its own, for each program that it calls with
 * (sec-86), got by the authorization code grant, and the gateway's own token never reaches a server (sec-82). A call that needs a sign-in
 * shows its caller a page of the gateway; `sign-in-pages.ts` serves it and takes the browser back. What is waited for is
 * bound to the principal, used once, and forgotten after ten minutes (sec-90).
 */

import { createHash, randomBytes } from 'node:crypto'
import {
  type AuthorizationCodeOptions,
  authorizationCode,
  createMemoryTokenStore,
  type TokenStore,
} from '@portico/sdk/auth'
import type { ConnectOptions } from '@portico/sdk/client'
import type { Principal } from '@portico/sdk/server'
import { clientIdOf } from '../connections/connection-key.ts'
import { createSignInConsents, type SignInConsents } from './sign-in-consents.ts'

/** Options of `createSignIn`: where the pages are, where tokens are kept, and how a browser's user is found out. */
export interface SignInOptions {
  /** Where the gateway's sign-in pages are, as browsers reach them: `https://gateway.example/sign-in`. */
  readonly url: string
  /** Where all users' tokens are kept; in memory unless given. */
  readonly store?: TokenStore
  /** How the gateway is known to authorization servers: a registered client, or the metadata to register one. */
  readonly client?: GatewayClient | ((server: string) => GatewayClient)
  /** What users have agreed to; in memory unless given. */
  readonly consents?: SignInConsents
  /** Scopes to ask for at a server, besides those that it names itself. */
  readonly scopes?: (server: string) => readonly string[]
  /** Who uses the browser that opens a page: the id of a principal, or undefined for nobody. */
  readonly whoIs?: (request: Request) => string | undefined | Promise<string | undefined>
  /** Has browsers say who uses them, in place of `whoIs`: see `createVisitors`. */
  readonly visitors?: Visitors
  /** Lets whoever has the link sign in for the principal. A link that is passed on then connects another's account. */
  readonly dangerouslyTrustLinks?: boolean
  /** How long a sign-in may take; at most ten minutes, which is the default. */
  readonly signInMs?: number
  /** Sign-ins that are open at a time, for one principal. 8 by default. */
  readonly maxOpenPerPrincipal?: number
}

/** Who uses a browser, and how that is found out. */
export interface Visitors {
  /** The id of the principal whose browser this is; undefined for nobody. */
  whoIs(request: Request): string | undefined
  /** Has a browser that nobody knows say who it is; it then comes back to the sign-in that the ticket names. */
  identify(request: Request, ticket: string): Promise<Response>
  /** Answers what `identify` leads to: the path below `url`, beginning with `/who`. */
  answer(request: Request, path: string): Promise<Response>
}

/** How the gateway is known to an authorization server: a registered client, or the metadata to register one. */
export type GatewayClient = Omit<AuthorizationCodeOptions, 'userAgent' | 'signInMs'>

/** A sign-in that waits for its person. */
export interface Visit {
  /** In the page's link: unguessable. */
  readonly ticket: string
  readonly server: string
  readonly principal: string
  /** The client that the caller used, as its token names it. */
  readonly clientId: string | undefined
  /** The authorization server's page. */
  readonly target: URL
  /** The permissions that are new, where the person is signed in and only more of these are needed. */
  readonly added: readonly string[] | undefined
  readonly expiresAt: number
  /** The person has agreed on the gateway's own page: from then on an answer is taken. */
  consented: boolean
  /** The `state` of the request, which the answer must bring. */
  readonly state: string
  /** Takes the answer; the visit is over then. */
  settle(params: URLSearchParams): void
}

/** Shows somebody where to sign in, and why in words for them. */
type ShowPage = (url: string, id: string, reason: string) => Promise<'accept' | 'decline' | 'cancel'>

/** How the gateway has a caller sign in while a connection is being made. */
export interface CallerSignIn {
  /** Waits for `work`; whenever it needs this principal to sign in, shows where, and goes on unless that is declined. */
  during<Result>(
    work: Promise<Result>,
    server: string,
    principal: Principal | undefined,
    show: ShowPage,
  ): Promise<Result>
}

export class SignInDeclined extends Error {
  readonly url: string

  constructor(server: string, url: string, reason = wants(server)) {
    super(`${reason}: open ${url}`)
    this.name = 'SignInDeclined'
    this.url = url
  }
}

function wants(server: string): string {
  return `The server "${server}" wants you to sign in`
}

/** As RFC 6749 (appendix A.4) spells them; what a server writes otherwise is for nobody's eyes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/
const MAX_SCOPES = 10

/** Whoever is signed in and asked once more is to see what is new: the permissions that this needs. */
export function reasonOf({ server, target, added }: Pick<Visit, 'server' | 'target' | 'added'>): string {
  const scopes = (added ?? (target.searchParams.get('scope') ?? '').split(' '))
    .filter((scope) => SCOPE.test(scope))
    .slice(0, MAX_SCOPES)
  const list = scopes.join(', ')
  if (added !== undefined) return `The server "${server}" needs more permissions from you${list && `: ${list}`}`
  return list === '' ? wants(server) : `${wants(server)} and to allow ${list}`
}

const LONGEST_MS = 10 * 60_000
const MAX_OPEN = 8
const MAX_SHOWN = 8

/**
 * The sign-ins of a gateway's callers, made by `createSignIn`: it keeps their tokens, gives `connectOptions` for
 * connections, and knows the sign-ins that are open.
 */
export class SignIn implements CallerSignIn {
  readonly options: SignInOptions
  readonly consents: SignInConsents
  readonly #store: TokenStore
  readonly #visits = new Map<string, Visit>()
  readonly #watchers = new Set<(visit: Visit) => void>()
  readonly #signInMs: number

  constructor(options: SignInOptions) {
    if (options.whoIs === undefined && options.visitors === undefined && options.dangerouslyTrustLinks !== true) {
      throw new TypeError('createSignIn needs whoIs or visitors, to know whose browser comes; or dangerouslyTrustLinks')
    }
    this.options = options
    this.consents = options.consents ?? createSignInConsents()
    this.#store = options.store ?? createMemoryTokenStore()
    this.#signInMs = Math.min(options.signInMs ?? LONGEST_MS, LONGEST_MS)
  }

  get redirectUri(): string {
    return `${this.options.url}/callback`
  }

  /** What a connection of this principal to the server needs: give it to `connect`, or return it from `resolve`. */
  connectOptions(server: string, principal: Principal): ConnectOptions {
    const clientId = clientIdOf(principal)
    const userAgent = {
      redirectUri: () => this.redirectUri,
      open: (target: URL, signal: AbortSignal, added?: readonly string[]) =>
        this.#open({ server, principal: principal.id, clientId, target, added }, signal),
    }
    const { client } = this.options
    const known = typeof client === 'function' ? client(server) : client
    const grant = authorizationCode({ ...known, userAgent, signInMs: this.#signInMs })
    return {
      auth: {
        grant,
        store: this.#store,
        principal: nameOf(principal.id, clientId),
        ...(this.options.scopes && { scopes: this.options.scopes(server) }),
      },
      timeouts: { connectMs: this.#signInMs },
    }
  }

  /** The visit that a link names, while it is open. */
  visit(ticket: string): Visit | undefined {
    const visit = this.#visits.get(ticket)
    return visit !== undefined && visit.expiresAt > Date.now() ? visit : undefined
  }

  /** The visit that an answer belongs to: one that was agreed to, once. */
  claim(ticket: string, state: string): Visit | undefined {
    const visit = this.visit(ticket)
    if (visit === undefined || !visit.consented || visit.state !== state) return undefined
    this.#visits.delete(ticket)
    return visit
  }

  async during<Result>(
    work: Promise<Result>,
    server: string,
    principal: Principal | undefined,
    show: ShowPage,
  ): Promise<Result> {
    if (principal === undefined) return work
    let over = false
    const ended = work.then(
      () => {
        over = true
      },
      () => {
        over = true
      },
    )
    for (let shown = 0; !over && shown < MAX_SHOWN; shown++) {
      const visit = await this.#wanted(server, principal, ended)
      if (visit === undefined) break
      const url = `${this.options.url}/start?ticket=${visit.ticket}`
      const answer = await Promise.race([show(url, visit.ticket, reasonOf(visit)), ended.then(() => 'accept' as const)])
      if (answer !== 'accept') {
        work.catch(() => {})
        throw new SignInDeclined(server, url, reasonOf(visit))
      }
    }
    return work
  }

  /** The next visit that the principal owes the server; undefined once `ended`. */
  #wanted(server: string, principal: Principal, ended: Promise<void>): Promise<Visit | undefined> {
    const clientId = clientIdOf(principal)
    const concerns = (visit: Visit) =>
      visit.server === server && visit.principal === principal.id && visit.clientId === clientId
    const open = [...this.#visits.values()].find((visit) => concerns(visit) && visit.expiresAt > Date.now())
    if (open !== undefined) return Promise.resolve(open)
    return new Promise((resolve) => {
      const watcher = (visit: Visit): void => {
        if (!concerns(visit)) return
        this.#watchers.delete(watcher)
        resolve(visit)
      }
      this.#watchers.add(watcher)
      void ended.then(() => {
        this.#watchers.delete(watcher)
        resolve(undefined)
      })
    })
  }

  #open(
    wanted: Pick<Visit, 'server' | 'principal' | 'clientId' | 'target' | 'added'>,
    signal: AbortSignal,
  ): Promise<URLSearchParams> {
    const { principal, target } = wanted
    const most = this.options.maxOpenPerPrincipal ?? MAX_OPEN
    const open = [...this.#visits.values()].filter((visit) => visit.principal === principal)
    if (open.length >= most) throw new Error(`maxOpenPerPrincipal (${most}) sign-ins are open already`)
    const ticket = randomBytes(32).toString('base64url')
    const state = target.searchParams.get('state') ?? ''
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        this.#visits.delete(ticket)
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        forget()
        reject(new Error('The sign-in was given up'))
      }
      const timer = setTimeout(leave, this.#signInMs)
      timer.unref()
      signal.addEventListener('abort', leave, { once: true })
      const settle = (params: URLSearchParams): void => {
        forget()
        resolve(params)
      }
      const expiresAt = Date.now() + this.#signInMs
      const visit: Visit = { ...wanted, ticket, expiresAt, consented: false, state, settle }
      this.#visits.set(ticket, visit)
      for (const watcher of [...this.#watchers]) watcher(visit)
    })
  }
}

/**
 * Lets each caller of a gateway sign in to the servers behind it with an account of their own; the tokens stay in the
 * gateway. Throws unless `whoIs`, `visitors` or `dangerouslyTrustLinks` says whose browser it is that signs in.
 *
 * @example
 * ```ts
 * import { createSignIn } from '@portico/host/gateway'
 *
 * const signIn = createSignIn({
 *   url: 'https://gateway.example/sign-in',
 *   whoIs: (request) => request.headers.get('x-signed-in-user') ?? undefined, // set by your own proxy
 * })
 * ```
 */
export function createSignIn(options: SignInOptions): SignIn {
  return new SignIn(options)
}

/** Ids may hold anything; stores name files and keys after this. */
function nameOf(principal: string, clientId: string | undefined): string {
  const whole = clientId === undefined ? principal : JSON.stringify([principal, clientId])
  return createHash('sha256').update(whole).digest('base64url')
}
