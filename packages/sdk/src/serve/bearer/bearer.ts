/**
 * OAuth access tokens as the way in: `requireBearer` verifies the token of every request, by the issuer's keys or by
 * asking the issuer, and publishes where clients get one. Tokens stay here: handlers see verified claims alone.
 */

import { readAuthorization } from '../../auth/bearer-header.ts'
import { isBoundTo } from '../../auth/certificate.ts'
import { type AccessToken, isFault, type TokenFault, type TokenVerifier } from '../../auth/client/access-token.ts'
import type { Principal } from '../../auth/principal.ts'
import { DpopVerifier, toAddress } from '../../auth/verify/verify-dpop.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { RequestHead } from '../../session/exchange.ts'
import type { Authentication, Protection } from '../rules/authorization.ts'
import { pathOf } from '../rules/http-headers.ts'
import type { Refusal } from '../rules/http-refusal.ts'
import { TOO_MANY_PROOFS, UNVERIFIABLE_TOKEN } from '../rules/refusals.ts'
import { TokenCache } from './bearer-cache.ts'
import type { BearerOptions } from './bearer-options.ts'
import { createPrincipalMaker } from './bearer-principal.ts'
import { BearerRefusals } from './bearer-refusals.ts'
import { type BearerSettings, createDocuments, createVerifier, readBearerOptions } from './bearer-settings.ts'

export type { BearerOptions, StepUp } from './bearer-options.ts'

/**
 * Protects a server by OAuth access tokens, which are checked on every request. Pass the result as `auth` to
 * `serveHttp`, `createHttpHandler` or `serveFetch`.
 *
 * @example
 * ```ts
 * import { requireBearer } from '@portico/sdk/bearer'
 * import { serveHttp } from '@portico/sdk/http'
 *
 * const auth = requireBearer({ issuer: 'https://login.example.com', resource: 'https://mcp.example.com/mcp' })
 * await serveHttp(server, { auth, allowedHosts: ['mcp.example.com'] })
 * ```
 */
export function requireBearer(options: BearerOptions): Protection {
  const settings = readBearerOptions(options)
  const guard = new BearerGuard(settings, createVerifier(settings))
  return { authenticate: (head) => guard.authenticate(head), documents: createDocuments(settings) }
}

/** A token that was verified, and who presents it. */
interface Known {
  readonly token: AccessToken
  readonly principal: Principal
}

class BearerGuard {
  readonly #settings: BearerSettings
  readonly #verify: TokenVerifier
  readonly #cache: TokenCache<Known>
  readonly #refusals: BearerRefusals
  readonly #dpop: DpopVerifier
  readonly #toPrincipal: (token: AccessToken) => Principal

  constructor(settings: BearerSettings, verify: TokenVerifier) {
    this.#settings = settings
    this.#verify = verify
    this.#cache = new TokenCache(settings.cacheMs)
    this.#refusals = new BearerRefusals(settings)
    this.#dpop = new DpopVerifier(settings.options.dpop)
    this.#toPrincipal = createPrincipalMaker(settings, this.#refusals)
  }

  authenticate(head: RequestHead): Authentication | Promise<Authentication> {
    const presented = readAuthorization(head.header('authorization'))
    if (presented.kind === 'none') return this.#refusals.missing
    if (presented.kind === 'malformed') return this.#refusals.malformed(presented.reason)
    const { scheme, token } = presented
    const known = this.#cache.get(token)
    if (known !== undefined) return this.#admit(known, scheme, token, head)
    return this.#learn(token).then((found) => {
      return 'fault' in found ? this.#refuse(found) : this.#admit(found, scheme, token, head)
    })
  }

  /** Verifies a token that is not known yet, once, however many requests bring it. */
  #learn(token: string): Promise<Known | TokenFault> {
    return this.#cache.join(token, async () => {
      const verified = await this.#verify(token)
      if (isFault(verified)) return verified
      const known = { token: verified, principal: this.#toPrincipal(verified) }
      this.#cache.set(token, known, verified.expiresAt)
      return known
    })
  }

  #admit(known: Known, scheme: string, text: string, head: RequestHead): Authentication | Promise<Authentication> {
    const { token, principal } = known
    const { binding } = token
    const { options } = this.#settings
    if (binding?.x5t === undefined ? options.certificateBound : !isBoundTo(binding.x5t, head.peerCertificate)) {
      return this.#refusals.invalid('The token needs the client certificate that it was issued to')
    }
    if (binding?.jkt === undefined) {
      if (scheme === 'DPoP') return this.#refusals.invalid('The token is not bound to a DPoP key')
      if (options.dpop?.required) return this.#refusals.invalid('The token must be bound to a DPoP key')
      return this.#suffices(principal)
    }
    // A bound token that passed as a bearer token would be worth stealing again (RFC 9449, 7.2).
    if (scheme !== 'DPoP') return this.#refusals.unproven('The token must be presented with a DPoP proof')
    return this.#prove(text, binding.jkt, principal, head)
  }

  async #prove(token: string, jkt: string, principal: Principal, head: RequestHead): Promise<Authentication> {
    const { resource, origin } = this.#settings
    const addresses = [toAddress(origin + pathOf(head.url)), toAddress(resource)].filter((url) => url !== undefined)
    const proof = head.header('dpop')
    const outcome = await this.#dpop.verify({
      proof,
      method: head.method,
      addresses,
      token,
      jkt,
      principal: principal.id,
    })
    if (outcome.ok) return this.#suffices(principal)
    if (outcome.error === 'unavailable') return UNVERIFIABLE_TOKEN
    if (outcome.error === 'use_dpop_nonce') return this.#refusals.nonce(outcome.nonce)
    if (outcome.error === 'too_many') return TOO_MANY_PROOFS
    return this.#refusals.proof(outcome.reason)
  }

  #suffices(principal: Principal): Authentication {
    for (const scope of this.#settings.scopes) {
      if (!principal.scopes.has(scope)) return this.#refusals.insufficient(this.#settings.scopes)
    }
    return principal
  }

  #refuse(fault: TokenFault): Refusal {
    if (fault.fault !== 'unavailable') return this.#refusals.invalid(fault.reason)
    tellObserver(() => this.#settings.onError(fault.cause ?? new Error(fault.reason)))
    return UNVERIFIABLE_TOKEN
  }
}
