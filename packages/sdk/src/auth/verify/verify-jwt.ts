/**
 * Access tokens that are JWTs, verified here with the issuer's public keys (RFC 9068). Only asymmetric algorithms are
 * ever accepted, and a token's own header never says where its key is.
 */

import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { type ClaimRules, invalid, judgeClaims, type TokenFault, type TokenVerifier } from '../client/access-token.ts'
import { createKeySource, type KeyRules } from './verify-keys.ts'

/** What most servers sign with; all of it asymmetric. */
export const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const

interface JwtRules {
  readonly claims: ClaimRules
  readonly keys: KeyRules
  readonly algorithms: readonly string[]
  /** Where each issuer's keys are; undefined has them discovered. */
  readonly issuers: ReadonlyMap<string, string | undefined>
}

export function createJwtVerifier(rules: JwtRules): TokenVerifier {
  checkAlgorithms(rules.algorithms)
  const sources = new Map(
    [...rules.issuers].map(([issuer, jwksUri]) => [issuer, createKeySource(issuer, jwksUri, rules.keys)]),
  )
  const algorithms = [...rules.algorithms]
  return async (token) => {
    const issuer = claimedIssuer(token)
    // Nothing is fetched for an issuer that was not named by the operator.
    const source = issuer === undefined ? undefined : sources.get(issuer)
    if (issuer === undefined || source === undefined) return invalid('The issuer is not trusted here')
    try {
      const { clockToleranceSeconds: clockTolerance } = rules.claims
      const { payload, protectedHeader } = await verify(token, await source(), { issuer, algorithms, clockTolerance })
      if (!isAccessTokenType(protectedHeader.typ)) return invalid('The token is of another type')
      return judgeClaims(payload, rules.claims)
    } catch (error) {
      return toFault(error)
    }
  }
}

/** Symmetric algorithms would let anybody sign who knows the public key; `none` anybody at all. */
function checkAlgorithms(algorithms: readonly string[]): void {
  const bad = algorithms.find((name) => !/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$|^ML-DSA-(44|65|87)$/.test(name))
  if (bad !== undefined || algorithms.length === 0) {
    throw new PorticoError('invalid-definition', `algorithms may only name asymmetric ones: ${bad ?? 'none given'}`)
  }
}

type Verified = { readonly payload: JWTPayload; readonly protectedHeader: ProtectedHeaderParameters }

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  options: { issuer: string; algorithms: string[]; clockTolerance: number },
): Promise<Verified> {
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    // Without a key id several keys may fit; the right one is among them or the token is not valid.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Read before the signature is checked, only to choose whose keys it has to fit. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** `at+jwt` by RFC 9068; many servers say `JWT` or nothing. Proofs, grants and logout tokens are JWTs, too, and are refused. */
function isAccessTokenType(typ: string | undefined): boolean {
  if (typ === undefined) return true
  const name = typ.toLowerCase().replace(/^application\//, '')
  return name === 'jwt' || name === 'at+jwt'
}

/** What the library says of the token itself; everything else is about reaching the issuer. */
const ABOUT_KEYS: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

function toFault(error: unknown): TokenFault {
  if (error instanceof errors.JWTExpired) return { fault: 'expired', reason: 'The token has expired' }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalid(error.claim === 'nbf' ? 'The token is not valid yet' : 'A claim of the token is not acceptable')
  }
  if (error instanceof errors.JOSEError && !ABOUT_KEYS.has(error.code)) return invalid('The token is not valid')
  return { fault: 'unavailable', reason: 'The keys of the issuer cannot be had', cause: error }
}
