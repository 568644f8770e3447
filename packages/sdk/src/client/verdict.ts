/** The outcome of negotiation, in a form that can be kept and given to the next connection. */

import type { Era, ProtocolVersion } from '../protocol/revision.ts'

/** What was found out about a server, to be used again next time. */
export interface Verdict {
  readonly era: Era
  readonly version: ProtocolVersion
  readonly transport: 'channel' | 'streamable-http' | 'http+sse'
}
