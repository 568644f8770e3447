/**
 * The gateway's own pages around a sign-in to a server behind it: one that says which program wants what, before anything
 * is forwarded (sec-83), and one to come back to. Agreement is by user, client and server (`sign-in-consents.ts`, sec-86);
 * cookies come after it and are bound to it (sec-88, sec-90); nobody can frame the page or send its form for another (sec-87).
 */

import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '@portico/sdk/internal-text'
import type { SignIn, Visit } from './sign-in.ts'
import { cookieOf, MAX_FORM, page, readForm, same, sendTo, setCookie } from './sign-in-html.ts'

/** Answers requests below `SignInOptions.url`; give it the rest of the path through a `Request`. */
export type SignInPages = (request: Request) => Promise<Response>

const COOKIE = '__Host-portico-sign-in'

/**
 * Makes the web pages below the `url` of a sign-in: the one that asks the user for consent and sends them to sign in,
 * and the one that they come back to. Takes and gives standard `Request` and `Response`.
 *
 * @example
 * ```ts
 * import { createSignIn, createSignInPages } from '@portico/host/gateway'
 *
 * const whoIs = (request: Request) => request.headers.get('x-signed-in-user') ?? undefined // set by your own proxy
 * const pages = createSignInPages(createSignIn({ url: 'https://gateway.example/sign-in', whoIs }))
 * const response = await pages(new Request('https://gateway.example/sign-in/start?ticket=…'))
 * ```
 */
export function createSignInPages(signIn: SignIn): SignInPages {
  const key = randomBytes(32)
  const base = new URL(signIn.options.url)
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return async (request) => {
    const url = new URL(request.url)
    const rest = url.pathname.slice(base.pathname.length)
    const { visitors } = signIn.options
    const reads = request.method === 'GET'
    if (rest === '/callback' && reads) return takeBack(signIn, request, url.searchParams, seal)
    // To say once more who one is takes an open sign-in, as the first time does.
    const again = rest === '/who' && reads && visitors !== undefined
    if (visitors !== undefined && rest.startsWith('/who') && !again) return visitors.answer(request, rest)
    if (rest !== '/start' && !again)
      return page(404, 'There is nothing here', '<p>There is nothing at this address.</p>')
    const given = reads ? url.searchParams : await readForm(request)
    const visit = signIn.visit(given.get('ticket') ?? '')
    if (visit === undefined) return page(410, 'Too late', '<p>This sign-in is over. Go back and try again.</p>')
    if (again) return visitors.identify(request, visit.ticket)
    const refusal = await refuse(signIn, request, visit)
    if (refusal !== undefined) return refusal
    if (reads) {
      return (await hasAgreed(signIn, visit)) ? forward(visit, seal) : askConsent(visit, seal(`form ${visit.ticket}`))
    }
    if (request.method !== 'POST') return page(405, 'Not here', '<p>Open the page in a browser.</p>')
    return agree(signIn, { visit, form: given, request, base, seal })
  }
}

/**
 * Turns sign-in pages into a request listener for Node's HTTP server and frameworks built on it. `origin` is the origin
 * under which browsers reach it.
 *
 * @example
 * ```ts
 * import { createSignIn, createSignInPages, toSignInListener } from '@portico/host/gateway'
 * import { createServer } from 'node:http'
 *
 * const whoIs = (request: Request) => request.headers.get('x-signed-in-user') ?? undefined // set by your own proxy
 * const pages = createSignInPages(createSignIn({ url: 'https://gateway.example/sign-in', whoIs }))
 * createServer(toSignInListener(pages, 'https://gateway.example')).listen(3001)
 * ```
 */
export function toSignInListener(pages: SignInPages, origin: string) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    void answerNode(pages, origin, req, res).catch(() => {
      if (!res.headersSent) res.writeHead(500)
      res.end()
    })
  }
}

async function answerNode(
  pages: SignInPages,
  origin: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > MAX_FORM) {
      res.writeHead(413).end()
      return
    }
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const method = req.method ?? 'GET'
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks)
  const response = await pages(new Request(new URL(req.url ?? '/', origin), { method, headers, ...(body && { body }) }))
  res.writeHead(response.status, [...response.headers].flat())
  res.end(Buffer.from(await response.arrayBuffer()))
}

