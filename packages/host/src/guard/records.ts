/** What the guard writes down: a decision before an effect, its outcome after, tied by one reference. */

import type { JsonObject } from '@portico/sdk/server'
import { toDigest } from '../audit/canonical.ts'
import type { AuditEntry } from '../audit/record.ts'
import type { Decision } from '../policy/decision.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { itemOf } from '../policy/facts.ts'

/** Who it was that decided: a rule or default, a remembered answer, a person now, or that nobody could be asked. */
export type DecidedBy = 'rule' | 'grant' | 'person' | 'nobody'

export interface FinalDecision {
  readonly allowed: boolean
  readonly decision: Decision
  readonly by: DecidedBy
  readonly reason: string
  readonly detail?: JsonObject
}

/** Who wants to do what, for all records of one act: its arguments are digested once. */
export interface Subject extends Omit<AuditEntry, 'at' | 'type'> {
  /** Ties an outcome to its decision. */
  readonly ref: string
}

export function decisionEntry(
  effect: Effect,
  about: Circumstances,
  final: FinalDecision,
  { subject, at }: { readonly subject: Subject; readonly at: number },
): AuditEntry {
  const { decision, by, reason, detail } = final
  return {
    ...subject,
    at,
    type: 'decision',
    outcome: final.allowed ? 'allow' : 'deny',
    ...(decision.rule !== undefined && { rule: decision.rule }),
    reason,
    detail: {
      by,
      says: decision.outcome,
      ...(decision.shadow !== undefined && { shadow: { ...decision.shadow } }),
      ...(effect.kind === 'flow' && { from: [...effect.from], inArguments: effect.inArguments === true }),
      ...(about.tainted && { tainted: true }),
      ...detail,
    },
  }
}

interface Ending {
  readonly outcome: string
  readonly reason?: string
  readonly startedAt: number
  readonly at: number
}

export function outcomeEntry(subject: Subject, { outcome, reason, startedAt, at }: Ending): AuditEntry {
  const entry: AuditEntry = { ...subject, at, type: 'outcome', outcome, durationMs: Math.max(0, at - startedAt) }
  return reason === undefined ? entry : { ...entry, reason }
}

export function reviewEntry(
  effect: Effect,
  about: Circumstances,
  more: Pick<AuditEntry, 'at' | 'outcome' | 'rule' | 'reason'>,
): AuditEntry {
  return { ...actOf(effect, about), type: 'event', ...more, what: 'review', detail: { of: effect.kind } }
}

export function subjectOf(effect: Effect, about: Circumstances, ref: string): Subject {
  return { ...actOf(effect, about), ref }
}

function actOf(effect: Effect, { principal, session, traceId }: Circumstances): Omit<AuditEntry, 'at' | 'type'> {
  return {
    ...(principal !== undefined && { principal: principal.id }),
    session,
    server: effect.server,
    what: effect.kind,
    item: itemOf(effect),
    ...('arguments' in effect && { argumentDigest: toDigest(effect.arguments) }),
    ...(traceId !== undefined && { traceId }),
  }
}
