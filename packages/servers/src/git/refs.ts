/** The judgement of names that go into git's arguments: revisions, branches, paths. What passes can be no option. */

import { ToolError } from '@portico/sdk/server'
import { refusedPath } from '../machine/path-text.ts'
import { spellHidden } from '../text/plain-text.ts'

/**
 * A revision as people write it: a name or hash, with `~2`, `^`, `^{}` or `@{1}` after it. Ranges, searches (`:/text`)
 * and paths (`rev:path`) have arguments of their own.
 */
export function checkRevision(text: string): string {
  if (/^(?:@|[^-@:^~/.][^:^~]*)(?:~\d{0,6}|\^\d{0,3}|\^\{(?:commit|tag)?\})*$/u.test(text)) {
    const name = text.replace(/[~^].*$/s, '').replace(/@\{-?\d{1,6}\}$/, '')
    if (name === '' || name === '@' || refusedRef(name) === undefined) return text
  }
  throw new ToolError(
    `${shown(text)} is not a revision: give a branch, a tag, HEAD or a hash, as in "main" or "HEAD~2"`,
  )
}

/** The name for a new or existing branch. */
export function checkBranch(text: string): string {
  const refused = refusedRef(text) ?? (/^(?:HEAD|@|[0-9a-f]{40,64})$/i.test(text) ? 'means something else' : undefined)
  if (refused === undefined) return text
  throw new ToolError(`The branch name ${shown(text)} ${refused}`)
}

/** A path inside the repository, with `/` between names. */
export function checkRepositoryPath(text: string): string {
  const path = text.replace(/^\.\//, '')
  const refused = refusedPath(path, 'posix') ?? (/^[\\/]|^[a-z]:[\\/]/i.test(path) ? 'is absolute' : undefined)
  const isInternal = path.split(/[\\/]/).some((name) => /^\.git[. ]*$|^git~\d+$/i.test(name.normalize('NFKC')))
  if (refused === undefined && !isInternal) return path
  throw new ToolError(`The path ${shown(text)} ${refused ?? 'is git’s own'}: give one relative to the repository`)
}

/** The rules of `git check-ref-format`, and no leading dash. */
function refusedRef(name: string): string | undefined {
  if (name === '' || name.length > 250) return 'must have 1 to 250 characters'
  if (name.startsWith('-')) return 'begins with "-"'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return 'has a character that git does not allow'
  if (/\.\.|@\{|\/\/|^\/|[/.]$/.test(name)) return 'has "..", "@{", "//" or ends in "/" or "."'
  if (name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))) {
    return 'has a part that begins with "." or ends in ".lock"'
  }
  return undefined
}

function shown(text: string): string {
  return JSON.stringify(spellHidden(text.slice(0, 100)))
}
