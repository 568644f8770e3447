/** What the words that name a server mean, before anything is opened. */

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { startedWord } from '@portico/host/text'
import type { CommandInput } from '../parse/command.ts'
import { splitWords } from '../parse/shell-words.ts'

export type TargetKind =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  /** `args` are for a ready-made server: `files ./docs`. */
  | { readonly kind: 'name'; readonly name: string; readonly args?: readonly string[] }

/** As `definition/load.ts` takes them; not asked there, so that nothing is loaded to tell. */
const DEFINITION_FILE = /\.m?[jt]s$/

export function readTarget(words: readonly string[]): TargetKind {
  const [first = '', ...rest] = words
  if (words.length > 1) return { kind: 'command', command: first, args: rest }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(first) || /^unix:/i.test(first)) return { kind: 'url', url: first }
  const isLine = /\s/.test(first.trim())
  if (DEFINITION_FILE.test(first) && (!isLine || existsSync(first))) return { kind: 'file', file: first }
  if (isLine) {
    const [command = '', ...args] = splitWords(first)
    return { kind: 'command', command, args }
  }
  if (/^\.{0,2}[\\/]/.test(first) && existsSync(first)) return { kind: 'command', command: first, args: [] }
  return { kind: 'name', name: first }
}

/**
 * Which words name the server, and which are left: what follows a bare `--` is the server's command. With `isArgument`, the
 * words right after a name that it accepts belong to the server, as `./docs` does in `files ./docs`.
 */
export function splitTarget(
  { positionals, dashed }: CommandInput,
  isArgument: (word: string, next?: string) => boolean = () => false,
): { readonly target: TargetKind; readonly rest: readonly string[] } {
  const [command, ...args] = dashed
  if (command === undefined) {
    const target = readTarget(positionals.slice(0, 1))
    const rest = positionals.slice(1)
    if (target.kind !== 'name') return { target, rest }
    const end = rest.findIndex((word, at) => !isArgument(word, rest[at + 1]))
    const own = end < 0 ? rest : rest.slice(0, end)
    return { target: own.length === 0 ? target : { ...target, args: own }, rest: rest.slice(own.length) }
  }
  return { target: { kind: 'command', command, args }, rest: positionals.slice(0, -dashed.length) }
}

/** A path: what servers are given to work in, and no name of a tool, pair or address. */
export function isPath(word: string): boolean {
  return !/^[\w.-]+=|^[a-z][\w+.-]*:\/\//i.test(word) && /[\\/]|^[.~]/.test(word)
}

/** The same, or an address: what a description of an interface is read from. */
export function isPathOrUrl(word: string): boolean {
  return isPath(word) || /^[a-z][a-z\d+.-]*:\/\//i.test(word)
}

/**
 * For commands that take a name and key=value pairs: two words without a sign in a row cannot both be that, so that the
 * first is the server's where it is a file, a folder or an address.
 */
export function isServerWord(word: string, next?: string): boolean {
  if (isPathOrUrl(word)) return true
  const isFollowed = next !== undefined && !/^-|=/.test(next)
  return isFollowed && !word.includes('=') && (/[.:]/.test(word) || existsSync(word))
}

/** For `list`, where a kind may follow: what else is a file or folder here is the server's. */
export function isListedWord(word: string): boolean {
  return isPathOrUrl(word) || (!/^(?:tool|resource|template|prompt)s?$/.test(word) && existsSync(word))
}

/** For `read` and `listen`, where addresses follow: a file or folder before one is the server's. */
export function isReadWord(word: string, next?: string): boolean {
  return isPath(word) || (next !== undefined && !word.includes(':') && existsSync(word))
}

/** The server as it may be typed again, on one line of a shell. */
export function wordOf(target: TargetKind): string {
  switch (target.kind) {
    case 'url':
      return target.url
    case 'file':
      return /\s/.test(target.file) ? `'${target.file}'` : target.file
    case 'command':
      return `'${[target.command, ...target.args].join(' ')}'`
    case 'name':
      return [target.name, ...(target.args ?? [])].join(' ')
  }
}

export function labelOf(target: TargetKind): string {
  switch (target.kind) {
    case 'url':
      return URL.canParse(target.url) ? new URL(target.url).host || target.url : target.url
    case 'file':
      return basename(target.file)
    case 'command':
      return basename(startedWord(target.command, target.args))
    case 'name':
      return target.name
  }
}
