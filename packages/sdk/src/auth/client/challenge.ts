/**
 * Reads `WWW-Authenticate` (RFC 9110, 11.6.1): any number of challenges in one header, in one pass over at most 64 kB,
 * without ever failing. What a challenge asks for is decided in `authorizer.ts`.
 */

interface Challenge {
  /** Lower case. */
  readonly scheme: string
  /** By lower-case name; the first of a name counts. */
  readonly params: ReadonlyMap<string, string>
}

/** What an OAuth client takes from the challenges of one answer. */
export interface TokenChallenge {
  readonly error: string | undefined
  readonly scopes: readonly string[] | undefined
  readonly resourceMetadata: string | undefined
  /** The server takes tokens bound to a key of the client's (RFC 9449, 7.1). */
  readonly dpop: boolean
}

export function parseChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = []
  if (header.length > MAX_HEADER) return challenges
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  while (at < header.length && challenges.length <= MAX_CHALLENGES) {
    take(GAP)
    const name = take(TOKEN)?.[0].toLowerCase()
    if (name === undefined) {
      // Nothing that a challenge could be made of: on to the next element of the list.
      const comma = header.indexOf(',', at + 1)
      if (comma < 0) break
      at = comma
    } else if (take(EQUALS)) {
      const quoted = take(QUOTED)
      const value = quoted?.[1]?.replace(/\\(.)/gs, '$1') ?? take(TOKEN)?.[0] ?? ''
      const params = challenges.at(-1)?.params
      if (params !== undefined && params.size < MAX_PARAMS && !params.has(name)) params.set(name, value)
    } else {
      challenges.push({ scheme: name, params: new Map() })
      take(TOKEN68)
    }
  }
  return challenges.slice(0, MAX_CHALLENGES)
}

/** The part of a header that speaks to OAuth clients; undefined where nothing in it does. */
export function readTokenChallenge(header: string | undefined): TokenChallenge | undefined {
  if (header === undefined) return undefined
  const challenges = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  if (challenges.length === 0) return undefined
  const find = (name: string) => challenges.find(({ params }) => params.has(name))?.params.get(name)
  const scopes = find('scope')
  return {
    error: find('error'),
    scopes: scopes === undefined ? undefined : splitScopes(scopes),
    resourceMetadata: find('resource_metadata'),
    dpop: challenges.some(({ scheme }) => scheme === 'dpop'),
  }
}

/** Scope values (RFC 6749, 3.3), bounded; what is none is left out. */
export function splitScopes(text: string): string[] {
  const scopes = text.split(' ').filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope))
  return [...new Set(scopes)].slice(0, MAX_SCOPES)
}

const MAX_HEADER = 65_536
const MAX_CHALLENGES = 32
const MAX_PARAMS = 64
const MAX_SCOPES = 128

const GAP = /[\s,]*/y
const TOKEN = /[\w!#$%&'*+.^`|~-]+/y
const EQUALS = /[ \t]*=[ \t]*/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy
const TOKEN68 = /[ \t]+[\w\-.~+/]+=*[ \t]*(?=,|$)/y
