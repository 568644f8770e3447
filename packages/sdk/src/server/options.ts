/** Everything `createServer` takes beside the items themselves, with its defaults said once. */

import type { JsonObject } from '../jsonrpc/message.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import type { RoundStore } from '../session/round-store.ts'
import type { RequestContext } from './context.ts'
import type { CacheHint } from './definition.ts'

export interface ServerOptions {
  /** Told to the model by clients that pass it on: what this server is for and how to use it. */
  readonly instructions?: string
  /** The revisions to serve; all five by default. `['2026-07-28']` is modern only. */
  readonly versions?: readonly ProtocolVersion[]
  /** Splits the four lists into pages. Off by default: many clients never ask for the second page. */
  readonly pageSize?: number
  /** Freshness hints on the newest revision; `ttlMs` is 0 by default. */
  readonly cache?: { readonly lists?: CacheHint; readonly reads?: CacheHint }
  /** Whether `ctx.log` reaches clients. On by default. */
  readonly logging?: boolean
  readonly experimental?: { [name: string]: JsonObject }
  /** Makes what handlers find in `ctx.state`; runs once per request. */
  readonly context?: (ctx: RequestContext) => unknown
  /** Gets every unexpected error in full; the client sees only the reference. Standard error by default. */
  readonly onError?: (error: unknown, about: { where: string; reference: string }) => void
  /** Rounds of input that one request may take on the newest revision. 10 by default. */
  readonly maxRounds?: number
  /** How long a live question to an older client may stay open. 10 minutes by default. */
  readonly askTimeoutMs?: number
  /** 32-byte keys that seal `requestState`, newest first. Random per process by default: give keys to several replicas. */
  readonly stateKeys?: readonly Uint8Array[]
  readonly state?: { readonly ttlMs?: number; readonly maxStateLength?: number }
  /** Makes each round happen once. In process by default; share one between replicas. */
  readonly roundStore?: RoundStore
}
