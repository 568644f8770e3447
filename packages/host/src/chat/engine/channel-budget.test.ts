/** What a channel has used up today, whatever became of the row that says so. */

import { createMemoryStore } from '@portico/sdk/state'
import { expect, test } from 'vitest'
import { ChannelBudgets, exhausted } from './channel-budget.ts'

const PLACE = { team: 'T', channel: 'C' }

test.each(['', 'not JSON', 'null', '7', '[]', '{}', '{"turns":"many"}', '{"turns":-5}', '{"turns":null}'])(
  'a row that says %j counts from nothing, and bounds again from then on',
  async (value) => {
    const store = createMemoryStore()
    const budgets = new ChannelBudgets(store, 'slack', { now: () => 0 })
    await budgets.spend(PLACE, { turns: 1 })
    const [{ key } = { key: '' }] = await store.list('chat/budget/', { limit: 1 })
    await store.write([{ key, value }])
    expect(await budgets.used(PLACE)).toEqual({ turns: 0, calls: 0, tokens: 0, cost: 0 })
    expect(exhausted({ turns: 2 }, await budgets.spend(PLACE, { turns: 2, cost: 0.5 }))).toBe('turns')
    expect(await budgets.used(PLACE)).toEqual({ turns: 2, calls: 0, tokens: 0, cost: 0.5 })
  },
)
