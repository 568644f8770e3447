/** How the workbench's server answers: JSON, failures, files of the page, and the two small pages it has itself. */

import type { ServerResponse } from 'node:http'
import type { ApiFailure } from '../api-types/api.ts'
import type { RequestHead } from './page-access.ts'
import type { StaticFile } from './static-files.ts'

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  end(response, text)
}

export function sendFailure(
  response: ServerResponse,
  status: number,
  { code, message, remedy, data }: ApiFailure,
): void {
  sendJson(response, status, {
    code,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(data !== undefined && { data }),
  })
}

/** A file of the page; only what is in the list exists, whatever the path says. */
export function sendFile(head: RequestHead, response: ServerResponse, files: ReadonlyMap<string, StaticFile>): void {
  if (head.method !== 'GET' && head.method !== 'HEAD') {
    sendFailure(response, 405, { code: 'wrong-method', message: 'Use GET' })
    return
  }
  if (files.size === 0) {
    sendHtml(response, 503, NOT_BUILT_PAGE)
    return
  }
  const file = files.get(head.path === '/' ? '/index.html' : head.path)
  if (file === undefined) {
    sendFailure(response, 404, { code: 'not-found', message: 'There is no such page' })
    return
  }
  const zipped = /\bgzip\b/.test(head.header('accept-encoding') ?? '') ? file.gzip : undefined
  const bytes = zipped ?? file.bytes
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': bytes.length,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(file.gzip !== undefined && { vary: 'accept-encoding' }),
    ...(zipped !== undefined && { 'content-encoding': 'gzip' }),
  })
  end(response, head.method === 'HEAD' ? undefined : bytes)
}

/** For a link that was used before, has expired, or never was one. */
export function sendUsed(response: ServerResponse): void {
  sendHtml(response, 403, USED_PAGE)
}

function sendHtml(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  end(response, page)
}

const STALLED_MS = 60_000

/** Whoever takes nothing of an answer for so long has gone, and it is kept no longer. */
function end(response: ServerResponse, body: string | Uint8Array | undefined): void {
  response.setTimeout(STALLED_MS, () => response.destroy())
  response.end(body)
}

const USED_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Portico</title>
<body style="font: 16px/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.3rem">This link has been used</h1>
<p>Each link opens the workbench once, so that nobody else can use it. If this is the browser you used it in, go to <a href="/">the workbench</a>.
Otherwise type <code>portico</code> (or <code>npm start</code>, where you did that) in another terminal: it prints a new link to the same workbench.</p></body></html>`

const NOT_BUILT_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Portico</title>
<body style="font: 16px/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.3rem">The page is not built</h1>
<p>Run <code>npm start</code>, which builds it, or <code>npx vite build packages/ui</code>, and start again.</p></body></html>`
