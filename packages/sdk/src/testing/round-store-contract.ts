/**
 * What every `RoundStore` must do, so that a request that is sent again runs once: the first taker of a round runs it, all
 * others get its outcome.
 */

import type { RoundStore } from '../session/kept-rounds/round-store.ts'
import { type ContractCase, expectEqual, inTime } from './contract.ts'

const TTL_MS = 60_000

/**
 * The cases of a round store. `make` gives two stores over one fresh place: the same object twice where a place has only one.
 *
 * @example
 * ```ts
 * import { MemoryRoundStore } from '@portico/sdk/server'
 * import { roundStoreContract } from '@portico/sdk/testing'
 *
 * const store = new MemoryRoundStore()
 * for (const { run } of roundStoreContract(async () => [store, store])) await run()
 * ```
 */
export function roundStoreContract(make: () => Promise<readonly [RoundStore, RoundStore]>): ContractCase[] {
  let turns = 0
  const withStores = (name: string, body: (one: RoundStore, other: RoundStore, round: string) => Promise<void>) => ({
    name,
    run: async () => inTime(body(...(await make()), `contract ${turns++} ${name}`), name),
  })
  return [
    withStores('gives a round to one taker alone, and its outcome to the others', async (one, other, round) => {
      const taken = [one, other, one, other].map((store) => store.take(round, TTL_MS))
      expectEqual(await Promise.race(taken), undefined)
      await one.settle(round, 'done')
      const outcomes = await Promise.all(taken)
      expectEqual(outcomes.filter((outcome) => outcome === undefined).length, 1)
      expectEqual(outcomes.filter((outcome) => outcome === 'done').length, 3)
      expectEqual(await other.take(round, TTL_MS), 'done')
    }),
    withStores('gives a released round to exactly one of those who wait', async (one, other, round) => {
      await one.take(round, TTL_MS)
      const outcomes: (string | undefined)[] = []
      const waiting = [one, other].map(async (store) => {
        const outcome = await store.take(round, TTL_MS)
        outcomes.push(outcome)
        if (outcome === undefined) await store.settle(round, 'second try')
      })
      await one.release(round)
      await Promise.all(waiting)
      expectEqual(outcomes, [undefined, 'second try'])
    }),
    withStores('keeps rounds apart', async (one, other, round) => {
      await one.take(round, TTL_MS)
      await one.settle(round, 'of one')
      expectEqual(await other.take(`${round} more`, TTL_MS), undefined)
      await other.release(`${round} more`)
    }),
    withStores('takes settling and releasing of the unknown calmly', async (one, _, round) => {
      await one.settle(`${round} unknown`, 'x')
      await one.release(`${round} unknown`)
    }),
  ]
}
