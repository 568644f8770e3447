/** What can be set on the MCP endpoint. */

import type { JsonLimits } from '../../framing/json.ts'
import type { OptionTable } from '../../jsonrpc/option-table.ts'
import type { Authenticate, Protection } from '../rules/authorization.ts'
import { JSON_OPTIONS, LIMIT_OPTIONS, type ServeLimits } from '../rules/limits.ts'
import { ORIGIN_CHECK_OPTIONS, type OriginCheckOptions } from '../rules/origin-check.ts'
import type { EventStoreFactory } from './event-store.ts'
import type { SessionSharing, SharedEndpoint, SharedSessions } from './session-sharing.ts'
import type { SessionStore } from './session-store.ts'
import type { HttpSession, SessionSettings } from './streamable-session.ts'

export type { Authentication } from '../rules/authorization.ts'

export type HttpSharing = SessionSharing<HttpSession, SessionSettings>
export type HttpSharedEndpoint = SharedEndpoint<HttpSession, SessionSettings>
export type HttpSharedSessions = SharedSessions<HttpSession>

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
  /** Shares sessions with other processes, so that a request may come to any of them. See `@portico/host/cluster`. */
  readonly sharing?: HttpSharing
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
  sharing: 'any',
  limits: LIMIT_OPTIONS,
  json: JSON_OPTIONS,
  onError: 'function',
}
