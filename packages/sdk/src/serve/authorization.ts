/**
 * What protects an HTTP endpoint: a function that says who is asking, and the public documents that tell clients how
 * to become somebody. `bearer.ts` and `authorization-certificate.ts` make these; `streamable.ts` asks them.
 */

import type { Principal } from '../auth/principal.ts'
import type { RequestHead } from '../session/exchange.ts'
import type { Reply } from '../transport/http-reply.ts'
import { isRefusal, type Refusal } from './http-refusal.ts'

/** Who it is, why not, or nobody in particular. */
export type Authentication = Principal | Refusal | undefined

export type Authenticate = (head: RequestHead) => Authentication | Promise<Authentication>

export interface Protection {
  /** Runs on every request, before its body is read. */
  readonly authenticate: Authenticate
  /** JSON documents for anybody, by path. */
  readonly documents?: ReadonlyMap<string, string>
}

/** Lets in whoever one of several protections knows; the last one's refusal is what the others get. */
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
    return { status: 405, message: 'Method not allowed; allowed: GET', headers: ['allow', 'GET, HEAD, OPTIONS'] }
  }
  reply.json(200, text, [...OPEN, 'cache-control', 'public, max-age=300'])
  return undefined
}

const OPEN = ['access-control-allow-origin', '*'] as const
