/** `policy.*`, `audit.*`: the rules, what they would decide, and the record of what was decided. */

import type { AuditRecord } from '@portico/host/audit'
import type { Circumstances, Decision, Effect } from '@portico/host/policy'
import type { JsonObject } from '@portico/sdk/client'
import type { Method } from './method.ts'

export interface PolicyApi {
  'policy.get': Method<
    {},
    {
      readonly rules: readonly JsonObject[]
      readonly findings: readonly PolicyFinding[]
      readonly shadow: readonly ShadowResult[]
    }
  >
  'policy.set': Method<{ readonly rules: readonly JsonObject[] }, { readonly findings: readonly PolicyFinding[] }>
  'policy.explain': Method<
    {
      readonly effect: Effect
      readonly circumstances?: Partial<Circumstances>
      readonly rules?: readonly JsonObject[]
    },
    Decision & { readonly considered: readonly string[] }
  >
  /** Newest first; `before` is a time. */
  'audit.search': Method<
    { readonly query?: string; readonly limit?: number; readonly before?: number },
    { readonly records: readonly AuditRecord[] }
  >
  'audit.verify': Method<{}, { readonly ok: boolean; readonly records: number; readonly problems: readonly string[] }>
}

export interface PolicyFinding {
  readonly rule?: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly remedy?: string
}

export interface ShadowResult {
  readonly at: number
  readonly effect: string
  readonly did: string
  readonly would: string
  readonly rule: string
}
