/**
 * The toolset that a caller chose by `?tools=` or the header `Mcp-Tools`. Each HTTP request names its own; a WebSocket
 * names it once, in the request that opened it. Messages on a connection carry no head, but they do carry the principal
 * it was opened by, so the choice goes along with that.
 */

import { randomUUID } from 'node:crypto'
import type { Authentication, Protection } from '@portico/sdk/bearer'
import { createPrincipal, type Principal, type RequestContext } from '@portico/sdk/server'

/** The header by which a caller chooses its toolset; the URL's `?tools=` says the same. */
export const TOOLS_HEADER = 'mcp-tools'
/** Stands for callers that nobody has identified. */
export const ANONYMOUS = '(anonymous)'

type Head = Parameters<Protection['authenticate']>[0]

interface Choice {
  readonly toolset: string
  /** Stands for nobody: the connection was opened by a caller whom nobody has identified. */
  readonly anonymous: boolean
}

/** By principals that are made for one connection each. */
const CHOICES = new WeakMap<Principal, Choice>()
const MAX_LENGTH = 4_096

/**
 * Wraps an `authenticate` function so that a WebSocket connection keeps the toolset that its first request chose by
 * `?tools=` or the header `Mcp-Tools`. For `serveWebSocket` and `attachWebSocket`; `serveGateway` does it by itself.
 *
 * @example
 * ```ts
 * import { createGateway, withToolsets } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 * import { serveWebSocket } from '@portico/sdk/websocket'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) }, { allowAnonymous: true })
 * await serveWebSocket(gateway.server, { port: 3000, authenticate: withToolsets() })
 * ```
 */
export function withToolsets(authenticate?: Protection['authenticate']): Protection['authenticate'] {
  return async (head) => {
    const found = await authenticate?.(head)
    const toolset = named(head)
    return toolset === '' || isRefusal(found) ? found : choose(found, toolset)
  }
}

/** The toolset that a request names, or that its connection was opened with; empty for none. */
export function toolsetOf({ head, principal }: RequestContext): string {
  if (head !== undefined) return named(head)
  return (principal && CHOICES.get(principal)?.toolset) ?? ''
}

/** Who asks: everything here that is about a caller is about this. */
export function callerOf({ principal }: Pick<RequestContext, 'principal'>): Principal | undefined {
  return principal === undefined || CHOICES.get(principal)?.anonymous === true ? undefined : principal
}

function choose(found: Principal | undefined, toolset: string): Principal {
  // Of its own in any case: verified principals are kept and used again, for connections that chose otherwise.
  const own = found === undefined ? createPrincipal(`(anonymous) ${randomUUID()}`) : { ...found }
  CHOICES.set(own, { toolset, anonymous: found === undefined })
  return own
}

function named(head: Head): string {
  const query = head.url.indexOf('?')
  const chosen = query < 0 ? null : new URLSearchParams(head.url.slice(query + 1)).get('tools')
  return (chosen ?? head.header(TOOLS_HEADER) ?? '').trim().slice(0, MAX_LENGTH)
}

function isRefusal(found: Authentication): found is Exclude<Authentication, Principal | undefined> {
  return found !== undefined && 'status' in found
}
