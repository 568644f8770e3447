/** `@portico/sdk/bearer`: protect a server by access tokens, client certificates, scopes, roles and policies. */

export type { Authorizer, Decision, PolicyAction, PolicyContext, PolicyItem } from '../auth/access-policy.ts'
export { type Claims, defineRoles, type Grants, type RoleOptions, type ScopeHierarchy } from '../auth/access-scopes.ts'
export { type CertificateRules, type ClientCertificate, certificatePrincipal } from '../auth/certificate.ts'
export type { DpopOptions } from '../auth/verify-dpop.ts'
export type { IntrospectionOptions } from '../auth/verify-introspection.ts'
export { type Authentication, anyOf, type Protection } from '../serve/authorization.ts'
export { requireCertificate } from '../serve/authorization-certificate.ts'
export { type BearerOptions, requireBearer, type StepUp } from '../serve/bearer.ts'
