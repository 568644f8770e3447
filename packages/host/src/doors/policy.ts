/** `@portico/host/policy`: attribute-based access by Cedar, and how it is put on a server. */

export { type CedarPolicyOptions, createCedarPolicy } from '../policy/cedar.ts'
export type { CedarEntity, CedarUid } from '../policy/cedar-entities.ts'
export type { CedarRecord, CedarValue } from '../policy/cedar-values.ts'
export { enforcePolicy, type Judged, type ServerPolicyOptions, visibleBy } from '../policy/server-policy.ts'
