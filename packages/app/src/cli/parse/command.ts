/**
 * What a command of the command line is. One declaration gives the parser, `--help`, the page in the docs and the
 * completion scripts; `run` is loaded only when the command is used.
 */

import type { Io } from '../terminal/io.ts'

export interface Flag {
  readonly type: 'string' | 'boolean' | 'number'
  readonly short?: string
  readonly multiple?: boolean
  readonly about: string
  /** What the value is called in help: `--port <number>`. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** What it is unless given, for people to read. */
  readonly fallback?: string
}

export interface Positional {
  readonly name: string
  readonly about: string
  readonly optional?: boolean
  /** Takes all that are left. */
  readonly rest?: boolean
  /** How a shell completes it: by kind, or from these words. */
  readonly completes?: 'server' | 'file' | 'command' | ItemPlace | readonly string[]
}

/** A place for something of the server that stands before it, as it was last listed. */
type ItemPlace = 'tool' | 'tool-argument' | 'resource' | 'prompt' | 'prompt-argument'

interface Example {
  readonly line: string
  readonly about: string
}

export interface Command {
  readonly name: string
  /** One line. */
  readonly about: string
  /** A paragraph or two for the page and for `--help`. */
  readonly details?: string
  readonly positionals: readonly Positional[]
  /** Another order of its words, for help: `<tool> [args…] -- <server…>`. */
  readonly otherUsage?: string
  readonly flags: { readonly [name: string]: Flag }
  readonly examples: readonly Example[]
  /** Everything after the first positional belongs to another program and is not looked at. */
  readonly passesRest?: boolean
  readonly subcommands?: readonly string[]
  /** `commands` is all of them, for those that are about commands. */
  load(): Promise<{ run(input: CommandInput, io: Io, commands: readonly Command[]): Promise<number> }>
}

export type FlagValue = string | number | boolean | readonly string[] | undefined

export interface CommandInput {
  /** Those after a bare `--` included. */
  readonly positionals: readonly string[]
  /** What stood after a bare `--`, as it was typed: another program with its own options. */
  readonly dashed: readonly string[]
  readonly flags: { readonly [name: string]: FlagValue }
  /** `--json` was given: one JSON document (or one a line) on standard output, and nothing else there. */
  readonly json: boolean
}
