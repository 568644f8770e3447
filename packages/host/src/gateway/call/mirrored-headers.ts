/**
 * HTTP headers on their way through: `Mcp-Param-*` headers that the tool does not declare are for the server and go on
 * to it (sec-23); everything else ends here, credentials and hop-by-hop headers included. What a call does is read from
 * its body alone, and a request whose headers tell another story is refused, on every revision (sec-24).
 */

import { collectParamHeaders, PARAM_HEADER_PREFIX, type ParamHeader } from '@portico/sdk/internal'
import { type JsonObject, type RequestContext, RpcError } from '@portico/sdk/server'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

const PREFIX = PARAM_HEADER_PREFIX.toLowerCase()
const MAX_FORWARDED = 32
const MAX_VALUE_LENGTH = 8_192
const HEADER_MISMATCH = -32020
const INVALID_REQUEST = -32600

/** The parameters of tools that are mirrored in headers, read once for each. */
export class MirroredParams {
  readonly #read = new WeakMap<CatalogueItem, readonly ParamHeader[]>()

  of(item: CatalogueItem): readonly ParamHeader[] {
    const known = this.#read.get(item)
    if (known !== undefined) return known
    const found = item.kind === 'tool' ? collectParamHeaders(item.definition.inputSchema as JsonObject) : []
    const list = Array.isArray(found) ? found : []
    this.#read.set(item, list)
    return list
  }
}

/** The headers of a call that go on to the server: those that only it can know. */
export function forwardedHeaders({ head }: RequestContext, declared: readonly ParamHeader[]): HeaderPairs {
  const names = head?.headerNames?.().filter((name) => name.startsWith(PREFIX)) ?? []
  if (names.length === 0) return []
  const known = new Set(declared.map(({ header }) => PREFIX + header.toLowerCase()))
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > MAX_FORWARDED) throw refused(`more than ${MAX_FORWARDED} Mcp-Param headers`)
  return unknown.flatMap((name): HeaderPairs => {
    const value = head?.header(name)
    if (value === undefined) return []
    if (value.length > MAX_VALUE_LENGTH) throw refused(`${name} is too long`)
    return [[name, value]]
  })
}

/** Refuses an older request whose `Mcp-Method` or `Mcp-Name` header does not agree with its body. */
export function checkMirrors(ctx: RequestContext, name: string): void {
  const { head, session } = ctx
  // Newer requests were checked, as the revision demands, before they came here.
  if (head === undefined || session === undefined) return
  const method = head.header('mcp-method')
  if (method !== undefined && method !== ctx.method) throw mismatch('Mcp-Method')
  const named = head.header('mcp-name')
  if (named !== undefined && named !== name) throw mismatch('Mcp-Name')
}

function mismatch(header: string): RpcError {
  return new RpcError(INVALID_REQUEST, `Header mismatch: ${header} does not match the body`, { code: HEADER_MISMATCH })
}

function refused(reason: string): RpcError {
  return new RpcError(INVALID_REQUEST, `Invalid request: ${reason}`)
}
