/** What limits that all replicas share have in common: a row that several change at once, and what each may give out alone. */

import { getOrDamaged } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import type { Store } from '@portico/sdk/state'
import type { SharedState } from '../../state/shared/shared-state.ts'

interface Decision<Outcome> {
  readonly outcome: Outcome
  /** What the row is to hold; without a value it goes, and without a change it stays as it is. */
  readonly change?: { readonly value?: string; readonly ttlMs?: number }
}

const MOST_ATTEMPTS = 50

/** Changes a row by what is in it, which is nothing where it was damaged; `decide` is asked again whenever another replica was faster. */
export async function changeRow<Outcome>(
  store: Store,
  key: string,
  decide: (text: string | undefined) => Decision<Outcome>,
): Promise<Outcome> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const kept = await getOrDamaged(store, key)
    const { outcome, change } = decide(kept?.value)
    if (change === undefined) return outcome
    if ((await store.write([{ key, ifVersion: kept?.version ?? 0, ...change }])) !== undefined) return outcome
  }
  throw stateAway()
}

/** What one replica may give out while it cannot ask; where that is nothing, whoever asks has to come again. */
export function evenPart({ replicas }: SharedState, most: number): number {
  const even = Math.floor(most / replicas.ids.size)
  if (even === 0 && most > 0) throw stateAway()
  return even
}

export function isStateAway(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'store-unavailable'
}

/** Nothing was done, and a moment later it may be. */
function stateAway(): PorticoError {
  return new PorticoError('store-unavailable', 'The state that gateways share cannot be reached; try again', {
    delivery: 'not-sent',
  })
}
