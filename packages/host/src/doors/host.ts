/** `@portico/host`: many servers, one set of rules, one model loop, to be embedded in a program of your own. */

export type { ActionResult } from '../assembly/act-outcome.ts'
export { auditFiles, type HostAuditOptions, verifyHostAudit } from '../assembly/audit-file.ts'
export type { AttachedPiece, Attachment } from '../assembly/conversation/attachments.ts'
export { createHost, Host, type HostEvents } from '../assembly/host.ts'
export type {
  ActOptions,
  AttachRule,
  ConverseOptions,
  HostOptions,
  HostTaskOptions,
  HostTelemetryApi,
} from '../assembly/options.ts'
export type { SignInOptions, SignInStep } from '../assembly/sign-in.ts'
export type { HostTask, TaskArrival } from '../assembly/tasks/host-task.ts'
export type { HostTasks, StartedCall, TaskCallOptions } from '../assembly/tasks/task-calls.ts'
