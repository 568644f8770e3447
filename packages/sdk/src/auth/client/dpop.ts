/**
 * The key that tokens can be bound to (RFC 9449), and the proofs of having it: a fresh one for every request to the
 * server. Proofs for the authorization server are made by the OAuth library with the same key.
 */

import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'

export const DPOP_ALGORITHM = 'ES256'

export class DpopKey {
  /** For requests to the authorization server. */
  readonly handle: oauth.DPoPHandle
  /** With the private part: goes into the token store beside the token, and nowhere else. */
  readonly jwk: JWK
  readonly #privateKey: CryptoKey
  readonly #publicJwk: JWK
  #nonce: string | undefined

  constructor(jwk: JWK, privateKey: CryptoKey, publicKey: CryptoKey) {
    const { kty, crv, x, y } = jwk
    this.jwk = jwk
    this.#privateKey = privateKey
    this.#publicJwk = { kty, crv, x, y } as JWK
    this.handle = oauth.DPoP({}, { privateKey, publicKey })
  }

  static async create(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair(DPOP_ALGORITHM, { extractable: true })
    return new DpopKey(await exportJWK(privateKey), privateKey, publicKey)
  }

  static async from(jwk: JWK): Promise<DpopKey> {
    const { d: _, ...publicJwk } = jwk
    const [privateKey, publicKey] = await Promise.all([
      importJWK(jwk, DPOP_ALGORITHM),
      importJWK(publicJwk as JWK, DPOP_ALGORITHM, { extractable: true }),
    ])
    if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) throw new TypeError('not an EC key')
    return new DpopKey(jwk, privateKey, publicKey)
  }

  /** The proof for one request with a token. */
  async proof(method: string, url: URL, token: string): Promise<string> {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
    const claims = {
      jti: crypto.randomUUID(),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      ath: toBase64Url(new Uint8Array(digest)),
      ...(this.#nonce !== undefined && { nonce: this.#nonce }),
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: DPOP_ALGORITHM, typ: 'dpop+jwt', jwk: this.#publicJwk })
      .setIssuedAt()
      .sign(this.#privateKey)
  }

  /** Takes the nonce that the server wants to see from now on. True when it is a new one. */
  noteNonce(nonce: string): boolean {
    if (nonce === this.#nonce || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) return false
    this.#nonce = nonce
    return true
  }
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
