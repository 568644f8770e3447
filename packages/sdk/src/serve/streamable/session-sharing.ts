/**
 * How several processes serve the sessions of one server together: what the endpoint of each asks of whoever knows where a
 * session is (`@portico/host/cluster` does), and what it offers in return. Types alone: a server that stands by itself pays
 * one comparison for it.
 */

import type { Principal } from '../../auth/principal.ts'
import type { Outlet } from '../../jsonrpc/channel.ts'
import type { RequestId, RpcRequest } from '../../jsonrpc/message.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Implementation } from '../../protocol/content.ts'
import type { LogLevel } from '../../protocol/logging.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { Load } from '../rules/http-load.ts'
import type { ServeLimits } from '../rules/limits.ts'
import type { EventStoreFactory, StoredEvent } from './event-store.ts'
import type { HttpRequest } from './http-request.ts'
import type { Expiring, SessionStore } from './session-store.ts'

/** What another process needs to know of a session to go on with it. All of it is JSON. */
export interface SessionRecord {
  /** The id of the principal that opened it; absent where nobody was identified. */
  readonly principal?: string
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation
  readonly logLevel?: LogLevel
  readonly subscriptions: readonly string[]
}

/** A stream of a session as the process before kept it. */
export interface StreamRecord {
  readonly id: string
  /** The requests that it was to answer; none for the stream of messages about no request. */
  readonly requests: readonly RequestId[]
  /** Oldest first. */
  readonly events: readonly StoredEvent[]
  /** Whether everything was answered. */
  readonly ended: boolean
}

/** The endpoint of one process, as whoever shares its sessions uses it. */
export interface SharedEndpoint<Session extends Expiring, Settings> {
  readonly endpoint: Endpoint
  readonly load: Load
  readonly sessions: SessionStore<Session>
  readonly settings: Settings
  /** Serves a request whose caller is known: verified here, or by the process that passed it on. */
  serve(request: HttpRequest, principal: Principal | undefined): void
}

/** What an endpoint asks while it serves. */
export interface SharedSessions<Session> {
  /** The name of this process among those that share. */
  readonly name: string
  /** Takes a request whose session may be elsewhere; false says that it is to be served here and now. */
  take(request: HttpRequest, principal: Principal | undefined): boolean
  /** Takes a request that goes on with a call which waits in another process; false says that it is to be served here. */
  takeState(message: RpcRequest, request: HttpRequest, principal: Principal | undefined): boolean
  /** The outlet for a request of a session: one that may change what is kept of it is answered when that is kept. */
  outlet(message: RpcRequest, session: Session, outlet: Outlet): Outlet
  /** A session has ended for good; resolves when no other process would take it up. */
  ended(id: string): Promise<void>
  /** Other processes take up what this one leaves; resolves when requests may be refused here. */
  leave(): Promise<void>
  /** No request is under way any more: the sessions that are still here go to whoever is asked for them next. */
  left(): Promise<void>
}

/** Shares the sessions of a server with other processes. See `createCluster` of `@portico/host/cluster`. */
export interface SessionSharing<Session extends Expiring, Settings> {
  /** Keeps events so that another process can replay them. */
  events(limits: ServeLimits): EventStoreFactory
  /** Called once, by the endpoint that serves here. */
  attach(endpoint: SharedEndpoint<Session, Settings>): SharedSessions<Session>
}
