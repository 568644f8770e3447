/**
 * Whose reading a person has let pass in a conversation that holds untrusted text. A trusted server that does not say
 * whether a tool of its reaches out would be asked about at every call; one yes is enough for what it only reads, until the
 * conversation ends. Nothing else follows from it: data on its way to another server is asked about as ever.
 */

import type { Decision } from '../policy/decision.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { isUndeclaredReading } from '../policy/facts.ts'

const MAX_SESSIONS = 1_000

export class ReadingTrust {
  /** By session: who has said yes to which server. */
  readonly #sessions = new Map<string, Set<string>>()

  holds(effect: Effect, about: Circumstances, decision: Decision): boolean {
    return applies(effect, about, decision) && this.#sessions.get(about.session)?.has(keyOf(effect, about)) === true
  }

  /** Takes an answer to this effect: a yes holds from now on, and any other ends it. */
  note(effect: Effect, about: Circumstances, decision: Decision, allowed: boolean): void {
    if (!applies(effect, about, decision)) return
    const known = this.#sessions.get(about.session) ?? new Set()
    if (allowed) known.add(keyOf(effect, about))
    else known.delete(keyOf(effect, about))
    this.#sessions.delete(about.session)
    this.#sessions.set(about.session, known)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  endSession(session: string): void {
    this.#sessions.delete(session)
  }
}

/** A rule that asks wants to ask each time. */
function applies(effect: Effect, { tainted }: Circumstances, { outcome, rule }: Decision): boolean {
  return tainted && outcome === 'ask' && rule === undefined && isUndeclaredReading(effect)
}

function keyOf({ server }: Effect, { principal }: Circumstances): string {
  return JSON.stringify([principal?.id ?? null, server])
}
