/**
 * Finds out from an answer how the next page is asked for: from the `Link` header (RFC 8288) or from the members that
 * services use for it. Where it can be said in the operation's own arguments, it is.
 */

import { isRecord } from './description.ts'
import type { Operation } from './operation.ts'

export interface NextPage {
  /** Arguments to call the same operation with. */
  readonly arguments?: { readonly [name: string]: unknown }
  readonly url?: string
  readonly cursor?: string
}

interface PagedAnswer {
  readonly url: URL
  readonly link: string | undefined
  readonly body: unknown
}

export function findNextPage(
  operation: Operation,
  args: { readonly [name: string]: unknown },
  { url, link, body }: PagedAnswer,
): NextPage | undefined {
  const found = nextLink(link) ?? nextMember(body)
  if (found === undefined) return undefined
  const isAddress = /^(https?:\/\/|\/|\?)/.test(found) && URL.canParse(found, url.href)
  if (!isAddress) return fromCursor(operation, args, found)
  const next = new URL(found, url)
  const given =
    next.origin === url.origin && next.pathname === url.pathname ? queryArguments(operation, next) : undefined
  return given === undefined ? { url: next.href } : { arguments: { ...args, ...given }, url: next.href }
}

/** The target with `rel="next"`. */
function nextLink(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER) return undefined
  for (const part of header.split(/,(?=\s*<)/)) {
    const [, target, rest = ''] = /^\s*<([^<>]*)>(.*)$/.exec(part) ?? []
    if (target !== undefined && /;\s*rel="?(?:[^";]*\s)?next(?:\s[^";]*)?"?(?:;|$)/i.test(rest)) return target
  }
  return undefined
}

const MAX_HEADER = 8_192
const CURSORS = ['next', 'nextCursor', 'next_cursor', 'nextPageToken', 'next_page_token', 'nextLink', '@odata.nextLink']
const HOLDERS = ['links', '_links', 'paging', 'pagination', 'meta', 'page', 'page_info', 'response_metadata']

function nextMember(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined
  for (const holder of [body, ...HOLDERS.map((name) => body[name])]) {
    if (!isRecord(holder)) continue
    for (const name of CURSORS) {
      const value = Object.hasOwn(holder, name) ? holder[name] : undefined
      const text = isRecord(value) ? value.href : typeof value === 'number' ? String(value) : value
      if (typeof text === 'string' && text !== '' && text.length <= MAX_HEADER) return text
    }
  }
  return undefined
}

const CURSOR_PARAMETERS = /^(cursor|page_?token|next_?cursor|after|starting_?after|continuation_?token|page|offset)$/i

function fromCursor(operation: Operation, args: { readonly [name: string]: unknown }, cursor: string): NextPage {
  const parameter = operation.parameters.find(
    ({ in: place, name }) => place === 'query' && CURSOR_PARAMETERS.test(name),
  )
  if (parameter === undefined) return { cursor }
  return { cursor, arguments: { ...args, [parameter.argument]: fitted(parameter.schema, cursor) } }
}

function queryArguments(operation: Operation, next: URL): { [name: string]: unknown } | undefined {
  const known = operation.parameters.filter(({ in: place, name }) => place === 'query' && next.searchParams.has(name))
  const changed = known.map(({ argument, name, schema }) => {
    const values = next.searchParams.getAll(name)
    return [argument, values.length > 1 ? values : fitted(schema, values[0] ?? '')] as const
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

/** Numbers come back as numbers, where the parameter wants one. */
function fitted(schema: unknown, text: string): unknown {
  const type = isRecord(schema) ? schema.type : undefined
  if (type === 'array') return text.split(',')
  return (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text))
    ? Number(text)
    : text
}
