/**
 * The authorization code grant with PKCE: a person signs in with their browser and comes back with a code. What came back
 * is checked in the order of the specification, the issuer before everything else ("Authorization Response Validation").
 */

import * as oauth from 'oauth4webapi'
import { timeLimit } from '../../jsonrpc/time-limit.ts'
import { checkPageUrl, checkRedirectUri, type UserAgent } from '../user-agent/user-agent.ts'
import { authenticate } from './client-authentication.ts'
import { type ClientChoice, chooseClient, recallClient } from './client-registration.ts'
import type { IssuerMetadata } from './discovery-issuer.ts'
import { authFailure, authFailureOf, plain, toAuthFailure } from './failure.ts'
import { type GrantContext, type GrantType, requestTokens, resourceOf } from './grant-type.ts'

/** How a person signs in with a browser. */
export interface AuthorizationCodeOptions extends ClientChoice {
  readonly userAgent: UserAgent
  /** How long the person may take. Five minutes unless given. */
  readonly signInMs?: number
}

/**
 * Gets tokens by a person who signs in with a browser: OAuth's authorization code, with PKCE.
 *
 * @example
 * ```ts
 * import { authorizationCode } from '@portico/sdk/auth'
 * import { createLoopbackUserAgent } from '@portico/sdk/auth-node'
 * import { connect } from '@portico/sdk/client'
 *
 * const grant = authorizationCode({ userAgent: createLoopbackUserAgent(), clientName: 'My program' })
 * const client = await connect('https://mcp.example.com/mcp', { auth: { grant } })
 * ```
 */
export function authorizationCode(options: AuthorizationCodeOptions): GrantType {
  return {
    interactive: true,
    async obtain(context) {
      try {
        return await signIn(options, context)
      } catch (error) {
        if (options.client !== undefined || authFailureOf(error)?.error !== 'invalid_client') throw error
        // The authorization server has forgotten the registration; a new one is made, once.
        await context.credentials.forgetRegistration(context.issuer.issuer)
        return signIn(options, context)
      }
    },
    async refreshingClient(context) {
      const identity = await recallClient(options, context)
      return identity === undefined ? undefined : authenticate(identity, context.issuer)
    },
  }
}

async function signIn(options: AuthorizationCodeOptions, context: GrantContext): Promise<oauth.TokenEndpointResponse> {
  const { userAgent, signInMs = 300_000 } = options
  const { issuer } = context
  requirePkce(issuer)
  const page = checkPageUrl(issuer.authorization_endpoint ?? '')
  try {
    const redirectUri = await userAgent.redirectUri()
    checkRedirectUri(redirectUri)
    const { client, authentication } = await authenticate(await chooseClient(options, context, redirectUri), issuer)
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    await writeRequest(page, context, { clientId: client.client_id, redirectUri, verifier, state })
    const signal = timeLimit(signInMs, context.signal)
    const answer = checkResponse(issuer, client, await show(userAgent, page, signal, context.added), state)
    const additionalParameters = resourceOf(context)
    return await requestTokens(
      context,
      'token request',
      (given) =>
        oauth.authorizationCodeGrantRequest(issuer, client, authentication, answer, redirectUri, verifier, {
          ...given,
          additionalParameters,
        }),
      (response) => oauth.processAuthorizationCodeResponse(issuer, client, response),
    )
  } finally {
    userAgent.close?.()
  }
}

/** Without PKCE a stolen code is as good as a token (sec-77). */
function requirePkce(issuer: IssuerMetadata): void {
  const methods = issuer.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw authFailure('pkce-unsupported', `${plain(issuer.issuer)} does not offer PKCE with S256`)
  }
}

interface CodeRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
  readonly state: string
}

async function writeRequest(page: URL, context: GrantContext, request: CodeRequest): Promise<void> {
  const { searchParams } = page
  const challenge = await oauth.calculatePKCECodeChallenge(request.verifier)
  const params = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...resourceOf(context),
    ...(context.scopes.length > 0 && { scope: context.scopes.join(' ') }),
    // OpenID Connect grants offline access only where the person was asked (Core 1.0, 11).
    ...(context.scopes.includes('offline_access') && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(params)) searchParams.set(name, value)
  if (context.dpop !== undefined) searchParams.set('dpop_jkt', await context.dpop.handle.calculateThumbprint())
}

async function show(
  userAgent: UserAgent,
  page: URL,
  signal: AbortSignal,
  added: readonly string[] | undefined,
): Promise<URLSearchParams> {
  try {
    return await userAgent.open(page, signal, added)
  } catch (cause) {
    if (signal.aborted) throw authFailure('cancelled', 'The sign-in took too long or was cancelled')
    throw toAuthFailure(cause, 'cancelled', 'The sign-in')
  }
}

/** On a mismatch nothing else of the answer is looked at or shown (sec-74, sec-78). */
function checkResponse(
  issuer: IssuerMetadata,
  client: oauth.Client,
  params: URLSearchParams,
  state: string,
): URLSearchParams {
  const claimed = params.getAll('iss')
  const required = issuer.authorization_response_iss_parameter_supported === true
  if (claimed.length === 0 ? required : claimed.length > 1 || claimed[0] !== issuer.issuer) {
    throw authFailure('response-refused', `The answer to the sign-in did not come from ${plain(issuer.issuer)}`)
  }
  try {
    return oauth.validateAuthResponse(issuer, client, params, state)
  } catch (cause) {
    const denied = cause instanceof oauth.AuthorizationResponseError
    throw toAuthFailure(cause, denied ? 'denied' : 'response-refused', 'The sign-in')
  }
}
