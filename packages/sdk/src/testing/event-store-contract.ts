/**
 * What every `EventStore` must do for a session whose client comes back. A store may forget old events, never the newest
 * of a stream, and never mixes streams up.
 */

import type { EventStore } from '../serve/streamable/event-store.ts'
import { type ContractCase, expect, expectEqual, inTime } from './contract.ts'

/**
 * The cases of an event store; `make` gives a fresh one, as for one session, with room for a thousand bytes at least.
 *
 * @example
 * ```ts
 * import { createMemoryEvents } from '@portico/sdk/http'
 * import { eventStoreContract } from '@portico/sdk/testing'
 *
 * const limits = { maxReplayBytes: 2000, maxSessionReplayBytes: 4000, maxTotalReplayBytes: 8000 }
 * const makeStore = createMemoryEvents(limits)
 * for (const { run } of eventStoreContract(() => makeStore('session'))) await run()
 * ```
 */
export function eventStoreContract(make: () => EventStore): ContractCase[] {
  const withStore = (name: string, body: (store: EventStore) => void): ContractCase => ({
    name,
    run: () =>
      inTime(
        Promise.resolve().then(() => body(make())),
        name,
      ),
  })
  return [
    withStore('has nothing of a stream that was never written', (store) => {
      expectEqual(store.replay('unknown', 0), [])
      store.drop('unknown')
    }),
    withStore('gives back what came after a number, oldest first', (store) => {
      for (let seq = 1; seq <= 5; seq++) store.append('a', seq, `text ${seq}`)
      expectEqual(store.replay('a', 3), [
        { seq: 4, text: 'text 4' },
        { seq: 5, text: 'text 5' },
      ])
      expectEqual(store.replay('a', 5), [])
    }),
    withStore('keeps streams apart', (store) => {
      store.append('a', 1, 'of a')
      store.append('b', 1, 'of b')
      store.drop('a')
      expectEqual([store.replay('a', 0), store.replay('b', 0)], [[], [{ seq: 1, text: 'of b' }]])
    }),
    withStore('keeps the newest event of a stream, whatever gives way', (store) => {
      for (let seq = 1; seq <= 200; seq++) store.append('a', seq, 'x'.repeat(500))
      const kept = store.replay('a', 0)
      expectEqual(kept.at(-1)?.seq, 200)
      const first = kept[0]?.seq ?? 0
      expectEqual(
        kept.map(({ seq }) => seq),
        kept.map((_, at) => first + at),
      )
    }),
    withStore('says less is kept once a stream is dropped', (store) => {
      store.append('a', 1, 'x'.repeat(100))
      const before = store.size
      store.drop('a')
      expect(store.size < before, `${store.size} bytes kept after ${before}`)
    }),
  ]
}
