/** What a client can be told when it is made, what a single request can be told, and the defaults of both. */

import type { JsonObject } from '../jsonrpc/message.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { ResultCache } from './features/cache.ts'
import type { ElicitationHandlers } from './features/elicitation.ts'
import type { RootsSource } from './features/roots.ts'
import type { SamplingHandler, SamplingOptions } from './features/sampling.ts'
import type { Progress } from './peer.ts'
import type { RequestRelay } from './relay.ts'
import type { ToolRun } from './tasks/run.ts'

/** What a client offers to servers, and its bounds and times. */
export interface ClientOptions {
  /** How this client names itself. */
  readonly info?: Implementation
  /** The places a server may work in: a list, or a function that gives the current one. */
  readonly roots?: RootsSource
  /** Answers a server's requests for a completion by this side's model. */
  readonly sampling?: SamplingHandler | SamplingOptions
  /** Answers a server's questions to the person who uses this client. */
  readonly elicitation?: ElicitationHandlers
  /**
   * Whether calls of tools may become tasks, which are then followed to their end: `follow` unless given. With `never`, tasks are
   * neither declared nor asked for.
   */
  readonly tasks?: 'follow' | 'never'
  /**
   * Lets a server of 2025-11-25 have its requests for sampling and elicitation answered as tasks, as far as there are handlers for
   * them. They are kept in the memory of this client. Off unless given.
   */
  readonly receiveTasks?: boolean
  readonly experimental?: { readonly [name: string]: JsonObject }
  readonly extensions?: { readonly [id: string]: JsonObject }
  /** Result types that extensions define; any other than the protocol's own is an error. */
  readonly resultTypes?: readonly string[]
  /** Ask for log messages of at least this level from the start. */
  readonly logLevel?: LogLevel
  /** Where results with a time to live are kept; in this client's memory unless given. `false` keeps none. */
  readonly cache?: ResultCache | false
  /**
   * Keeps what was read from a server of the older revisions, which says nothing of freshness, while it is subscribed to
   * and until it is `updated`. Off unless given: such a server may forget to say so.
   */
  readonly cacheUntilUpdated?: boolean
  /** Names who this client is to the server within a shared cache. Never the credential itself. */
  readonly cacheIdentity?: string
  readonly timeouts?: Partial<ClientTimeouts>
  /** Bounds on what a server may send; an answer beyond one fails its call, and the error names the option. */
  readonly limits?: Partial<ClientLimits>
}

/** How long requests of each kind may take, in milliseconds. */
export interface ClientTimeouts {
  /** `tools/call`; progress that somebody listens to starts it anew. */
  readonly callMs: number
  /** The most that progress can extend a call to. */
  readonly ceilingMs: number
  /** `resources/read`, `prompts/get`, `completion/complete`. */
  readonly readMs: number
  /** One page of a list, and other small requests. */
  readonly listMs: number
  /** Making a connection, the handshake included. */
  readonly connectMs: number
  /** The longest that a task is followed, however long its server says that it is kept. */
  readonly taskMs: number
}

/** Bounds on what a server may send and ask. */
export interface ClientLimits {
  /** Pages of one list. */
  readonly maxPages: number
  /** Items of one list, all pages together. */
  readonly maxListItems: number
  /** About how many bytes the pages of one list take together, where it comes in several. */
  readonly maxListBytes: number
  /** Rounds of input that one request may ask for. */
  readonly maxRounds: number
  /** Questions in one round. */
  readonly maxQuestions: number
  /** Notifications that are taken from a server in one second. */
  readonly notificationsPerSecond: number
  /** Requests of a server's that are being answered at the same time. */
  readonly maxOpenQuestions: number
  /** Bytes of one message from the server, however it comes: a body, an event, a line or a frame. */
  readonly maxAnswerBytes: number
  /** UTF-16 units of one string in a message, names included: pictures and files are such strings. */
  readonly maxStringLength: number
  /** Arrays and objects inside one another in a message. */
  readonly maxDepth: number
  /** Members of one object in a message. */
  readonly maxKeys: number
  /** Items of one array in a message. */
  readonly maxItems: number
  /** Arrays, objects and members of objects in a message, all together. */
  readonly maxNodes: number
}

/** What a single request can be told. */
export interface RequestOptions {
  /**
   * The most that the request may take; what it takes to answer the server's questions is not counted. A call that becomes a
   * task has it until the server has accepted the task: then `taskMs` counts.
   */
  readonly timeoutMs?: number
  /**
   * Whether each report of progress starts the time allowed anew, up to `ceilingMs` of the client. Unless given, it
   * does where `onProgress` is given and `timeoutMs` is not.
   */
  readonly resetOnProgress?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Goes into `_meta`: `traceparent` and the like. */
  readonly meta?: JsonObject
  /** Headers for this request alone, where the transport and the revision mirror requests into headers. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** For gateways: what the server asks and logs while this request runs goes here, not to the client's own handlers. */
  readonly relay?: RequestRelay
  /**
   * For the call of a tool of 2025-11-25: asks for a task wherever the tool can be one, and to have it kept for so long. Without
   * it, only tools that are nothing else are called so. For `request`: takes a task of 2026-07-28 for an answer.
   */
  readonly task?: boolean | { readonly ttlMs?: number }
  /** Told of the task that a call became: its id is what another process needs to go on with it. */
  readonly onTask?: (run: ToolRun) => void
  /** The request may be sent again when it is not known whether the server had it. True for what only reads, unless given. */
  readonly idempotent?: boolean
}

/** The times of a client unless others are given. */
export const CLIENT_TIMEOUTS: ClientTimeouts = {
  callMs: 30_000,
  ceilingMs: 600_000,
  readMs: 10_000,
  listMs: 2_000,
  connectMs: 30_000,
  taskMs: 86_400_000,
}

/** The limits of a client unless others are given. */
export const CLIENT_LIMITS: ClientLimits = {
  maxPages: 64,
  maxListItems: 10_000,
  maxListBytes: 64 * 1024 * 1024,
  maxRounds: 10,
  maxQuestions: 32,
  notificationsPerSecond: 200,
  maxOpenQuestions: 32,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxStringLength: 16 * 1024 * 1024,
  maxDepth: 128,
  maxKeys: 10_000,
  maxItems: 100_000,
  maxNodes: 1_000_000,
}

export const DEFAULT_INFO: Implementation = { name: 'portico-client', version: '0.1.0' }
