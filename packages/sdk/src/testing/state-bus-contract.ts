/** What every `Bus` must do: carry what is published to everybody who listens to the topic by then, and to nobody else. */

import { BUS_LIMITS, type Bus } from '../state/bus.ts'
import { type ContractCase, eventually, expect, expectEqual, inTime } from './contract.ts'

/**
 * The cases of a bus. `make` gives two over one fresh place: as two processes would have them, or the same object twice where
 * there is only one. Both are closed after each case.
 *
 * @example
 * ```ts
 * import { createMemoryBus } from '@portico/sdk/state'
 * import { stateBusContract } from '@portico/sdk/testing'
 *
 * const cases = stateBusContract(async () => {
 *   const bus = createMemoryBus()
 *   return [bus, bus]
 * })
 * for (const { run } of cases) await run()
 * ```
 */
export function stateBusContract(make: () => Promise<readonly [Bus, Bus]>): ContractCase[] {
  const withBuses: BusCase = (name, body) => ({
    name,
    run: async () => {
      const [one, other] = await make()
      try {
        await inTime(body(one, other), name)
      } finally {
        await one.close()
        await other.close()
      }
    },
  })
  return [...carryingCases(withBuses), ...boundCases(withBuses)]
}

type BusCase = (name: string, body: (one: Bus, other: Bus) => Promise<void>) => ContractCase

function carryingCases(withBuses: BusCase): ContractCase[] {
  return [
    withBuses('carries a text to every listener of its topic, the own ones too', async (one, other) => {
      const heard = [await hear(one, 'a'), await hear(other, 'a'), await hear(other, 'a')]
      const apart = await hear(other, 'b')
      const text = 'é𐍈 \n"quoted"'
      await one.publish('a', text)
      await eventually(async () => heard.every(({ texts }) => texts.has(text)))
      await one.publish('b', 'end')
      await eventually(async () => apart.texts.has('end'))
      expect(!apart.texts.has(text), 'a text came to a listener of another topic')
    }),
    withBuses('carries the largest text there may be, and many', async (one, other) => {
      const { texts } = await hear(other, 'a')
      const largest = 'x'.repeat(BUS_LIMITS.maxTextBytes)
      const all = [largest, ...Array.from({ length: 50 }, (_, at) => `${at}`)]
      await Promise.all(all.map((text) => one.publish('a', text)))
      await eventually(async () => all.every((text) => texts.has(text)))
    }),
    withBuses('is silent once a listener has stopped, and others go on', async (one, other) => {
      const stopped = await hear(other, 'a')
      const goesOn = await hear(other, 'a')
      stopped.stop()
      stopped.stop()
      await one.publish('a', 'late')
      await eventually(async () => goesOn.texts.has('late'))
      expectEqual([...stopped.texts], [])
    }),
    withBuses('goes on after a listener that throws', async (one, other) => {
      await other.subscribe('a', () => {
        throw new Error('a listener that fails')
      })
      const { texts } = await hear(other, 'a')
      await one.publish('a', 'first')
      await one.publish('a', 'second')
      await eventually(async () => texts.has('second'))
    }),
  ]
}

function boundCases(withBuses: BusCase): ContractCase[] {
  return [
    withBuses('does not call a listener inside of publish, and publishes to nobody calmly', async (one) => {
      await one.publish('nobody', 'x')
      const { texts } = await hear(one, 'a')
      const published = one.publish('a', 'x')
      expectEqual(texts.size, 0)
      await published
      await eventually(async () => texts.has('x'))
    }),
    withBuses('refuses a text that is too long', async (one) => {
      const outcome = await Promise.resolve()
        .then(() => one.publish('a', 'é'.repeat(BUS_LIMITS.maxTextBytes / 2 + 1)))
        .then(
          () => 'it was done',
          (error: { code?: unknown }) => error.code,
        )
      expectEqual(outcome, 'limit-exceeded')
    }),
    withBuses('is silent after it was closed, and can be closed twice', async (one) => {
      const { texts } = await hear(one, 'a')
      await one.close()
      await one.close()
      const outcome = await one.publish('a', 'x').catch((error: { code?: unknown }) => error.code)
      expectEqual([outcome, texts.size], ['closed', 0])
    }),
  ]
}

async function hear(bus: Bus, topic: string): Promise<{ texts: Set<string>; stop: () => void }> {
  const texts = new Set<string>()
  const stop = await bus.subscribe(topic, (text) => {
    if (text !== undefined) texts.add(text)
  })
  return { texts, stop }
}
