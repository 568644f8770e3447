/** What a channel has used up today, kept on the store so that a restart or a second process does not begin anew. */

import type { Store } from '@portico/sdk/state'
import { sha256 } from '../../audit/canonical.ts'
import type { Clock } from '../../consent/clock.ts'
import type { ChannelBudget } from './settings.ts'

/** What was used: the same members as a budget has. */
export type Used = { readonly [part in keyof Required<ChannelBudget>]: number }

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
    return toUsed((await this.#store.get(this.#key(place)))?.value)
  }

  /** Adds to what was used, and says what it is now. */
  async spend(place: { readonly team: string; readonly channel: string }, more: Partial<Used>): Promise<Used> {
    const key = this.#key(place)
    for (let tries = 0; ; tries++) {
      const kept = await this.#store.get(key)
      const before = toUsed(kept?.value)
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

/** A row that nobody can read any more counts from nothing, and is written anew by whoever spends next. */
function toUsed(text: string | undefined): Used {
  const kept = toObject(text)
  return Object.fromEntries(PARTS.map((part) => [part, toAmount(kept[part])])) as Used
}

function toObject(text: string | undefined): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function toAmount(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0
}

/** The first part of a budget that is used up. */
export function exhausted(budget: ChannelBudget | undefined, used: Used): keyof ChannelBudget | undefined {
  return PARTS.find((part) => {
    const limit = budget?.[part]
    return limit !== undefined && used[part] >= limit
  })
}
