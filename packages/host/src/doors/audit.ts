/** `@portico/host/audit`: a log of every decision and effect that cannot be altered unnoticed. */

export type { AuditHead } from '../audit/chain.ts'
export type { HeadStore } from '../audit/head-store.ts'
export { type AuditLog, type AuditLogOptions, openAuditLog } from '../audit/log.ts'
export type { AuditEntry, AuditRecord, AuditSink } from '../audit/record.ts'
export { createRedactor, type RedactionOptions, type Redactor } from '../audit/redaction.ts'
export { type AuditQuery, searchAudit } from '../audit/search.ts'
export {
  type AuditProblem,
  type AuditProblemKind,
  type AuditReport,
  type VerifyOptions,
  verifyAuditLog,
} from '../audit/verify.ts'
