/**
 * The gateway's own pages around a sign-in to a server behind it: one that says which program wants what, before anything
 * is forwarded (sec-83), and one to come back to. Agreement is asked for at every sign-in, by user, client and server (sec-86);
 * cookies come after it and are bound to it (sec-88, sec-90); nobody can frame the page or send its form for another (sec-87).
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SignIn, Visit } from './sign-in.ts'

/** Answers requests below `SignInOptions.url`; give it the rest of the path through a `Request`. */
export type SignInPages = (request: Request) => Promise<Response>

const COOKIE = '__Host-portico-sign-in'

export function createSignInPages(signIn: SignIn): SignInPages {
  const key = randomBytes(32)
  const base = new URL(signIn.options.url)
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return async (request) => {
    const url = new URL(request.url)
    const rest = url.pathname.slice(base.pathname.length)
    const given = request.method === 'GET' ? url.searchParams : await readForm(request)
    if (rest === '/callback' && request.method === 'GET') return takeBack(signIn, request, url.searchParams, seal)
    if (rest !== '/start') return page(404, 'There is nothing here', '<p>There is nothing at this address.</p>')
    const visit = signIn.visit(given.get('ticket') ?? '')
    if (visit === undefined) return page(410, 'Too late', '<p>This sign-in is over. Go back and try again.</p>')
    const refusal = await refuse(signIn, request, visit)
    if (refusal !== undefined) return refusal
    if (request.method === 'GET') return askConsent(visit, seal(`form ${visit.ticket}`))
    if (request.method !== 'POST') return page(405, 'Not here', '<p>Open the page in a browser.</p>')
    return agree(visit, given, request, base, seal)
  }
}

/** The pages for Node's own server and frameworks on it. `origin` is how browsers reach it. */
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
  const { whoIs } = signIn.options
  if (whoIs === undefined) return undefined
  if ((await whoIs(request)) === visit.principal) return undefined
  return page(403, 'Not yours', '<p>This sign-in belongs to another user of the gateway.</p>')
}

function askConsent(visit: Visit, token: string): Response {
  const { server, target, clientId } = visit
  const scope = target.searchParams.get('scope') ?? 'what the server asks for'
  const body = `
    <p><strong>${escaped(clientId ?? 'A program that you use')}</strong> wants to use <strong>${escaped(server)}</strong> in your name.</p>
    <dl><dt>You sign in at</dt><dd>${escaped(target.host)}</dd>
    <dt>It is asked for</dt><dd>${escaped(scope)}</dd>
    <dt>Then back to</dt><dd>${escaped(target.searchParams.get('redirect_uri') ?? '')}</dd></dl>
    <form method="post"><input type="hidden" name="ticket" value="${escaped(visit.ticket)}">
    <input type="hidden" name="csrf" value="${escaped(token)}"><button>Sign in</button></form>`
  return page(200, `Sign in to ${server}`, body, target.origin)
}

function agree(
  visit: Visit,
  form: URLSearchParams,
  request: Request,
  base: URL,
  seal: (text: string) => string,
): Response {
  const origin = request.headers.get('origin')
  const foreign = origin !== null && origin !== base.origin
  if (foreign || !same(form.get('csrf') ?? '', seal(`form ${visit.ticket}`))) {
    return page(403, 'Not from here', '<p>The form did not come from this page.</p>')
  }
  visit.consented = true
  // Bound to the visit, the user and the client: good for this one answer.
  const value = `${visit.ticket}.${seal(cookieText(visit))}`
  const seconds = Math.max(1, Math.floor((visit.expiresAt - Date.now()) / 1000))
  return new Response(null, {
    status: 303,
    headers: {
      ...HEADERS,
      location: visit.target.href,
      'set-cookie': `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`,
    },
  })
}

async function takeBack(
  signIn: SignIn,
  request: Request,
  params: URLSearchParams,
  seal: (text: string) => string,
): Promise<Response> {
  const [ticket = '', mac = ''] = cookieOf(request)?.split('.') ?? []
  const open = signIn.visit(ticket)
  const refusal = open && (await refuse(signIn, request, open))
  if (refusal !== undefined) return refusal
  const genuine = open !== undefined && same(mac, seal(cookieText(open)))
  const visit = genuine ? signIn.claim(ticket, params.get('state') ?? '') : undefined
  if (visit === undefined)
    return page(400, 'Not expected', '<p>Nobody waits for this answer. Start again from your program.</p>')
  visit.settle(params)
  const body = '<p>You can close this window and go back to your program.</p>'
  const cleared = `${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`
  return page(200, 'Thank you', body, undefined, { 'set-cookie': cleared })
}

function cookieText({ ticket, principal, clientId, state }: Visit): string {
  return JSON.stringify([ticket, principal, clientId ?? null, state])
}

function cookieOf(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((one) => one.trim())
  return cookies.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const text = await request.text()
  return new URLSearchParams(text.slice(0, MAX_FORM))
}

const MAX_FORM = 8_192

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
}

function page(
  status: number,
  title: string,
  body: string,
  formTarget = '',
  headers: { [name: string]: string } = {},
): Response {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><h1>${escaped(title)}</h1>${body}</html>`
  return new Response(html, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, ...headers },
  })
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
