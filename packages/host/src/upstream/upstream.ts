/**
 * A server that the host is, was or should be connected to: its state for people to see, and the way to a client for
 * those above (`guard/`, `gateway/`). What is behind it is in `upstreams.ts` and the files beside it.
 */

import type {
  AskContext,
  Client,
  ElicitationHandlers,
  ProtocolVersion,
  Root,
  SamplingOptions,
} from '@portico/sdk/client'
import type { Principal } from '@portico/sdk/server'
import type { ServerConfig } from '../config/server-config.ts'
import type { ServerIdentity } from './identity.ts'

/**
 * The states that a server can be in. `degraded` works with trouble, or is being connected again; `quarantined` has
 * definitions that wait for approval.
 */
export type UpstreamStateName =
  | 'starting'
  | 'ready'
  | 'degraded'
  | 'needs-sign-in'
  | 'quarantined'
  | 'failed'
  | 'disabled'
  /** Lazy, and nobody has needed it yet. */
  | 'idle'

/** The state of a server, why it is so and what can be done; `since` and `retryAt` are in milliseconds since 1970. */
export interface UpstreamState {
  readonly state: UpstreamStateName
  /** Why, in one line; absent when there is nothing to say. */
  readonly reason?: string
  /** What the user can do about it, in one line. */
  readonly remedy?: string
  readonly since: number
  /** With `starting`: nothing is started yet, somebody has to allow it first. */
  readonly awaits?: 'permission'
  /** When it is tried again by itself, where it is. */
  readonly retryAt?: number
}

/** What can be seen of a server without touching it. */
export interface UpstreamView {
  readonly name: string
  readonly config: ServerConfig
  readonly state: UpstreamState
  readonly version?: ProtocolVersion
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string }
  readonly instructions?: string
  /** What else it says of itself. */
  readonly identity?: ServerIdentity
  readonly pid?: number
  readonly stderrTail?: string
  /** The time of the last answered ping or call, in milliseconds. */
  readonly latencyMs?: number
  readonly calls: number
  readonly errors: number
  readonly connections: number
}

/** Who answers what a server asks of its client. Made by `guard/` or `gateway/` for each connection. */
export interface QuestionHandlers {
  readonly elicitation?: ElicitationHandlers
  readonly sampling?: SamplingOptions
  readonly roots?: (context: AskContext) => readonly Root[] | Promise<readonly Root[]>
}

/** For whom a connection to a server is wanted, and who answers the server's questions on it. */
export interface ConnectionRequest {
  /** Connections are kept apart by principal unless the server is shareable. */
  readonly principal?: Principal
  /** Tells apart connections of one principal that must not share one: a gateway's downstream session. */
  readonly session?: string
  readonly questions?: QuestionHandlers
  readonly signal?: AbortSignal
}

/** The way to clients, for those who need no more. */
export interface UpstreamSource {
  /** A connected client, made now if there is none. Rejects with `unavailable` or `unknown-server`. */
  client(server: string, request?: ConnectionRequest): Promise<Client>
  /** The client that `client` would resolve with, where there is one now: for those who need one for every call. */
  standing?(server: string, request: ConnectionRequest): Client | undefined
  /** Ends what was connected for one principal or session. */
  release(server: string, request: Pick<ConnectionRequest, 'principal' | 'session'>): Promise<void>
  views(): readonly UpstreamView[]
  /** A text without the secrets that servers were given; whatever they say is passed on through it. */
  hide?(text: string): string
}
