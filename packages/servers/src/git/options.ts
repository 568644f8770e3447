/** What the git server may be told, with every default said once. */

import { PorticoError } from '@portico/sdk/server'
import type { AnswerOptions } from '../answers.ts'
import { type RemoteSettings, toOrigins } from './remotes.ts'

/**
 * Options of `createGitServer`: which repositories can be used, whether they may be changed, and how much at a time.
 * Times are in milliseconds.
 */
export interface GitOptions extends AnswerOptions {
  /** Working trees of repositories: at least one. */
  readonly repositories: readonly string[]
  /** Adds the tools that change a repository. Off by default. */
  readonly write?: boolean
  /** Merge, unstash and switch with changes even when the client cannot ask its user. Off by default. */
  readonly allowUnasked?: boolean
  /** Who commits, as `Name <mail>`; what the repository itself says unless given. */
  readonly author?: string
  /**
   * Hosts that git may reach, as `github.com`, or origins such as `http://127.0.0.1:3000`: with `write`, adds fetch, pull and
   * push. None unless given.
   */
  readonly remotes?: readonly string[]
  /** The variable that holds the token for those hosts: `GIT_TOKEN` unless given. */
  readonly tokenEnv?: string
  /** The user that goes with the token: `x-access-token` unless given, which GitHub takes. */
  readonly tokenUser?: string
  /** Bytes of git's output that one call may use: 262,144 unless given. */
  readonly maxBytes?: number
  /** Commits, branches or lines on one page: 100 unless given. */
  readonly maxResults?: number
  /** How long one run of git may take: 30,000 unless given. */
  readonly timeoutMs?: number
  /** How often a repository that somebody subscribed to is looked at: 2,000 unless given. */
  readonly pollMs?: number
}

interface Author {
  readonly name: string
  readonly email: string
}

type Settled = Omit<GitOptions, 'author' | 'structured' | 'remotes' | 'tokenEnv' | 'tokenUser'>

export type GitSettings = Required<Settled> & {
  readonly author: Author | undefined
  /** Absent where the network is closed. */
  readonly remotes: RemoteSettings | undefined
}

const NUMBERS = { maxBytes: 262_144, maxResults: 100, timeoutMs: 30_000, pollMs: 2_000 } as const

/** Fills in the defaults, or says what is wrong with an option. */
export function settleGitOptions(options: GitOptions): GitSettings {
  const { repositories } = options
  if (!Array.isArray(repositories) || repositories.length === 0) {
    throw new PorticoError(
      'invalid-definition',
      'git: name at least one repository (option "repositories"), as in `portico run git .`',
    )
  }
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const value = options[name]
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw new PorticoError('invalid-definition', `git: option "${name}" must be a whole number above 0`)
  }
  return {
    repositories,
    write: options.write ?? false,
    allowUnasked: options.allowUnasked ?? false,
    author: options.author === undefined ? undefined : toAuthor(options.author),
    remotes: toRemotes(options),
    maxBytes: options.maxBytes ?? NUMBERS.maxBytes,
    maxResults: options.maxResults ?? NUMBERS.maxResults,
    timeoutMs: options.timeoutMs ?? NUMBERS.timeoutMs,
    pollMs: options.pollMs ?? NUMBERS.pollMs,
  }
}

function toRemotes({ remotes = [], tokenEnv = 'GIT_TOKEN', tokenUser = 'x-access-token' }: GitOptions) {
  if (remotes.length === 0) return undefined
  const token = process.env[tokenEnv]
  if (/[\r\n\0:]/.test(tokenUser) || /[\r\n\0]/.test(token ?? '')) {
    throw new PorticoError(
      'invalid-definition',
      `git: the token (${tokenEnv}) or its user has a character that cannot be sent`,
    )
  }
  return { origins: toOrigins(remotes), token: token === '' ? undefined : token, user: tokenUser }
}

function toAuthor(text: string): Author {
  const [, name, email] = /^([^<>\n\0]{1,200}?)\s*<([^<>\s\0]{1,200})>$/.exec(text) ?? []
  if (name !== undefined && email !== undefined) return { name, email }
  throw new PorticoError('invalid-definition', 'git: option "author" must look like "Ada Lovelace <ada@example.com>"')
}
