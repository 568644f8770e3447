/** Everything `createServer` takes beside the items themselves, with its defaults said once. */

import type { PolicyItem } from '../auth/access-policy.ts'
import type { Principal } from '../auth/principal.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { type OptionTable, toBoundTable } from '../jsonrpc/option-table.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import { SCHEMA_LIMITS, type SchemaLimits } from '../schema/schema.ts'
import type { RoundStore } from '../session/kept-rounds/round-store.ts'
import type { SpillOptions } from './budget/budget-store.ts'
import type { RequestContext } from './context.ts'
import type { Feature, FeatureDefinition } from './feature.ts'
import type { ToolEntry, ToolTasks } from './features/tools.ts'
import type { ToolDefinition } from './items/definition.ts'
import type { CacheHint } from './items/item-options.ts'
import type { DefinedRelay } from './relay.ts'
import type { SlowTimes } from './slow.ts'
import type { SlowHook } from './slow-report.ts'

/** Tasks as `createTasks` makes them, for one server. */
export interface DefinedTasks {
  readonly feature: FeatureDefinition<Feature & ToolTasks>
  /** Puts around a tool what makes tasks of its calls. */
  prepare(entry: ToolEntry, definition: ToolDefinition): ToolEntry
  /** Whether other processes find its tasks where they are kept. */
  readonly shared: boolean
}

/** How a server behaves, besides what it has. */
export interface ServerOptions {
  /** Answers everything in place of items of the server's own: what a gateway is made of. See `defineRelay`. */
  readonly relay?: DefinedRelay
  /** Told to the model by clients that pass it on: what this server is for and how to use it. */
  readonly instructions?: string
  /** The revisions to serve; all five by default. `['2026-07-28']` is modern only. */
  readonly versions?: readonly ProtocolVersion[]
  /**
   * Splits the four lists into pages. Off by default, up to 5,000 items: many clients never ask for the second page. Longer
   * lists go out in pages of 1,000.
   */
  readonly pageSize?: number
  /** Freshness hints on the newest revision; `ttlMs` is 0 by default. */
  readonly cache?: { readonly lists?: CacheHint; readonly reads?: CacheHint }
  /** Whether `ctx.log` reaches clients. On by default. */
  readonly logging?: boolean
  /**
   * Declared to clients of every revision as it is. To clients of older revisions, extensions are declared among these
   * by themselves.
   */
  readonly experimental?: { [name: string]: JsonObject }
  /** Makes what handlers find in `ctx.state`; runs once per request. */
  readonly context?: (ctx: RequestContext) => unknown
  /** Gets every unexpected error in full; the client sees only the reference. Standard error by default. */
  readonly onError?: (error: unknown, about: { where: string; reference: string }) => void
  /** Told of handlers that take too long, with what to do about it. Standard error by default. */
  readonly onSlow?: SlowHook
  /** From when on a handler counts as slow; `false` watches none. */
  readonly slow?: Partial<SlowTimes> | false
  /**
   * Bytes that one tool result may have on its way to the model. A larger one is not cut: its first whole items are sent
   * with a link to the rest, or all of it is kept as a resource for a while and linked. Unlimited by default.
   */
  readonly maxResultBytes?: number
  /** How results over `maxResultBytes` are kept. */
  readonly spill?: SpillOptions
  /** A rule over every item, on top of the items' own: what it hides cannot be used. Depends on the principal alone. */
  readonly visible?: (principal: Principal | undefined, item: PolicyItem) => boolean
  /** Bounds on the schemas of tools that are given as JSON Schema, and on checking values against them. */
  readonly schemaLimits?: SchemaLimits
  /** Rounds of input that one request may take on the newest revision. 10 by default. */
  readonly maxRounds?: number
  /** How long a live question to an older client may stay open. 10 minutes by default. */
  readonly askTimeoutMs?: number
  /** 32-byte keys that seal `requestState`, newest first. Random per process by default: give keys to several replicas. */
  readonly stateKeys?: readonly Uint8Array[]
  readonly state?: { readonly ttlMs?: number; readonly maxStateLength?: number }
  /** Lets calls of tools become tasks; see `createTasks`. */
  readonly tasks?: DefinedTasks
  /** Makes each round happen once. In process by default; share one between replicas. */
  readonly roundStore?: RoundStore
}

export const SERVER_OPTIONS: OptionTable<ServerOptions> = {
  relay: 'any',
  instructions: 'text',
  versions: 'texts',
  pageSize: 'count',
  cache: 'record',
  logging: 'flag',
  experimental: 'record',
  context: 'function',
  onError: 'function',
  onSlow: 'function',
  slow: 'any',
  maxResultBytes: 'count',
  spill: { ttlMs: 'bound', maxBytes: 'bound' },
  visible: 'function',
  schemaLimits: toBoundTable(SCHEMA_LIMITS),
  maxRounds: 'bound',
  askTimeoutMs: 'bound',
  stateKeys: 'any',
  state: { ttlMs: 'time', maxStateLength: 'bound' },
  tasks: 'record',
  roundStore: 'record',
}