/** Whoever opens the page must be who the sign-in is for: links travel (elicitation, "Phishing"). */
async function refuse(signIn: SignIn, request: Request, visit: Visit): Promise<Response | undefined> {
  const { whoIs, visitors } = signIn.options
  if (whoIs === undefined && visitors === undefined) return undefined
  const user = (await whoIs?.(request)) ?? visitors?.whoIs(request)
  if (user === visit.principal) return undefined
  if (user === undefined && visitors !== undefined) return visitors.identify(request, visit.ticket)
  const other = `${signIn.options.url}/who?ticket=${encodeURIComponent(visit.ticket)}`
  const way = visitors === undefined ? '' : `<p><a href="${escapeHtml(other)}">I am that user</a></p>`
  return page(403, 'Not yours', `<p>This sign-in belongs to another user of the gateway.</p>${way}`)
}

export function askConsent(
  visit: Pick<Visit, 'server' | 'target' | 'clientId' | 'added' | 'ticket'>,
  token: string,
): Response {
  const { server, target, clientId, added } = visit
  const isMore = added !== undefined
  const scope = target.searchParams.get('scope') ?? 'what the server asks for'
  const body = `
    <p><strong>${escapeHtml(clientId ?? 'A program that you use')}</strong> ${isMore ? 'needs more permissions at' : 'wants to use'} <strong>${escapeHtml(server)}</strong>${isMore ? '. You are signed in there already' : ' in your name'}.</p>
    <dl><dt>${isMore ? 'You agree at' : 'You sign in at'}</dt><dd>${escapeHtml(target.host)}</dd>
    <dt>It is asked for</dt><dd>${escapeHtml(scope)}</dd>
    <dt>Then back to</dt><dd>${escapeHtml(target.searchParams.get('redirect_uri') ?? '')}</dd></dl>
    <form method="post"><input type="hidden" name="ticket" value="${escapeHtml(visit.ticket)}">
    <input type="hidden" name="csrf" value="${escapeHtml(token)}"><button>${isMore ? 'Go on' : 'Sign in'}</button></form>`
  // Browsers count where the authorization server sends its visitor on to, another's login perhaps, as part of the form.
  const formTarget = `${target.origin} https:`
  return page(200, isMore ? `More permissions for ${server}` : `Sign in to ${server}`, body, { formTarget })
}

/** Only a browser that is known for the user's own goes on without the page. What cannot be looked up was not agreed to. */
async function hasAgreed({ options, consents }: SignIn, visit: Visit): Promise<boolean> {
  const known = options.whoIs !== undefined || options.visitors !== undefined
  return known && consents.covers(visit).catch(() => false)
}

interface Agreeing {
  readonly visit: Visit
  readonly form: URLSearchParams
  readonly request: Request
  readonly base: URL
  readonly seal: (text: string) => string
}

async function agree(signIn: SignIn, { visit, form, request, base, seal }: Agreeing): Promise<Response> {
  const origin = request.headers.get('origin')
  const foreign = origin !== null && origin !== base.origin
  if (foreign || !same(form.get('csrf') ?? '', seal(`form ${visit.ticket}`))) {
    return page(403, 'Not from here', '<p>The form did not come from this page.</p>')
  }
  // Where it cannot be kept, it counts for this time alone.
  await signIn.consents.add(visit).catch(() => {})
  return forward(visit, seal)
}

function forward(visit: Visit, seal: (text: string) => string): Response {
  visit.consented = true
  // Bound to the visit, the user and the client: good for this one answer.
  const value = `${visit.ticket}.${seal(cookieText(visit))}`
  const seconds = Math.floor((visit.expiresAt - Date.now()) / 1000)
  return sendTo(visit.target.href, [setCookie(COOKIE, value, seconds)])
}

async function takeBack(
  signIn: SignIn,
  request: Request,
  params: URLSearchParams,
  seal: (text: string) => string,
): Promise<Response> {
  const [ticket = '', mac = ''] = cookieOf(request, COOKIE)?.split('.') ?? []
  const open = signIn.visit(ticket)
  const refusal = open && (await refuse(signIn, request, open))
  if (refusal !== undefined) return refusal
  const genuine = open !== undefined && same(mac, seal(cookieText(open)))
  const visit = genuine ? signIn.claim(ticket, params.get('state') ?? '') : undefined
  if (visit === undefined)
    return page(400, 'Not expected', '<p>Nobody waits for this answer. Start again from your program.</p>')
  visit.settle(params)
  const body = '<p>You can close this window and go back to your program.</p>'
  return page(200, 'Thank you', body, { headers: { 'set-cookie': setCookie(COOKIE, '', 0) } })
}

function cookieText({ ticket, principal, clientId, state }: Visit): string {
  return JSON.stringify([ticket, principal, clientId ?? null, state])
}
