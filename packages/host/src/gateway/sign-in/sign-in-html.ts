/** What the gateway's pages for browsers have in common: how they look, what they forbid, and cookies. */

import { timingSafeEqual } from 'node:crypto'
import { escapeHtml } from '@portico/sdk/internal-text'

/** Longest form that is read. */
export const MAX_FORM = 8_192

const HEADERS = {
  'cache-control': 'no-store',
  // Nothing goes elsewhere; to hide it from this site too would make browsers hide where a form comes from.
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
}

interface PageOptions {
  /** Where a form of the page may be sent, beside the page's own origin. */
  readonly formTarget?: string
  readonly headers?: { readonly [name: string]: string }
}

export function page(
  status: number,
  title: string,
  body: string,
  { formTarget = '', headers = {} }: PageOptions = {},
): Response {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}</html>`
  return new Response(html, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, ...headers },
  })
}

/** The value of a cookie that the browser brings. */
export function cookieOf(request: Request, name: string): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((one) => one.trim())
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** A line that sets a cookie for the pages' own origin; without a value, it forgets one. */
export function setCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${value === '' ? 0 : Math.max(1, seconds)}`
}

export async function readForm(request: Request): Promise<URLSearchParams> {
  const text = await request.text()
  return new URLSearchParams(text.slice(0, MAX_FORM))
}

export function sendTo(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...HEADERS, location })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

export function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
