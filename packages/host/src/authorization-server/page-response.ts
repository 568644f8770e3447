/** How a page is sent: not to be framed, not to be kept, without scripts, and its form bound for named places alone. */

import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { STYLE } from './pages.ts'

const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64')

/** The headers that every answer has, the library's own included. */
export const FRAME_HEADERS = {
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: browsers would then send `Origin: null` with the form.
  'referrer-policy': 'same-origin',
} as const

export function pagePolicy(formTarget = ''): string {
  const action = `form-action 'self'${formTarget === '' ? '' : ` ${formTarget}`}`
  return `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; ${action}; frame-ancestors 'none'; base-uri 'none'`
}

export function sendPage(res: ServerResponse, status: number, html: string, formTarget?: string): void {
  res.writeHead(status, {
    ...FRAME_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(formTarget),
    'cache-control': 'no-store',
  })
  res.end(html)
}
