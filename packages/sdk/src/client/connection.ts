/**
 * A connection as the client sees it: a live peer and what the handshake settled. Making one is `connect/`'s business;
 * the client only knows that there is a `Connector` which can make another when this one is lost.
 */

import type { JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/logging.ts'
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_VERSION } from '../protocol/meta.ts'
import type { Revision } from '../protocol/revision.ts'
import { writeClientCapabilities } from '../protocol/revisions/client-messages.ts'
import { TASKS_EXTENSION } from '../protocol/revisions/vocabulary.ts'
import type { Envelope } from './link.ts'
import type { Negotiated } from './negotiated.ts'
import type { ClientPeer, PeerEvents } from './peer.ts'

/** What a server says of itself. */
export interface ServerDescription {
  /** As the server names itself: for display, never for decisions. */
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
}

export interface Connection {
  readonly peer: ClientPeer
  readonly revision: Revision
  readonly server: ServerDescription
  readonly negotiated: Negotiated
}

/** What a client says of itself in every handshake. */
export interface ClientProfile {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
}

export interface Connector {
  /** For logs and errors; holds no secret. */
  readonly label: string
  /** Tells this server from all others. May hold what the label must not. */
  readonly key: string
  /** Whether a lost connection can be replaced. */
  readonly reopens: boolean
  /** Whether each loss is a crash that counts against the restart budget. */
  readonly restarts: boolean
  open(profile: ClientProfile, events: PeerEvents, signal: AbortSignal): Promise<Connection>
}

/** The `_meta` that every modern request carries. Made and written once per connection, and shared by its requests. */
export function createEnvelope(
  revision: Revision,
  { info, capabilities }: ClientProfile,
  logLevel?: LogLevel,
  tasks = false,
): Envelope {
  const declared = tasks
    ? { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } }
    : capabilities
  const value: JsonObject = {
    [META_VERSION]: revision.version,
    [META_CLIENT_INFO]: revision.writeImplementation(info),
    [META_CLIENT_CAPABILITIES]: writeClientCapabilities(revision, declared),
  }
  if (logLevel !== undefined) value[META_LOG_LEVEL] = logLevel
  return { version: revision.version, value, text: JSON.stringify(value).slice(1, -1) }
}
