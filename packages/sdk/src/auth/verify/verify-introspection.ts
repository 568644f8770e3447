/**
 * Access tokens whose issuer is asked about each of them (RFC 7662): the way for opaque tokens, and for tokens that
 * shall stop working the moment they are revoked.
 */

import type { Claims } from '../access-scopes.ts'
import {
  type AccessToken,
  type ClaimRules,
  invalid,
  isFault,
  judgeClaims,
  type TokenFault,
  type TokenVerifier,
} from '../client/access-token.ts'
import { RecentTokens } from './recent-tokens.ts'
import { type FetchRules, fetchBounded, requireSecureUrl } from './verify-fetch.ts'
import { OpenQuestions } from './verify-questions.ts'

/** How tokens are asked about at their authorization server. */
export interface IntrospectionOptions {
  readonly endpoint: string
  /** The client that this server is to the authorization server; authenticates by HTTP Basic. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Other headers that authenticate this server. */
  readonly headers?: { readonly [name: string]: string }
}

interface IntrospectionRules extends FetchRules {
  readonly claims: ClaimRules
  readonly allowHttp: boolean
  /** Questions open at a time; beyond them, requests are turned away rather than piled up. */
  readonly maxPending: number
}

/** A token that the issuer does not know is not asked about again for this long. */
const REFUSED_MS = 5000
/** A token that was good is given room before others for this long. */
const GOOD_MS = 10 * 60_000
const MAX_REMEMBERED = 1000

export function createIntrospector(options: IntrospectionOptions, rules: IntrospectionRules): TokenVerifier {
  const endpoint = requireSecureUrl(options.endpoint, 'introspection.endpoint', rules.allowHttp).href
  const headers = {
    ...options.headers,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(options.clientId !== undefined && {
      authorization: `Basic ${btoa(`${formEncode(options.clientId)}:${formEncode(options.clientSecret ?? '')}`)}`,
    }),
  }
  const refused = new RecentTokens<TokenFault>(MAX_REMEMBERED)
  /** Whose the tokens are that were good. */
  const good = new RecentTokens<string>(MAX_REMEMBERED)
  const questions = new OpenQuestions(rules.maxPending)
  return async (token) => {
    const now = Date.now()
    const before = refused.get(token, now)
    if (before !== undefined) return before
    const owner = good.get(token, now)
    if (!questions.enter(owner)) return unavailable('Too many tokens are being asked about')
    try {
      const outcome = await ask(token)
      if (!isFault(outcome)) remember(token, outcome, now)
      else if (outcome.fault !== 'unavailable') refused.set(token, outcome, now + REFUSED_MS)
      return outcome
    } finally {
      questions.leave(owner)
    }
  }

  function remember(token: string, { subject, clientId }: AccessToken, now: number): void {
    const owner = subject ?? clientId ?? ''
    good.set(token, owner, now + GOOD_MS, owner)
  }

  async function ask(token: string): Promise<AccessToken | TokenFault> {
    try {
      const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString()
      const response = await fetchBounded(endpoint, { method: 'POST', headers, body }, rules)
      if (response.status !== 200)
        return unavailable('The issuer did not answer', new Error(`status ${response.status}`))
      const answer: unknown = await response.json()
      if (typeof answer !== 'object' || answer === null) return unavailable('The issuer did not answer')
      // An object from JSON: its members can be read by name.
      const claims = answer as Claims
      if (claims.active !== true) return invalid('The token is not active')
      // Refresh tokens are the issuer's business alone, and some issuers answer about them, too.
      if (claims.token_use === 'refresh_token') return invalid('The token is of another type')
      return judgeClaims(claims, rules.claims)
    } catch (error) {
      return unavailable('The issuer cannot be reached', error)
    }
  }
}

function unavailable(reason: string, cause?: unknown): TokenFault {
  return { fault: 'unavailable', reason, cause }
}

/** Client ids and secrets are form-encoded before they are joined (RFC 6749, 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}
