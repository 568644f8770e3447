/**
 * Who uses a browser that comes to the gateway's pages: proved as callers prove it, by a token for the gateway, and then
 * remembered in a cookie of this process. Programs that have users' web sessions of their own say so by `whoIs` instead.
 * Where callers bring an issuer's tokens the browser is sent there (`visitor-login.ts`); otherwise a form asks for one.
 */

import { createHmac, randomBytes } from 'node:crypto'
import type { Authentication, Protection } from '@portico/sdk/bearer'
import { escapeHtml } from '@portico/sdk/internal-text'
import type { Principal } from '@portico/sdk/server'
import type { Visitors } from '../sign-in/sign-in.ts'
import { cookieOf, page, readForm, same, sendTo, setCookie } from '../sign-in/sign-in-html.ts'
import { type IssuerLogin, VisitorLogin } from './visitor-login.ts'

/**
 * Options of `createVisitors`: where the pages are, how callers are identified, and how long a browser is remembered.
 */
export interface VisitorOptions {
  /** Where the pages are, as browsers reach them: the `url` of `createSignIn`. */
  readonly url: string
  /** Who callers are: what `serveGateway` is given as `auth`. */
  readonly protection: Protection
  /** Callers bring tokens of an issuer: browsers are signed in there. Without it, a form asks for the caller's token. */
  readonly issuer?: IssuerLogin
  /** How long a browser is known; never longer than its token. 8 hours unless given. */
  readonly sessionMs?: number
}

const SESSION = '__Host-portico-visitor'
const FORM = '__Host-portico-visitor-form'
const SESSION_MS = 8 * 3_600_000
const FORM_SECONDS = 600

/**
 * Makes browsers that open the gateway's sign-in pages prove whose they are, as callers do: by a sign-in at the issuer,
 * or by a form that takes the caller's token. Give it to `createSignIn` as `visitors`.
 *
 * @example
 * ```ts
 * import { createSignIn, createVisitors } from '@portico/host/gateway'
 * import { requireBearer } from '@portico/sdk/bearer'
 *
 * const [url, resource] = ['https://gateway.example/sign-in', 'https://gateway.example/mcp']
 * const protection = requireBearer({ issuer: 'https://id.example', resource })
 * const signIn = createSignIn({ url, visitors: createVisitors({ url, protection, issuer: { resource } }) })
 * ```
 */
export function createVisitors(options: VisitorOptions): Visitors {
  return new BrowserVisitors(options)
}

class BrowserVisitors implements Visitors {
  readonly #options: VisitorOptions
  readonly #key = randomBytes(32)
  readonly #login: VisitorLogin | undefined

  constructor(options: VisitorOptions) {
    const { url, protection, issuer } = options
    this.#options = options
    this.#login = issuer && new VisitorLogin({ ...issuer, protection, redirectUri: `${url}/who/callback` })
  }

  whoIs(request: Request): string | undefined {
    const [text = '', mac = ''] = cookieOf(request, SESSION)?.split('.') ?? []
    if (!same(mac, this.#seal(`session ${text}`))) return undefined
    // Sealed here, so it is what was written here.
    const [id, expiresAt] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, number]
    return expiresAt > Date.now() ? id : undefined
  }

  async identify(_request: Request, ticket: string): Promise<Response> {
    if (this.#login !== undefined) return this.#login.begin(ticket)
    const nonce = randomBytes(16).toString('base64url')
    return this.#form(ticket, nonce, 200)
  }

  async answer(request: Request, path: string): Promise<Response> {
    if (path === '/who/callback' && request.method === 'GET' && this.#login !== undefined) {
      const found = await this.#login.finish(request)
      return found instanceof Response ? found : this.#welcome(found.principal, found.ticket, found.cookies)
    }
    if (path === '/who' && request.method === 'POST' && this.#login === undefined) return this.#take(request)
    return page(404, 'There is nothing here', '<p>There is nothing at this address.</p>')
  }

  /** Takes a token from the form, if the form was shown to this very browser: nobody is signed in as somebody else. */
  async #take(request: Request): Promise<Response> {
    const form = await readForm(request)
    const ticket = form.get('ticket') ?? ''
    const nonce = cookieOf(request, FORM) ?? ''
    const origin = request.headers.get('origin')
    const foreign = origin !== null && origin !== new URL(this.#options.url).origin
    if (foreign || nonce === '' || !same(form.get('csrf') ?? '', this.#seal(`form ${nonce} ${ticket}`))) {
      return page(403, 'Not from here', '<p>The form did not come from this page.</p>')
    }
    const token = (form.get('token') ?? '').trim()
    const found = await authenticateToken(this.#options.protection, token)
    if (found === undefined) return this.#form(ticket, nonce, 401)
    return this.#welcome(found, ticket, [setCookie(FORM, '', 0)])
  }

  #form(ticket: string, nonce: string, status: 200 | 401): Response {
    const csrf = this.#seal(`form ${nonce} ${ticket}`)
    const body = `
      <p>${status === 401 ? 'The gateway does not know this token.' : 'Show the gateway that it is you.'}</p>
      <form method="post" action="${escapeHtml(this.#options.url)}/who">
      <input type="hidden" name="ticket" value="${escapeHtml(ticket)}"><input type="hidden" name="csrf" value="${escapeHtml(csrf)}">
      <label>Your token for the gateway <input type="password" name="token" autocomplete="off" required></label>
      <button>Go on</button></form>`
    const cookie = setCookie(FORM, nonce, FORM_SECONDS)
    // Whoever has agreed before is sent on by the page behind, which may lead anywhere.
    return page(status, 'Who are you?', body, { formTarget: 'https: http:', headers: { 'set-cookie': cookie } })
  }

  #welcome(principal: Principal, ticket: string, cookies: readonly string[]): Response {
    const { url, sessionMs = SESSION_MS } = this.#options
    const expiresAt = Math.min(Date.now() + sessionMs, principal.expiresAt ?? Number.POSITIVE_INFINITY)
    const text = Buffer.from(JSON.stringify([principal.id, expiresAt])).toString('base64url')
    const session = `${text}.${this.#seal(`session ${text}`)}`
    const seconds = Math.floor((expiresAt - Date.now()) / 1000)
    return sendTo(`${url}/start?ticket=${encodeURIComponent(ticket)}`, [
      setCookie(SESSION, session, seconds),
      ...cookies,
    ])
  }

  #seal(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url')
  }
}

async function authenticateToken({ authenticate }: Protection, token: string): Promise<Principal | undefined> {
  const found: Authentication = await authenticate({
    method: 'GET',
    url: '/',
    header: (name) => (name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined),
  })
  return found !== undefined && 'id' in found ? found : undefined
}
