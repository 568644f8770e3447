/** The outcome of negotiation, in a form that can be kept and given to the next connection. */

import type { Era, ProtocolVersion } from '../protocol/revision.ts'

/** What connecting found out about a server. Give it to `connect` as `prior` to save the probing next time. */
export interface Negotiated {
  readonly era: Era
  readonly version: ProtocolVersion
  readonly transport: 'channel' | 'streamable-http' | 'http+sse'
}
