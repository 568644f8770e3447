/** `@portico/sdk/bearer`: protect a server by access tokens, client certificates, scopes, roles and policies. */

export type { Authorizer, Decision, PolicyAction, PolicyContext, PolicyItem } from '../auth/access-policy.ts'
export { type Claims, defineRoles, type Grants, type RoleOptions, type ScopeHierarchy } from '../auth/access-scopes.ts'
export { type CertificateRules, type ClientCertificate, certificatePrincipal } from '../auth/certificate.ts'
export type { DpopOptions } from '../auth/verify/verify-dpop.ts'
export type { IntrospectionOptions } from '../auth/verify/verify-introspection.ts'
export { type BearerOptions, requireBearer, type StepUp } from '../serve/bearer/bearer.ts'
export { type Authentication, anyOf, type Protection } from '../serve/rules/authorization.ts'
export { requireCertificate } from '../serve/rules/authorization-certificate.ts'
