/** `@portico/sdk/auth`: signing in to protected servers, on every runtime. */

export { type Authorizer, MAX_RETRIES } from '../auth/authorization.ts'
export { createAuthorizer } from '../auth/authorizer.ts'
export type { AuthenticationMethod, ClientIdentity } from '../auth/client-authentication.ts'
export { type ClientChoice, checkClientMetadataUrl, type KnownClient } from '../auth/client-registration.ts'
export type { AuthFailure, AuthFailureReason } from '../auth/failure.ts'
export { authFailureOf } from '../auth/failure.ts'
export { type AuthorizationCodeOptions, authorizationCode } from '../auth/grant-code.ts'
export {
  clientCredentials,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from '../auth/grant-machine.ts'
export type { GrantContext, GrantType } from '../auth/grant-type.ts'
export type { AuthFetch } from '../auth/guarded-target.ts'
export type { TlsIdentity } from '../auth/tls-identity.ts'
export type { OAuthOptions } from '../auth/token-source.ts'
export { createMemoryTokenStore, type TokenStore } from '../auth/token-store.ts'
export { checkPageUrl, type UserAgent } from '../auth/user-agent.ts'
export { type FetchLike, type WithOAuthOptions, withOAuth } from '../auth/with-oauth.ts'
