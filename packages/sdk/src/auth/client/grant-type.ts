/**
 * The seam between `authorizer.ts`, which knows when a token is needed, and the ways to get one: `grant-code.ts` with a
 * person, `grant-machine.ts` without. Token requests of all of them are made here.
 */

import * as oauth from 'oauth4webapi'
import type { AuthenticatedClient } from './client-authentication.ts'
import type { RegistrationPlace } from './client-registration.ts'
import type { DpopKey } from './dpop.ts'
import { plain, toAuthFailure } from './failure.ts'

/** What a way of getting tokens is told about the server and its authorization server. */
export interface GrantContext extends RegistrationPlace {
  /** The server's resource identifier, as it has published it; undefined for servers that publish nothing. */
  readonly resource: string | undefined
  readonly scopes: readonly string[]
  /** Which of the scopes are new, where the token that is there is good but not for enough. */
  readonly added?: readonly string[]
  readonly dpop: DpopKey | undefined
}

/** A way of getting tokens. */
export interface GrantType {
  /** Whether a person takes part, so that it may take minutes. */
  readonly interactive: boolean
  obtain(context: GrantContext): Promise<oauth.TokenEndpointResponse>
  /** The client that a refresh is made as; undefined where there is none to be had without a person. */
  refreshingClient(context: GrantContext): Promise<AuthenticatedClient | undefined>
}

type TokenOptions = oauth.TokenEndpointRequestOptions

/** Sends a token request and reads the answer; once more where the server first wants its nonce in the proof. */
export async function requestTokens(
  context: GrantContext,
  what: string,
  send: (options: TokenOptions) => Promise<Response>,
  read: (response: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<oauth.TokenEndpointResponse> {
  const options: TokenOptions = {
    [oauth.customFetch]: context.fetch,
    // Which addresses may go without TLS is judged by the fetch.
    [oauth.allowInsecureRequests]: true,
    signal: context.signal,
    ...(context.dpop !== undefined && { DPoP: context.dpop.handle }),
  }
  try {
    try {
      return await read(await send(options))
    } catch (cause) {
      if (context.dpop === undefined || !oauth.isDPoPNonceError(cause)) throw cause
      return await read(await send(options))
    }
  } catch (cause) {
    throw toAuthFailure(cause, 'token-refused', `The ${what} at ${plain(context.issuer.issuer)}`)
  }
}

export async function refreshTokens(
  context: GrantContext,
  { client, authentication }: AuthenticatedClient,
  refreshToken: string,
): Promise<oauth.TokenEndpointResponse> {
  const { issuer } = context
  const additionalParameters = resourceOf(context)
  return requestTokens(
    context,
    'refresh',
    (options) =>
      oauth.refreshTokenGrantRequest(issuer, client, authentication, refreshToken, {
        ...options,
        additionalParameters,
      }),
    (response) => oauth.processRefreshTokenResponse(issuer, client, response),
  )
}

/** The `resource` parameter of a token request (RFC 8707), and nothing for servers that publish none. */
export function resourceOf({ resource }: GrantContext): { [name: string]: string } {
  return resource === undefined ? {} : { resource }
}

export function scopeOf({ scopes }: GrantContext): { [name: string]: string } {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') }
}
