/** `@portico/host`: many servers, one set of rules, one model loop, to be embedded in a program of your own. */

export type { Done } from '../host/acts.ts'
export { auditFiles, type HostAuditOptions, verifyHostAudit } from '../host/audit-file.ts'
export type { AttachedPiece, Attachment } from '../host/conversation/attachments.ts'
export { createHost, Host, type HostEvents } from '../host/host.ts'
export type { ActOptions, AttachRule, ConverseOptions, HostOptions, HostTelemetryApi } from '../host/options.ts'
export type { SignInOptions, SignInStep } from '../host/sign-in.ts'
