/** Holds what became of calls against the ledger: the conditions of "nothing lost". */

import { type Account, createAccount } from '@portico/sdk/testing/faults'
import { AT_ONCE_MS, type Outcome } from './calls.ts'
import { answerTo } from './programs/server-plan.ts'
import type { Executions } from './rig/ledger.ts'

/** What a run gives to be judged. */
export interface Fates {
  readonly outcomes: readonly Outcome[]
  /** When the fault struck; what fails because of it must fail soon after. */
  readonly faultAt?: number
  /** How often the fault struck, where something on the way brings it about: a run without it shows nothing. */
  readonly strikes?: number
  /** Whether the server was back in time, so that calls marked idempotent must have a result. */
  readonly restored?: boolean
  /** Every call must have a result: the fault is one that may cost time only. */
  readonly allResults?: boolean
  /** The fault is one that only the timeout can tell; elsewhere a timeout means that it was not noticed. */
  readonly timesOut?: boolean
  /** What else was not as it has to be, in words. */
  readonly complaints?: readonly string[]
}

/** How often a call was begun and ended, whoever wrote it down. */
export interface Executed {
  of(nonce: string): Executions
}

export interface Judgement {
  readonly account: Account
  readonly complaints: string[]
  /** The longest time from the fault to the end of a call that failed of it. */
  readonly slowestMs: number
}

export function judge(fates: Fates, ledger: Executed): Judgement {
  const account = createAccount()
  const complaints = [...(fates.complaints ?? [])]
  if (fates.strikes === 0) complaints.push('the fault did not strike')
  if (fates.outcomes.length === 0) complaints.push('no call was made')
  let slowestMs = 0
  for (const outcome of fates.outcomes) {
    const executions = ledger.of(outcome.nonce)
    account.sent++
    account[outcome.kind === 'result' ? 'answered' : 'failed']++
    for (const what of faultsOf(outcome, executions, fates)) {
      account[what]++
      complaints.push(`${what}: ${JSON.stringify({ ...outcome, ...executions })}`)
    }
    const afterMs = outcome.endedAt - (fates.faultAt ?? Number.NaN)
    // What has no end, or only its timeout, is hung already.
    if (outcome.kind === 'result' || outcome.kind === 'hang' || outcome.code === 'timeout') continue
    if (Number.isNaN(afterMs)) continue
    slowestMs = Math.max(slowestMs, afterMs)
    if (afterMs <= AT_ONCE_MS || outcome.idempotent) continue
    account.hung++
    complaints.push(`hung: ${JSON.stringify(outcome)} ended ${Math.round(afterMs)} ms after the fault`)
  }
  return { account, complaints, slowestMs }
}

/** Everything that is wrong with the end of one call. */
function faultsOf(
  { kind, nonce, delivery, idempotent, text, code, steps, progress }: Outcome,
  { starts, ends }: Executions,
  { restored, allResults, timesOut }: Fates,
): ('lost' | 'wrong' | 'doubled' | 'untrue' | 'hung')[] {
  const isRight = kind !== 'result' || text === answerTo(nonce)
  // What was cut off may lack the end of its progress; whoever has the result has heard all of it.
  const hasAll = kind !== 'result' || progress.length === steps
  return [
    ...(kind === 'stray' || (kind === 'local' && delivery === undefined) ? (['lost'] as const) : []),
    ...((restored && idempotent) || allResults ? (kind === 'result' ? [] : (['lost'] as const)) : []),
    ...(isRight && isGapless(progress) && hasAll ? [] : (['wrong'] as const)),
    ...(starts > 1 && !idempotent ? (['doubled'] as const) : []),
    ...((kind === 'result' && ends === 0) || (delivery === 'not-sent' && starts > 0) ? (['untrue'] as const) : []),
    ...(kind === 'hang' || (code === 'timeout' && !timesOut) ? (['hung'] as const) : []),
  ]
}

function isGapless(progress: readonly number[]): boolean {
  return progress.every((value, index) => value === index + 1)
}
