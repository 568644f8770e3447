/**
 * The public keys of one issuer: from a key set at a known address, or at the address that the issuer's own metadata
 * names (RFC 8414, OpenID Connect Discovery). `jose` keeps them, rotates them and holds back repeated fetches.
 */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { Cooldown, type FetchRules, fetchBounded, requireSecureUrl } from './verify-fetch.ts'

export interface KeyRules extends FetchRules {
  /** The least time between two fetches of a key set, however many unknown key ids come along. */
  readonly cooldownMs: number
  /** How long a key set is used before it is fetched again. */
  readonly maxAgeMs: number
  readonly allowHttp: boolean
}

/** After a failed fetch, requests are refused for this long before the next try. */
const RETRY_MS = 2000

/** Makes a source that finds the keys at first use. Rejects while they cannot be had. */
export function createKeySource(
  issuer: string,
  jwksUri: string | undefined,
  rules: KeyRules,
): () => Promise<JWTVerifyGetKey> {
  requireSecureUrl(issuer, 'issuer', rules.allowHttp)
  if (jwksUri !== undefined) {
    const keys = remoteKeys(requireSecureUrl(jwksUri, 'jwksUri', rules.allowHttp), rules)
    return () => Promise.resolve(keys)
  }
  const discovery = new Cooldown<JWTVerifyGetKey>(RETRY_MS)
  let found: JWTVerifyGetKey | undefined
  return async () => {
    found ??= await discovery.run(async () => remoteKeys(await discoverKeySet(issuer, rules), rules))
    return found
  }
}

function remoteKeys(url: URL, rules: KeyRules): JWTVerifyGetKey {
  const fetching = new Cooldown<Response>(RETRY_MS)
  return createRemoteJWKSet(url, {
    cooldownDuration: rules.cooldownMs,
    cacheMaxAge: rules.maxAgeMs,
    timeoutDuration: rules.timeoutMs,
    [customFetch]: async (address, init) => {
      const response = await fetching.run(async () => {
        const answer = await fetchBounded(address, { method: 'GET', headers: init.headers }, rules)
        if (answer.status !== 200) throw unavailable(`The key set answered with status ${answer.status}`)
        return answer
      })
      return response.clone()
    },
  })
}

/** The forms in which the specification has them tried: OAuth, then OpenID Connect, the path inserted, then appended. */
async function discoverKeySet(issuer: string, rules: KeyRules): Promise<URL> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
  let cause: unknown
  for (const address of addresses) {
    try {
      const response = await fetchBounded(address, { headers: { accept: 'application/json' } }, rules)
      if (response.status !== 200) continue
      const metadata: unknown = await response.json()
      if (typeof metadata !== 'object' || metadata === null || !('issuer' in metadata)) continue
      // Exactly: metadata of somebody else would bring somebody else's keys.
      if (metadata.issuer !== issuer) throw unavailable(`The metadata at ${address} is of another issuer`)
      if (!('jwks_uri' in metadata) || typeof metadata.jwks_uri !== 'string') continue
      return requireSecureUrl(metadata.jwks_uri, `jwks_uri of ${issuer}`, rules.allowHttp)
    } catch (error) {
      cause = error
    }
  }
  throw unavailable(`No key set was found for ${issuer}`, cause)
}

function unavailable(message: string, cause?: unknown): PorticoError {
  return new PorticoError('connect-failed', message, { cause })
}
