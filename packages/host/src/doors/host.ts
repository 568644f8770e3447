/** `@portico/host`: many servers, one set of rules, one model loop, to be embedded in a program of your own. */

export { auditFiles, type HostAuditOptions, verifyHostAudit } from '../assembly/audit-file.ts'
export type { AttachedPiece, Attachment } from '../assembly/conversation/attachments.ts'
export type { ActionResult } from '../assembly/guarded-actions.ts'
export { createHost, Host, type HostEvents } from '../assembly/host.ts'
export type { ActOptions, AttachRule, ConverseOptions, HostOptions, HostTelemetryApi } from '../assembly/options.ts'
export type { SignInOptions, SignInStep } from '../assembly/sign-in.ts'
