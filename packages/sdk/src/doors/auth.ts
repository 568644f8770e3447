/** `@portico/sdk/auth`: signing in to protected servers, on every runtime. */

export { type Authorizer, MAX_RETRIES } from '../auth/client/authorization.ts'
export { createAuthorizer } from '../auth/client/authorizer.ts'
export type { AuthenticationMethod, ClientIdentity } from '../auth/client/client-authentication.ts'
export { type ClientChoice, checkClientMetadataUrl, type KnownClient } from '../auth/client/client-registration.ts'
export type { AuthFailure, AuthFailureReason } from '../auth/client/failure.ts'
export { authFailureOf } from '../auth/client/failure.ts'
export { type AuthorizationCodeOptions, authorizationCode } from '../auth/client/grant-code.ts'
export {
  clientCredentials,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from '../auth/client/grant-machine.ts'
export type { GrantContext, GrantType } from '../auth/client/grant-type.ts'
export type { OAuthOptions } from '../auth/client/token-source.ts'
export { createMemoryTokenStore, type TokenStore } from '../auth/client/token-store.ts'
export { type FetchLike, type WithOAuthOptions, withOAuth } from '../auth/client/with-oauth.ts'
export type { AuthFetch } from '../auth/network/guarded-target.ts'
export type { TlsIdentity } from '../auth/tls-identity.ts'
export { checkPageUrl, type UserAgent } from '../auth/user-agent/user-agent.ts'
