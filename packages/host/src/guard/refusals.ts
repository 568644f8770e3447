/**
 * What a person has just refused is not put to them again and again: within one turn of a conversation, the same
 * attempt is refused without a question, and so is a tool to which they have said no several times in other words. The
 * next message of the person begins anew.
 */

import { toDigest } from '../audit/canonical.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { argumentsOf, itemOf } from '../policy/facts.ts'

const MAX_PER_ITEM = 3
const MAX_SESSIONS = 1_000

export class Refusals {
  /** By session, of those whose turns are told of: how often each thing was refused. */
  readonly #turns = new Map<string, Map<string, number>>()

  beginTurn(session: string): void {
    this.#turns.delete(session)
    this.#turns.set(session, new Map())
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > MAX_SESSIONS && oldest !== undefined) this.#turns.delete(oldest)
  }

  endSession(session: string): void {
    this.#turns.delete(session)
  }

  note(effect: Effect, about: Circumstances): void {
    const turn = this.#turnOf(about)
    if (turn === undefined) return
    for (const key of [exactly(effect, about), roughly(effect, about)]) turn.set(key, (turn.get(key) ?? 0) + 1)
  }

  /** Why nobody is asked, where that is so. */
  reason(effect: Effect, about: Circumstances): string | undefined {
    const turn = this.#turnOf(about)
    if (turn === undefined) return undefined
    if (turn.has(exactly(effect, about))) return 'A person has said no to exactly this, in this turn.'
    const times = turn.get(roughly(effect, about)) ?? 0
    return times < MAX_PER_ITEM ? undefined : `A person has said no to it ${times} times, in this turn.`
  }

  /** What a person does by hand may be tried as often as they like. */
  #turnOf({ session, byHand }: Circumstances): Map<string, number> | undefined {
    return byHand === true ? undefined : this.#turns.get(session)
  }
}

function roughly(effect: Effect, { principal }: Circumstances): string {
  const from = effect.kind === 'flow' ? effect.from : []
  return JSON.stringify([principal?.id ?? null, effect.kind, effect.server, itemOf(effect), from])
}

function exactly(effect: Effect, about: Circumstances): string {
  return `${roughly(effect, about)} ${toDigest(argumentsOf(effect))}`
}
