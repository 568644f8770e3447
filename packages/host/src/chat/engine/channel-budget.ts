/** What a channel has used up today, kept on the store so that a restart or a second process does not begin anew. */

import type { Store } from '@portico/sdk/state'
import { sha256 } from '../../audit/canonical.ts'
import type { Clock } from '../../consent/clock.ts'
import type { ChannelBudget } from './settings.ts'

/** What was used: the same members as a budget has. */
export type Used = { readonly [part in keyof Required<ChannelBudget>]: number }

const NOTHING: Used = { turns: 0, calls: 0, tokens: 0, cost: 0 }
const PARTS = ['turns', 'calls', 'tokens', 'cost'] as const
const DAY_MS = 24 * 3_600_000
const MAX_TRIES = 50

export class ChannelBudgets {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  readonly #adapter: string

  constructor(store: Store, adapter: string, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#adapter = adapter
    this.#clock = clock
  }

  async used(place: { readonly team: string; readonly channel: string }): Promise<Used> {
    const kept = await this.#store.get(this.#key(place))
    return kept === undefined ? NOTHING : (JSON.parse(kept.value) as Used)
  }

  /** Adds to what was used, and says what it is now. */
  async spend(place: { readonly team: string; readonly channel: string }, more: Partial<Used>): Promise<Used> {
    const key = this.#key(place)
    for (let tries = 0; ; tries++) {
      const kept = await this.#store.get(key)
      const before = kept === undefined ? NOTHING : (JSON.parse(kept.value) as Used)
      const now = Object.fromEntries(PARTS.map((part) => [part, before[part] + (more[part] ?? 0)])) as Used
      const change = { key, value: JSON.stringify(now), ifVersion: kept?.version ?? 0, ttlMs: 2 * DAY_MS }
      if ((await this.#store.write([change])) !== undefined || tries >= MAX_TRIES) return now
    }
  }

  #key({ team, channel }: { readonly team: string; readonly channel: string }): string {
    const day = new Date(this.#clock.now()).toISOString().slice(0, 10)
    return `chat/budget/${day}/${sha256(JSON.stringify([this.#adapter, team, channel]))}`
  }
}

/** The first part of a budget that is used up. */
export function exhausted(budget: ChannelBudget | undefined, used: Used): keyof ChannelBudget | undefined {
  return PARTS.find((part) => {
    const limit = budget?.[part]
    return limit !== undefined && used[part] >= limit
  })
}
