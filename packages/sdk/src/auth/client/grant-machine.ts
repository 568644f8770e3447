/**
 * The grants without a person at hand: a client for itself, a workload by the identity that its platform has given it,
 * and an employee by the sign-on of their company (ID-JAG). None of them is tried again by other means when refused.
 */

import * as oauth from 'oauth4webapi'
import { createGuardedFetch } from '../network/guarded-fetch.ts'
import { authenticate, type ClientIdentity } from './client-authentication.ts'
import { type KnownClient, requireHome } from './client-registration.ts'
import type { IssuerMetadata } from './discovery-issuer.ts'
import { authFailure, plain } from './failure.ts'
import { type GrantContext, type GrantType, requestTokens, resourceOf, scopeOf } from './grant-type.ts'

/**
 * Gets tokens for a program on its own behalf: OAuth's client credentials, by a secret or by a signed assertion.
 *
 * @example
 * ```ts
 * import { clientCredentials } from '@portico/sdk/auth'
 * import { connect } from '@portico/sdk/client'
 *
 * const secret = { clientId: 'nightly-report', clientSecret: process.env.SECRET ?? '' }
 * const grant = clientCredentials({ ...secret, issuer: 'https://login.example.com' })
 * const client = await connect('https://mcp.example.com/mcp', { auth: { grant } })
 * ```
 */
export function clientCredentials(client: KnownClient): GrantType {
  return machine(client, async (context) => {
    const { issuer } = context
    const own = await authenticate(client, issuer)
    const params = { ...resourceOf(context), ...scopeOf(context) }
    return requestTokens(
      context,
      'token request',
      (options) => oauth.clientCredentialsGrantRequest(issuer, own.client, own.authentication, params, options),
      (response) => oauth.processClientCredentialsResponse(issuer, own.client, response),
    )
  })
}

/** How a workload shows who it is. */
export interface WorkloadIdentityOptions extends KnownClient {
  /** The token that the platform has given the workload; asked for each time. Its audience is the issuer. */
  readonly assertion: (issuer: string) => string | Promise<string>
}

/**
 * Gets tokens for a workload by the identity that its platform has given it, as a signed assertion (RFC 7523, 2.1).
 *
 * @example
 * ```ts
 * import { workloadIdentity } from '@portico/sdk/auth'
 * import { readFile } from 'node:fs/promises'
 *
 * const grant = workloadIdentity({
 *   clientId: 'worker',
 *   assertion: () => readFile('/var/run/secrets/tokens/mcp', 'utf8'),
 * })
 * ```
 */
export function workloadIdentity(options: WorkloadIdentityOptions): GrantType {
  return machine(options, async (context) => {
    return bearAssertion(context, options, await options.assertion(context.issuer.issuer))
  })
}

/** How an identity provider of an enterprise vouches for this client. */
export interface EnterpriseManagedOptions {
  /** This client at the server's authorization server. */
  readonly client: KnownClient
  /** The company's identity provider, and this client there. */
  readonly idp: ClientIdentity & { readonly issuer: string; readonly tokenEndpoint: string }
  /** The ID token of the person's sign-on; asked for each time. */
  readonly idToken: () => string | Promise<string>
}

/**
 * Gets tokens for an employee by the sign-on of their company: the identity provider decides, and vouches for the
 * person with an identity assertion (ID-JAG).
 *
 * @example
 * ```ts
 * import { enterpriseManaged } from '@portico/sdk/auth'
 *
 * declare const session: { idToken(): Promise<string> } // of the person's sign-on
 *
 * const idp = { clientId: 'chat-at-idp', issuer: 'https://idp.example', tokenEndpoint: 'https://idp.example/token' }
 * const client = { clientId: 'chat', clientSecret: process.env.CHAT_SECRET ?? '' }
 * const grant = enterpriseManaged({ client, idp, idToken: () => session.idToken() })
 * ```
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): GrantType {
  return machine(options.client, async (context) => {
    return bearAssertion(context, options.client, await exchangeIdToken(options, context))
  })
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'

function machine(client: KnownClient, obtain: GrantType['obtain']): GrantType {
  return {
    interactive: false,
    async obtain(context) {
      await requireHome(client, context)
      return obtain(context)
    },
    async refreshingClient(context) {
      await requireHome(client, context)
      return authenticate(client, context.issuer)
    },
  }
}

async function bearAssertion(
  context: GrantContext,
  identity: ClientIdentity,
  assertion: string,
): Promise<oauth.TokenEndpointResponse> {
  const { issuer } = context
  const { client, authentication } = await authenticate(identity, issuer)
  const params = { assertion, ...resourceOf(context), ...scopeOf(context) }
  return requestTokens(
    context,
    'token request',
    (options) => oauth.genericTokenEndpointRequest(issuer, client, authentication, JWT_BEARER, params, options),
    (response) => oauth.processGenericTokenEndpointResponse(issuer, client, response),
  )
}

/** RFC 8693: an ID token for a grant that one authorization server takes, for one resource. */
async function exchangeIdToken({ idp, idToken }: EnterpriseManagedOptions, context: GrantContext): Promise<string> {
  const provider: IssuerMetadata = { issuer: idp.issuer, token_endpoint: idp.tokenEndpoint }
  const { client, authentication } = await authenticate(idp, provider)
  const params = {
    requested_token_type: ID_JAG,
    audience: context.issuer.issuer,
    subject_token: await idToken(),
    subject_token_type: ID_TOKEN,
    ...resourceOf(context),
    ...scopeOf(context),
  }
  // The identity provider is the operator's own choice, so it is judged by where it lies itself.
  const fetch = createGuardedFetch({ server: new URL(idp.tokenEndpoint) })
  const place: GrantContext = { ...context, issuer: provider, fetch, dpop: undefined }
  const answer = await requestTokens(
    place,
    'token exchange',
    (options) => oauth.genericTokenEndpointRequest(provider, client, authentication, TOKEN_EXCHANGE, params, options),
    (response) => {
      // The grant is no access token, which its type says ("N_A").
      const recognizedTokenTypes = { n_a: () => {} }
      return oauth.processGenericTokenEndpointResponse(provider, client, response, { recognizedTokenTypes })
    },
  )
  if (answer.issued_token_type !== ID_JAG) {
    throw authFailure('token-refused', `${plain(idp.issuer)} answered the exchange with something else`)
  }
  return answer.access_token
}
