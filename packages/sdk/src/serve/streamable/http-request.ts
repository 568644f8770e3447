/** How an adapter presents a request to the MCP endpoint. */

import type { Receiving } from '../../framing/receiving.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { Reply } from '../../transport/http-reply.ts'

/** One HTTP request, as an adapter presents it. */
export interface HttpRequest {
  readonly head: RequestHead
  readonly reply: Reply
  /** The address that it comes from, where the runtime tells. */
  readonly peer?: string | undefined
  /**
   * Reads the body, or what a framework in front has already made of it. Not called when the head decides. `count` begins
   * to count what arrives: for a body that is larger than `RECEIVE_SHARE`, until it is read or given up.
   */
  read(maxBytes: number, count: () => Receiving, done: (body: Body) => void): void
}

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  /** There is no room for it now. */
  | { readonly kind: 'busy'; readonly reason: string }
  | { readonly kind: 'not-utf8' }
