/** From a verified token to the principal it stands for: its scopes spelled out, and how it can be given more. */

import { type Claims, createScopeExpander, type Grants } from '../../auth/access-scopes.ts'
import type { AccessToken } from '../../auth/client/access-token.ts'
import type { Principal } from '../../auth/principal.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { BearerRefusals } from './bearer-refusals.ts'
import type { BearerSettings } from './bearer-settings.ts'

export function createPrincipalMaker(
  { options }: BearerSettings,
  refusals: BearerRefusals,
): (token: AccessToken) => Principal {
  const { grants, onStepUp } = options
  const expand = createScopeExpander(options.hierarchy)
  return (token) => {
    const id = toPrincipalId(token)
    const granted = grants === undefined ? token.scopes : [...token.scopes, ...grantedBy(grants, token.claims)]
    return {
      id,
      scopes: expand(granted),
      claims: token.claims,
      ...(token.expiresAt !== undefined && { expiresAt: token.expiresAt * 1000 }),
      challenge(scopes) {
        if (onStepUp === undefined) return refusals.insufficient(scopes).headers ?? []
        const reference = crypto.randomUUID().slice(0, 8)
        tellObserver(() => onStepUp({ principal: id, scopes, reference }))
        return refusals.insufficient(scopes, reference).headers ?? []
      },
    }
  }
}

/** What is not there yet grants nothing; a rejection that nobody hears of would end the process. */
function grantedBy(grants: Grants, claims: Claims): Iterable<string> {
  const granted: unknown = grants(claims)
  if (Array.isArray(granted) || granted instanceof Set) return granted
  tellObserver(() => granted)
  if (typeof granted === 'object' && granted !== null && Symbol.iterator in granted) return granted as Iterable<string>
  throw new TypeError('`grants` must be synchronous and return the names of scopes')
}

/**
 * Subjects are unique within their issuer. A client that acts for itself is its own subject (RFC 9068, 2.2), and could be
 * called like a user: it is told apart, as no issuer begins like that.
 */
function toPrincipalId({ issuer, subject, clientId }: AccessToken): string {
  return subject === undefined || subject === clientId ? `client ${issuer} ${clientId}` : `${issuer} ${subject}`
}
