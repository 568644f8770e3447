/** The header rules of HTTP itself that the MCP endpoint holds clients to: what they accept and what they send. */

import type { RequestHead } from '../../session/exchange.ts'
import type { Refusal } from './http-refusal.ts'
import { ACCEPTS_ONE_FORM, ENCODED, NOT_JSON } from './refusals.ts'

export const SESSION_HEADER = 'mcp-session-id'
export const VERSION_HEADER = 'mcp-protocol-version'

/** A POST carries JSON and accepts both forms of answer. A missing `Accept` means anything (RFC 9110, 12.5.1). */
export function checkPostHead(head: RequestHead): Refusal | undefined {
  if (!isJson(head.header('content-type'))) return NOT_JSON
  const encoding = head.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') return ENCODED
  const accept = head.header('accept')
  if (accept === undefined || accept === BOTH) return undefined
  if (accepts(accept, 'application/json') && accepts(accept, 'text/event-stream')) return undefined
  return ACCEPTS_ONE_FORM
}

export function acceptsEvents(head: RequestHead): boolean {
  const accept = head.header('accept')
  return accept !== undefined && accepts(accept, 'text/event-stream')
}

export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  if (contentType === undefined) return false
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase() === 'application/json'
}

/**
 * Whether `Host` or `Authorization` came more than once. Node keeps the first of them and a proxy in front may have judged
 * another. Looks at lengths first: every request passes here.
 */
export function isAmbiguous({ rawHeaders = [] }: { readonly rawHeaders?: readonly string[] }): boolean {
  let hosts = 0
  let authorizations = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
  }
  return hosts > 1 || authorizations > 1
}

/** The path of a request's URL, without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Whether a URL has this path, with or without a slash at the end: people type both. */
export function isPath(url: string, path: string | undefined): boolean {
  return path !== undefined && withoutSlash(pathOf(url)) === withoutSlash(path)
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

const BOTH = 'application/json, text/event-stream'

function accepts(accept: string, type: string): boolean {
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  return accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return (
      (range === type || range === '*/*' || range === family) && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
    )
  })
}
