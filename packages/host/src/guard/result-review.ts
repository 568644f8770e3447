/**
 * A result on its way into a context: shown to a person first where a rule says so, and kept back where it comes long after
 * its call was allowed and would not be allowed now.
 */

import type { CallToolResult } from '@portico/sdk/client'
import type { JsonObject } from '@portico/sdk/server'
import { toDigest } from '../audit/canonical.ts'
import type { AuditEntry } from '../audit/record.ts'
import { describeGrant } from '../consent/grant.ts'
import { HostError } from '../errors.ts'
import type { Counts } from '../policy/counts.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import type { PassOptions } from './guard.ts'
import type { JudgeParts } from './judge.ts'
import { reviewEntry } from './records.ts'

export type ReviewParts = Pick<JudgeParts, 'rules' | 'grants' | 'inbox' | 'clock' | 'definition'> & {
  append(entry: AuditEntry): Promise<void>
}

interface Reviewed {
  readonly effect: Effect
  readonly result: CallToolResult
  readonly about: Circumstances
  /** The rule that wants it seen. */
  readonly rule: string
}

export async function showResult(
  parts: ReviewParts,
  { effect, result, about, rule }: Reviewed,
  { signal, onWaiting }: PassOptions,
): Promise<CallToolResult> {
  const { session, principal, workspace } = about
  const refuse = (reason: string): Promise<never> => keepBack(parts, effect, about, { rule, reason })
  if (about.unattended) return refuse('a person must see it first, and nobody is there')
  const { action, content } = await parts.inbox.ask(
    {
      server: effect.server,
      session,
      ...(principal !== undefined && { principal: principal.id }),
      ...(workspace !== undefined && { workspace }),
      // A result is plain JSON.
      body: { kind: 'result', effect, result: result as unknown as JsonObject },
    },
    { signal, onWaiting },
  )
  if (action !== 'allow') return refuse('a person did not release it')
  const edited = content !== undefined && toDigest(content) !== toDigest(result)
  if (edited && !isResult(content)) return refuse('what it was edited to is no result')
  const reason = edited ? 'a person edited and released it' : 'a person released it'
  await parts.append(reviewEntry(effect, about, { at: parts.clock.now(), outcome: 'allow', rule, reason }))
  // Just shown to have the members of a result.
  return edited ? (content as unknown as CallToolResult) : result
}

/** The call was counted when it was made: what rules count is not used up by it a second time. */
const NOTHING_USED: Counts = { used: () => 0 }

/** Rejects where a rule or a remembered answer says no by now. Nobody is asked anew about what was allowed. */
export async function requireStillAllowed(parts: ReviewParts, effect: Effect, about: Circumstances): Promise<void> {
  const { outcome, rule, reason } = parts.rules().decide(effect, about, NOTHING_USED)
  if (outcome === 'deny') await keepBack(parts, effect, about, { rule, reason })
  const grant = parts.grants.peek(effect, about, parts.definition(effect))
  if (grant?.action === 'deny') await keepBack(parts, effect, about, { reason: describeGrant(grant) })
}

async function keepBack(
  { append, clock }: ReviewParts,
  effect: Effect,
  about: Circumstances,
  why: { readonly rule?: string | undefined; readonly reason: string },
): Promise<never> {
  const { reason } = why
  const named = why.rule === undefined ? {} : { rule: why.rule }
  await append(reviewEntry(effect, about, { at: clock.now(), outcome: 'deny', ...named, reason }))
  throw new HostError('denied', `The result was kept back: ${reason}`, { data: { ...named, reason } })
}

function isResult(content: JsonObject): boolean {
  const blocks = content.content
  if (!Array.isArray(blocks)) return false
  return blocks.every((block) => typeof block === 'object' && block !== null && typeof block.type === 'string')
}
