/**
 * What protects an HTTP endpoint: a function that says who is asking, and the public documents that tell clients how
 * to become somebody. `bearer.ts` and `authorization-certificate.ts` make these; `streamable.ts` asks them.
 */

import type { Principal } from '../../auth/principal.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { Reply } from '../../transport/http-reply.ts'
import { isRefusal, type Refusal } from './http-refusal.ts'
import { notAllowed } from './refusals.ts'

/** What `authenticate` returns: the principal, a refusal, or undefined for an anonymous caller. */
export type Authentication = Principal | Refusal | undefined

export type Authenticate = (head: RequestHead) => Authentication | Promise<Authentication>

/** How a server is protected: who is let in, and how others are told what to do. */
export interface Protection {
  /** Runs on every request, before its body is read. */
  readonly authenticate: Authenticate
  /** JSON documents that anybody may read, by path. */
  readonly documents?: ReadonlyMap<string, string>
}

/**
 * Asks several protections in order, and goes by the first that does not refuse. A caller whom all refuse gets the
 * refusal of the last.
 *
 * @example
 * ```ts
 * import { anyOf, requireBearer, requireCertificate } from '@portico/sdk/bearer'
 *
 * const auth = anyOf(
 *   requireCertificate(),
 *   requireBearer({ issuer: 'https://login.example.com', resource: 'https://mcp.example.com/mcp' }),
 * )
 * ```
 */
export function anyOf(...protections: readonly [Protection, ...Protection[]]): Protection {
  return {
    async authenticate(head) {
      let refusal: Refusal | undefined
      for (const { authenticate } of protections) {
        const found = await authenticate(head)
        if (found === undefined || !isRefusal(found)) return found
        refusal = found
      }
      return refusal
    },
    documents: new Map(protections.flatMap(({ documents }) => [...(documents ?? [])])),
  }
}

/**
 * What an `authenticate` function said, held against what it may say. Anything else, such as an empty object or null,
 * is a mistake that would let everybody in, and throws.
 */
export function toAdmission(outcome: unknown): Authentication {
  if (outcome === undefined) return undefined
  if (typeof outcome === 'object' && outcome !== null && (isRefusal(outcome) || isPrincipal(outcome))) return outcome
  throw new PorticoError(
    'invalid-definition',
    'authenticate must return a principal with an id and scopes (see createPrincipal), a refusal with a status, or undefined',
  )
}

/** Anything with `then`: a promise of another library that was taken for a principal would let everybody in. */
export function isThenable(outcome: unknown): outcome is PromiseLike<Authentication> {
  return typeof outcome === 'object' && outcome !== null && 'then' in outcome
}

function isPrincipal(value: object): value is Principal {
  if (!('id' in value) || typeof value.id !== 'string' || value.id === '' || !('scopes' in value)) return false
  const { scopes } = value
  return typeof scopes === 'object' && scopes !== null && 'has' in scopes && typeof scopes.has === 'function'
}

/** Answers a request for a public document, whatever page it comes from: there is nothing in it to protect. */
export function serveDocument(text: string, head: RequestHead, reply: Reply): Refusal | undefined {
  if (head.method === 'OPTIONS') {
    reply.empty(204, [
      ...OPEN,
      'access-control-allow-methods',
      'GET',
      'access-control-allow-headers',
      '*, mcp-protocol-version',
    ])
    return undefined
  }
  if (head.method !== 'GET' && head.method !== 'HEAD') {
    return notAllowed('GET', 'GET, HEAD, OPTIONS')
  }
  reply.json(200, text, [...OPEN, 'cache-control', 'public, max-age=300'])
  return undefined
}

const OPEN = ['access-control-allow-origin', '*'] as const
