/** How a client proves to a token endpoint that it is itself: by secret, by signed assertion, or not at all. */

import { importJWK, importPKCS8, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import type { IssuerMetadata } from './discovery-issuer.ts'
import { authFailure } from './failure.ts'

/** A client that an authorization server knows already. */
export interface ClientIdentity {
  readonly clientId: string
  readonly clientSecret?: string
  /** For `private_key_jwt`: a key, its JWK, or PKCS #8 as PEM. */
  readonly privateKey?: oauth.CryptoKey | JWK | string
  /** The algorithm of a private key that is given as text. ES256 unless given. */
  readonly algorithm?: string
  readonly keyId?: string
  /** What the token endpoint expects; by default what it offers and the credentials allow. */
  readonly method?: AuthenticationMethod
}

/** How a client shows a token endpoint who it is. */
export type AuthenticationMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** A client ready to make token requests. */
export interface AuthenticatedClient {
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
}

export async function authenticate(identity: ClientIdentity, issuer: IssuerMetadata): Promise<AuthenticatedClient> {
  const client: oauth.Client = { client_id: identity.clientId }
  return { client, authentication: await createAuthentication(identity, issuer) }
}

async function createAuthentication(identity: ClientIdentity, issuer: IssuerMetadata): Promise<oauth.ClientAuth> {
  const { clientSecret, privateKey, keyId } = identity
  switch (identity.method ?? methodFor(identity, issuer)) {
    case 'private_key_jwt': {
      if (privateKey === undefined) throw authFailure('no-client', 'private_key_jwt needs a private key')
      const key = await importKey(privateKey, identity.algorithm ?? 'ES256')
      return oauth.PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId })
    }
    case 'client_secret_post':
      return oauth.ClientSecretPost(secretOf(clientSecret))
    case 'client_secret_basic':
      return basic(secretOf(clientSecret))
    default:
      return oauth.None()
  }
}

/** The strongest that the credentials allow and the server takes. */
function methodFor({ clientSecret, privateKey }: ClientIdentity, issuer: IssuerMetadata): AuthenticationMethod {
  if (privateKey !== undefined) return 'private_key_jwt'
  if (clientSecret === undefined) return 'none'
  const offered = issuer.token_endpoint_auth_methods_supported
  const wanted = ['client_secret_basic', 'client_secret_post'] as const
  return wanted.find((method) => offered?.includes(method)) ?? 'client_secret_basic'
}

/**
 * Encodes only what has to be (RFC 6749, 2.3.1): form decoding gives the same for both, and servers that compare without
 * decoding understand this form.
 */
function basic(secret: string): oauth.ClientAuth {
  return (_issuer, { client_id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`)}`)
  }
}

function secretOf(secret: string | undefined): string {
  if (secret === undefined) throw authFailure('no-client', 'The authentication method needs a client secret')
  return secret
}

async function importKey(key: oauth.CryptoKey | JWK | string, algorithm: string): Promise<oauth.CryptoKey> {
  if (typeof key === 'string') return importPKCS8(key, algorithm)
  if ('kty' in key && typeof key.kty === 'string') {
    const imported = await importJWK(key as JWK, algorithm)
    if (imported instanceof Uint8Array) throw authFailure('no-client', 'The key is a secret, not a private key')
    return imported
  }
  return key as oauth.CryptoKey
}
