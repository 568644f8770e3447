/** What the supervision of a server (`supervised-server.ts`) is given by whoever holds it, and what it reports. */

import type { ConnectOptions, LogLevel, ProcessView } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import type { BreakerOptions } from './connection/breaker.ts'
import type { Tap } from './connection/link-tap.ts'
import type { ClientTelemetryApi } from './connection/link-telemetry.ts'
import type { InProcessFactory, TargetResolver } from './connection/resolve.ts'
import type { SharedBreakers } from './connection/shared-breakers.ts'
import type { ConnectionRequest, QuestionHandlers, UpstreamState } from './upstream.ts'

/** Told how a permitted attempt to connect ended, and why where it failed. */
export type AttemptEnd = (outcome: 'ok' | 'error' | 'cancelled', reason?: string) => void

/** What all servers of a host share. */
export interface SupervisionOptions {
  readonly resolve?: TargetResolver
  readonly inProcess?: ReadonlyMap<string, InProcessFactory>
  /**
   * Asked before anything is started or dialled; rejecting forbids it. The signal tells that it is no longer wanted. The
   * function it resolves to, if any, is told what came of the attempt; a connection that is made again by itself, in
   * place of one that was permitted and lost, asks and tells nothing.
   */
  readonly admit?: (
    config: ServerConfig,
    request: ConnectionRequest,
    signal: AbortSignal,
    // biome-ignore lint/suspicious/noConfusingVoidType: whoever wants to be told nothing returns nothing
  ) => Promise<AttemptEnd | undefined | void>
  /** Who answers on the host's own connections, those without principal and session. */
  readonly questions?: (config: ServerConfig) => QuestionHandlers
  readonly breaker?: Partial<BreakerOptions>
  /** Which servers behind a URL other replicas leave alone. */
  readonly shared?: SharedBreakers | undefined
  /** How long a connection that nobody uses is kept. */
  readonly idleMs?: number
  /** How long a server that left a call unanswered may take to answer a ping before it is started anew. */
  readonly pingMs?: number
  readonly telemetry?: ClientTelemetryApi
  /** Takes secrets out of what is shown: log lines, and why a server is not there. */
  readonly hide?: (text: string) => string
  readonly info?: ConnectOptions['info']
}

export interface SupervisionEvents {
  state(state: UpstreamState): void
  changed(kind: 'tools' | 'resources' | 'prompts'): void
  log(connection: string, source: LogSource, text: string, level?: LogLevel): void
  started(process: ProcessView): void
  isTapped(): boolean
  tap(connection: string, ...message: Parameters<Tap['message']>): void
  lost(connection: string, ...request: Parameters<Tap['lost']>): void
}

/**
 * Where a log line of a server comes from: its standard error, a log message of the protocol, or a warning of the
 * connection.
 */
export type LogSource = 'stderr' | 'message' | 'warning'
