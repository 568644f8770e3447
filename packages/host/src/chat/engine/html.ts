/** The few pages that a browser sees of a chat host: text, at most one button, nothing that runs or is loaded. */

import { escapeHtml } from '@portico/sdk/internal-text'

interface PageForm {
  readonly button: string
  /** Where it is sent, beside the page itself. */
  readonly action: string
  /** Where the form leads to in the end. */
  readonly target: string
}

export function page(status: number, title: string, lines: readonly string[], form?: PageForm): Response {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')
  const button =
    form === undefined
      ? ''
      : `<form method="post" action="${escapeHtml(form.action)}"><button>${escapeHtml(form.button)}</button></form>`
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><body style="font:16px/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem"><h1>${escapeHtml(title)}</h1>${paragraphs}${button}</body></html>`
  // A host may hold characters that end a directive.
  const target = form === undefined || !/^https?:\/\/[\w.[\]:-]+$/.test(form.target) ? '' : ` ${form.target}`
  const targets = form === undefined ? "'none'" : `'self'${target}`
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    },
  })
}
