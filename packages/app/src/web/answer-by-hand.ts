/**
 * Whoever presses "Run" in the workbench, or sends a form in an editor, has decided: the arguments are before them, and
 * asking once more whether they meant it helps nobody. Only the question that is asked where no rule speaks is answered so; a rule that says "ask",
 * and data on its way from one server to another, still asks.
 */

import type { Inbox } from '@portico/host/consent'

const BY_HAND: ReadonlySet<string> = new Set(['call', 'read', 'prompt'])

/** For `onWaiting` of an act that a person does by hand, on the surface that `by` names. */
export function createByHand(inbox: Inbox, by = 'workbench'): (question: string | undefined) => void {
  return (id) => {
    if (id === undefined) return
    const body = inbox.pending().find((question) => question.id === id)?.body
    if (body?.kind !== 'approval' || !BY_HAND.has(body.effect.kind)) return
    if (body.byDefault === true) inbox.answer(id, { action: 'allow', by })
  }
}
