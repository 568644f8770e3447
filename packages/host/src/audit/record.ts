/** A line of the audit log: a decision, or what became of an effect. Redacted before it is written. */

import type { JsonObject } from '@portico/sdk/server'

/** What is to be written into an audit log; `at` is in milliseconds since 1970. */
export interface AuditEntry {
  readonly at: number
  /** `decision` before, `outcome` after; `event` for what is neither, such as a changed definition. */
  readonly type: 'decision' | 'outcome' | 'event'
  readonly principal?: string
  readonly session?: string
  readonly server?: string
  /** `call`, `read`, … or the name of the event. */
  readonly what: string
  /** Tool, URI or prompt. */
  readonly item?: string
  /** SHA-256 over the canonical arguments: equal calls can be told, their words cannot. */
  readonly argumentDigest?: string
  readonly outcome?: string
  readonly rule?: string
  readonly reason?: string
  readonly durationMs?: number
  readonly traceId?: string
  /** Ties an outcome to its decision. */
  readonly ref?: string
  readonly detail?: JsonObject
}

/** An entry as it stands in the log: numbered, and tied to the record before it by a hash. */
export interface AuditRecord extends AuditEntry {
  readonly sequence: number
  /** The hash of the record before this one. */
  readonly previous: string
  readonly hash: string
}

/** Where entries go. `append` resolves once the record is written. */
export interface AuditSink {
  append(entry: AuditEntry): Promise<AuditRecord>
  /** False from an entry that could not be written until one can be again; readiness looks here. */
  readonly writable?: boolean
}
