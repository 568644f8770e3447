/** What the files server may be told, with every default said once. `server.ts` builds on the settled form. */

import { PorticoError } from '@portico/sdk/server'
import type { AnswerOptions } from '../answers.ts'
import { DENIED } from './deny.ts'

/**
 * Options of `createFilesServer`: which directories can be reached, whether they may be changed, and how much at a
 * time. Times are in milliseconds.
 */
export interface FilesOptions extends AnswerOptions {
  /** The directories that can be reached: at least one. */
  readonly directories: readonly string[]
  /** Adds the tools that change files. Off by default. */
  readonly write?: boolean
  /** Change files even when the client cannot ask its user. Off by default. */
  readonly allowUnasked?: boolean
  /** Where trashed files go; a `.trash` folder inside their own directory unless given. Must be on the same disk. */
  readonly trash?: string
  /** Bytes that one read may return: 262,144 unless given. */
  readonly maxReadBytes?: number
  /** Bytes that one write may leave in a file: 4,194,304 unless given. */
  readonly maxWriteBytes?: number
  /** Entries on one page of a listing or search: 200 unless given. */
  readonly maxResults?: number
  /** How deep searches and trees go: 32 unless given. */
  readonly maxDepth?: number
  /** Entries that one listing or search may look at: 100,000 unless given. */
  readonly maxEntries?: number
  /** How long one search may take: 20,000 unless given. */
  readonly timeoutMs?: number
  /** Files that may be watched for subscribers at one time: 2,000 unless given. */
  readonly maxWatched?: number
  /** Names the files themselves in the list of resources, besides the directories. Off by default. */
  readonly listFiles?: boolean
  /** Files that the list of resources names: 1,000 unless given. */
  readonly maxListed?: number
  /** Leave out what `.gitignore` and `.ignore` name, in searches and trees. On by default. */
  readonly ignore?: boolean
  /** Keep to the client's roots as well, when it offers any. On by default. */
  readonly followRoots?: boolean
  /** Names that are refused, in the syntax of `.gitignore`; replaces the default list. */
  readonly deny?: readonly string[]
  /** Whether ripgrep is used where it is installed. On by default. */
  readonly ripgrep?: boolean
}

export type FilesSettings = Required<Omit<FilesOptions, 'trash' | 'structured'>> & {
  readonly trash: string | undefined
}

const NUMBERS = {
  maxReadBytes: 262_144,
  maxWriteBytes: 4_194_304,
  maxResults: 200,
  maxDepth: 32,
  maxEntries: 100_000,
  timeoutMs: 20_000,
  maxWatched: 2_000,
  maxListed: 1_000,
} as const

/** Fills in the defaults, or says what is wrong with an option. */
export function settleFilesOptions(options: FilesOptions): FilesSettings {
  const { directories } = options
  if (!Array.isArray(directories) || directories.length === 0) {
    throw new PorticoError(
      'invalid-definition',
      'files: name at least one directory (option "directories"), as in `portico run files ./docs`',
    )
  }
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const value = options[name]
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw new PorticoError('invalid-definition', `files: option "${name}" must be a whole number above 0`)
  }
  return {
    directories,
    write: options.write ?? false,
    allowUnasked: options.allowUnasked ?? false,
    trash: options.trash,
    maxReadBytes: options.maxReadBytes ?? NUMBERS.maxReadBytes,
    maxWriteBytes: options.maxWriteBytes ?? NUMBERS.maxWriteBytes,
    maxResults: options.maxResults ?? NUMBERS.maxResults,
    maxDepth: options.maxDepth ?? NUMBERS.maxDepth,
    maxEntries: options.maxEntries ?? NUMBERS.maxEntries,
    timeoutMs: options.timeoutMs ?? NUMBERS.timeoutMs,
    maxWatched: options.maxWatched ?? NUMBERS.maxWatched,
    listFiles: options.listFiles ?? false,
    maxListed: options.maxListed ?? NUMBERS.maxListed,
    ignore: options.ignore ?? true,
    followRoots: options.followRoots ?? true,
    deny: options.deny ?? DENIED,
    ripgrep: options.ripgrep ?? true,
  }
}
