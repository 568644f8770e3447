/**
 * Names with wildcards, as people write them: `*`, `?`, `[a-z]`, `{a,b}` within a name, `**` for any folders. A pattern
 * without a slash is about the name alone. No regular expression is built: time is bounded by the length of pattern
 * times path, whatever the pattern.
 */

import { ToolError } from '@portico/sdk/server'

export type GlobMatcher = (relative: string) => boolean

const MAX_LENGTH = 1_000
const MAX_ALTERNATIVES = 64

export function createGlob(pattern: string): GlobMatcher {
  if (pattern.length > MAX_LENGTH) throw new ToolError(`The pattern is longer than ${MAX_LENGTH} characters`)
  const globs = expandBraces(pattern).map(parse)
  return (relative) => {
    const names = relative.split('/')
    return globs.some((glob) => matchNames(glob, names))
  }
}

type Token =
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'set'; readonly ranges: readonly (readonly [string, string])[]; readonly negated: boolean }

/** The tokens of one name, or `**`. */
type Part = readonly Token[] | 'folders'

function parse(pattern: string): readonly Part[] {
  const parts = pattern.replace(/^\.?\/+/, '').split(/\/+/)
  if (parts.at(-1) === '') parts.pop()
  const parsed = parts.map((part): Part => (part === '**' ? 'folders' : tokens(part)))
  return parsed.length === 1 && parsed[0] !== 'folders' && !pattern.startsWith('/') ? ['folders', ...parsed] : parsed
}

function tokens(part: string): Token[] {
  const found: Token[] = []
  const characters = [...part]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '*') {
      if (found.at(-1)?.kind !== 'many') found.push({ kind: 'many' })
    } else if (character === '?') found.push({ kind: 'one' })
    else if (character === '\\' && at + 1 < characters.length) found.push({ kind: 'literal', text: characters[++at]! })
    else if (character === '[') {
      const end = characters.indexOf(']', at + 2)
      if (end === -1) found.push({ kind: 'literal', text: character })
      else {
        found.push(toSet(characters.slice(at + 1, end)))
        at = end
      }
    } else found.push({ kind: 'literal', text: character })
  }
  return found
}

function toSet(inside: readonly string[]): Token {
  const negated = inside[0] === '!' || inside[0] === '^'
  const members = negated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([members[at]!, isRange ? members[at + 2]! : members[at]!])
    if (isRange) at += 2
  }
  return { kind: 'set', ranges, negated }
}

/** Tries the last `**` again with one more folder when the rest does not fit; earlier ones need no second try. */
function matchNames(glob: readonly Part[], names: readonly string[]): boolean {
  return wildcard(
    glob.length,
    names.length,
    (at) => glob[at] === 'folders',
    (at, name) => {
      const part = glob[at]
      return part !== undefined && part !== 'folders' && matchName(part, [...names[name]!])
    },
  )
}

function matchName(part: readonly Token[], name: readonly string[]): boolean {
  return wildcard(
    part.length,
    name.length,
    (at) => part[at]?.kind === 'many',
    (at, index) => fits(part[at]!, name[index]!),
  )
}

function fits(token: Token, character: string): boolean {
  if (token.kind === 'literal') return token.text === character
  if (token.kind !== 'set') return token.kind === 'one'
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated
}

function wildcard(
  patternLength: number,
  length: number,
  isMany: (at: number) => boolean,
  fitsAt: (at: number, index: number) => boolean,
): boolean {
  let at = 0
  let index = 0
  let many = -1
  let resume = 0
  while (index < length) {
    if (at < patternLength && isMany(at)) {
      many = at++
      resume = index
    } else if (at < patternLength && fitsAt(at, index)) {
      at++
      index++
    } else if (many !== -1) {
      at = many + 1
      index = ++resume
    } else return false
  }
  while (at < patternLength && isMany(at)) at++
  return at === patternLength
}

/** `{a,b}` one level after the other, from the left; nesting is refused to keep the count plain. */
function expandBraces(pattern: string): string[] {
  let expanded = ['']
  let rest = pattern
  for (;;) {
    const open = rest.indexOf('{')
    const close = rest.indexOf('}', open)
    if (open === -1 || close === -1) return expanded.map((start) => start + rest)
    const choices = rest.slice(open + 1, close).split(',')
    if (expanded.length * choices.length > MAX_ALTERNATIVES) {
      throw new ToolError(`The pattern stands for more than ${MAX_ALTERNATIVES} patterns: use fewer {…}`)
    }
    const before = rest.slice(0, open)
    expanded = expanded.flatMap((start) => choices.map((choice) => start + before + choice))
    rest = rest.slice(close + 1)
  }
}
