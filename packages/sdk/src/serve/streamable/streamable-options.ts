/** What can be set on the MCP endpoint, and how an adapter presents a request to it. */

import type { JsonLimits } from '../../framing/json.ts'
import type { Receiving } from '../../framing/receiving.ts'
import type { OptionTable } from '../../jsonrpc/option-table.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { Reply } from '../../transport/http-reply.ts'
import type { Authenticate, Protection } from '../rules/authorization.ts'
import { JSON_OPTIONS, LIMIT_OPTIONS, type ServeLimits } from '../rules/limits.ts'
import { ORIGIN_CHECK_OPTIONS, type OriginCheckOptions } from '../rules/origin-check.ts'
import type { EventStoreFactory } from './event-store.ts'
import type { SessionStore } from './session-store.ts'
import type { HttpSession } from './streamable-session.ts'

export type { Authentication } from '../rules/authorization.ts'

/** How Streamable HTTP is served: sessions, origins, limits. */
export interface StreamableOptions extends OriginCheckOptions {
  /** The path of the MCP endpoint; when absent, every path is. */
  readonly path?: string
  /** The path of the event stream of the old HTTP+SSE transport; when absent, only the MCP endpoint offers it. */
  readonly ssePath?: string
  /** Where clients of the old transport post; the path of their event stream when absent. */
  readonly messagesPath?: string
  /** Says who a request comes from, on every request. Undefined lets it pass as anonymous. */
  readonly authenticate?: Authenticate
  /**
   * In place of `authenticate`: what protects the server, with the documents that tell clients how to sign in. See
   * `requireBearer`.
   */
  readonly auth?: Protection
  /** False serves the older revisions without sessions: nothing is kept between requests. */
  readonly sessions?: SessionStore<HttpSession> | false
  readonly events?: EventStoreFactory
  readonly limits?: Partial<ServeLimits>
  /** Bounds on the JSON of a message. */
  readonly json?: JsonLimits
  /** Failures that no client may see; by default they go to the server's own error hook. */
  readonly onError?: (error: unknown) => void
}

export const STREAMABLE_OPTIONS: OptionTable<StreamableOptions> = {
  ...ORIGIN_CHECK_OPTIONS,
  path: 'path',
  ssePath: 'path',
  messagesPath: 'path',
  authenticate: 'function',
  auth: 'protection',
  sessions: 'any',
  events: 'function',
  limits: LIMIT_OPTIONS,
  json: JSON_OPTIONS,
  onError: 'function',
}

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
