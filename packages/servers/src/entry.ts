/**
 * What every server of this package says of itself before it is loaded: enough to list it, to show its options and to
 * start it. An entry imports nothing heavy; `create` does, once the server is wanted.
 */

import type { Server } from '@portico/sdk/server'

/** An option as a command line and a configuration file know it. Its name is that of the `create*` function's option. */
export interface EntryOption {
  readonly type: 'string' | 'boolean' | 'number'
  /** May be given several times; the value is then a list. */
  readonly multiple?: boolean
  readonly about: string
  /** What it is unless given, for people to read. */
  readonly fallback?: string
}

/** A value that an option of a server can have. */
export type EntryValue = string | number | boolean | readonly string[]

/**
 * What a ready-made server says of itself before it is loaded: its name, what it does, its options, and how to make it.
 */
export interface ServerEntry {
  readonly name: string
  /** One line: what it does. */
  readonly about: string
  /** What the arguments without a name are, where there are any: the directories of `files`. Names one of the options. */
  readonly positional?: string
  readonly options: { readonly [name: string]: EntryOption }
  create(values: { readonly [option: string]: EntryValue | undefined }): Promise<ReadyServer>
}

/** A server with whatever it holds open behind it. */
export interface ReadyServer {
  readonly server: Server
  /** Ends watchers, connections and processes. Idempotent. */
  close(): Promise<void>
}
