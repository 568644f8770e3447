/** `@portico/host`: many servers, one set of rules, one model loop, to be embedded in a program of your own. */

export { auditFiles, type HostAuditOptions, verifyHostAudit } from '../host/audit-file.ts'
export type { AttachedPiece, Attachment } from '../host/conversation/attachments.ts'
export type { ActionResult } from '../host/guarded-actions.ts'
export { createHost, Host, type HostEvents } from '../host/host.ts'
export type { ActOptions, AttachRule, ConverseOptions, HostOptions, HostTelemetryApi } from '../host/options.ts'
export type { SignInOptions, SignInStep } from '../host/sign-in.ts'
