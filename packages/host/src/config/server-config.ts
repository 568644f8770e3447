/**
 * A server as every configuration form means it, once read: what `config/` makes of other programs' files and of our
 * own, and all that `upstream/` needs to know. Plain data; secrets in it are references until a connection is made.
 */

import type { JsonObject, LogLevel } from '@portico/sdk/server'

/** Text that may name secrets and variables; `resolveTarget` turns it into a string at the moment of use. */
type SecretText = string

/** How a server is reached: a program to start, an address, or a server within this process. */
export type ServerTarget =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly SecretText[]
      readonly env: { readonly [name: string]: SecretText }
      readonly cwd?: string
      /** A file of `NAME=value` lines, read when the program is started; `env` wins over it. */
      readonly envFile?: string
    }
  | {
      readonly kind: 'http' | 'sse' | 'websocket'
      readonly url: SecretText
      readonly headers: { readonly [name: string]: SecretText }
    }
  /** One of the ready-made servers (`@portico/servers`), or one that the embedding program registered, by name. */
  | { readonly kind: 'in-process'; readonly module: string; readonly options: JsonObject }

/** How an item of a server is shown: everything a person may change about a definition that is not theirs. */
export interface ItemOverride {
  readonly rename?: string
  readonly hide?: boolean
  readonly describe?: string
  /** Arguments that are always given, and are not shown to the model. */
  readonly presets?: JsonObject
  /** For a tool: what the server's `tasks` says, for it alone. */
  readonly tasks?: TaskUse
  /** For a tool: what the server's `tasksAfterMs` says, for it alone. */
  readonly tasksAfterMs?: number
}

/** Whether a gateway makes tasks of calls that take long, for callers that can have them. */
type TaskUse = 'auto' | 'off'

/**
 * How a server is treated once it is known how it is reached. `startMs` and `callMs` are how long connecting and a call
 * may take in milliseconds; `maxConcurrent` is how many calls may run at a time.
 */
export interface ServerSettings {
  /** Not connected to until enabled. */
  readonly disabled: boolean
  /** Connect when first needed instead of at start. */
  readonly lazy: boolean
  readonly startMs: number
  readonly callMs: number
  readonly maxConcurrent: number
  /** Calls in a minute; 0 is no limit. */
  readonly callsPerMinute: number
  /** One connection may serve several principals: the server keeps nothing about its caller. */
  readonly shareable: boolean
  /** Whether calls that take long become tasks for callers of a gateway. */
  readonly tasks: TaskUse
  /** How long a call may take before it becomes one. */
  readonly tasksAfterMs: number
  /** Its annotations may be believed, and definitions may change without a new approval. */
  readonly trusted: boolean
  /** Roots that it is offered: file URIs or paths. */
  readonly roots: readonly string[]
  /** Log messages of at least this level are asked for; what the server sends by itself, or `info`, unless given. */
  readonly logLevel?: LogLevel
  readonly tools: { readonly [name: string]: ItemOverride }
  readonly resources: { readonly [uri: string]: ItemOverride }
  readonly prompts: { readonly [name: string]: ItemOverride }
  /** Sampling for this server: models it may use, and bounds. */
  readonly sampling: {
    readonly models: readonly string[]
    readonly requestsPerMinute: number
    readonly tokensPerDay: number
  }
  /** Settings of the connection that only some targets have: OAuth, TLS. Checked by who uses them. */
  readonly auth?: JsonObject
  readonly tls?: JsonObject
}

/** Where an entry was written, so that a message can say so. */
export interface ConfigPlace {
  readonly file: string
  /** Where in the file: `mcpServers.github`. */
  readonly path: string
  readonly line?: number
}

/** One server of the configuration: its name, how it is reached, its settings, and where it was written. */
export interface ServerConfig {
  readonly name: string
  readonly target: ServerTarget
  readonly settings: ServerSettings
  readonly place: ConfigPlace
  /** Equal for two entries that mean the same connection: only what changed reconnects. */
  readonly fingerprint: string
}

/** Something in a configuration file that cannot be used, or should be looked at. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  readonly place: ConfigPlace
  /** What is wrong, in one line. */
  readonly message: string
  /** What to do, in one line. */
  readonly remedy: string
}

/** The settings of a server whose entry says nothing else. */
export const DEFAULT_SETTINGS: ServerSettings = {
  disabled: false,
  lazy: false,
  startMs: 30_000,
  callMs: 60_000,
  maxConcurrent: 64,
  callsPerMinute: 0,
  shareable: false,
  tasks: 'auto',
  tasksAfterMs: 5_000,
  trusted: false,
  roots: [],
  tools: {},
  resources: {},
  prompts: {},
  sampling: { models: [], requestsPerMinute: 10, tokensPerDay: 200_000 },
}
