/**
 * A verified access token, however it was verified, and the judgement of its claims that all ways share: issuer,
 * audience, expiry and `nbf` are held to the same rules for a JWT and for an introspection answer.
 */

import type { Claims } from '../access-scopes.ts'

export interface AccessToken {
  readonly issuer: string
  readonly subject: string | undefined
  readonly clientId: string | undefined
  readonly scopes: readonly string[]
  /** Seconds since 1970. */
  readonly expiresAt: number | undefined
  /** The key that the token is bound to, by whose proof alone it may be used. */
  readonly binding: TokenBinding | undefined
  readonly claims: Claims
}

interface TokenBinding {
  /** The thumbprint of a DPoP key (RFC 9449). */
  readonly jkt?: string
  /** The thumbprint of a client certificate (RFC 8705). */
  readonly x5t?: string
}

/** Why a token was not accepted, in fixed words: nothing of the token is repeated. */
export interface TokenFault {
  readonly fault: 'invalid' | 'expired' | 'unavailable'
  readonly reason: string
  /** For the operator. */
  readonly cause?: unknown
}

export type TokenVerifier = (token: string) => Promise<AccessToken | TokenFault>

export interface ClaimRules {
  readonly issuers: ReadonlySet<string>
  /** The issuer of claims that name none; absent where they have to. */
  readonly defaultIssuer?: string
  readonly isAudience: (audience: string) => boolean
  readonly clockToleranceSeconds: number
  /** Whether claims without an expiry pass: only where the issuer was just asked. */
  readonly expiryRequired: boolean
}

export function isFault(value: AccessToken | TokenFault): value is TokenFault {
  return 'fault' in value
}

/** Judges claims whose origin is proven already. */
export function judgeClaims(claims: Claims, rules: ClaimRules, now = Date.now() / 1000): AccessToken | TokenFault {
  const issuer = claims.iss === undefined ? rules.defaultIssuer : claims.iss
  if (typeof issuer !== 'string' || !rules.issuers.has(issuer)) return invalid('The issuer is not trusted here')
  const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
  if (!audiences.some((audience) => typeof audience === 'string' && rules.isAudience(audience))) {
    return invalid('The token was not issued for this resource')
  }
  const { exp, nbf } = claims
  if (exp === undefined ? rules.expiryRequired : typeof exp !== 'number') return invalid('The token has no expiry')
  if (typeof exp === 'number' && now >= exp + rules.clockToleranceSeconds) {
    return { fault: 'expired', reason: 'The token has expired' }
  }
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + rules.clockToleranceSeconds)) {
    return invalid('The token is not valid yet')
  }
  const subject = toName(claims.sub)
  // One who is named in a way that is of no use must not pass for a client that acts for itself.
  if (claims.sub !== undefined && subject === undefined) return invalid('The subject of the token is not a name')
  const clientId = toName(claims.client_id) ?? toName(claims.azp)
  if (subject === undefined && clientId === undefined) return invalid('The token names nobody')
  const binding = readBinding(claims.cnf)
  if (binding === 'unknown') return invalid('The token is bound in a way that is not understood here')
  return {
    issuer,
    subject,
    clientId,
    scopes: readScopes(claims),
    expiresAt: typeof exp === 'number' ? exp : undefined,
    binding,
    claims,
  }
}

export function invalid(reason: string): TokenFault {
  return { fault: 'invalid', reason }
}

/** A space-separated string by RFC 9068 and 7662; some servers send `scp`, or an array. */
function readScopes({ scope, scp }: Claims): string[] {
  const value = scope ?? scp
  if (typeof value === 'string') return value.split(' ').filter((name) => name !== '')
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** A confirmation that is not understood may not be ignored: the token would pass without its proof. */
function readBinding(cnf: unknown): TokenBinding | undefined | 'unknown' {
  if (cnf === undefined) return undefined
  if (typeof cnf !== 'object' || cnf === null) return 'unknown'
  const members = new Map<string, unknown>(Object.entries(cnf))
  const jkt = members.get('jkt')
  const x5t = members.get('x5t#S256')
  for (const [name, value] of members) {
    if ((name !== 'jkt' && name !== 'x5t#S256') || typeof value !== 'string') return 'unknown'
  }
  if (jkt === undefined && x5t === undefined) return 'unknown'
  return { ...(typeof jkt === 'string' && { jkt }), ...(typeof x5t === 'string' && { x5t }) }
}

/** What can name somebody in ids, logs and audit trails. */
function toName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) return undefined
  return /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value
}

const MAX_NAME_LENGTH = 1024
