import { expect, it } from 'vitest'
import { PendingPins } from './pending-pins.ts'
import type { PinChanges } from './pin.ts'

const PIN = { present: true }

/** Lets so many steps of what waits go on. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve()
}

it.each(Array.from({ length: 12 }, (_, at) => at))(
  'keeps what comes %i steps after a write, without another one',
  async (at) => {
    const kept: string[] = []
    let later: Promise<void> | undefined
    const pins: PendingPins = new PendingPins(
      async (all: ReadonlyMap<string, PinChanges>) => {
        for (const { pins: theirs } of all.values()) kept.push(...theirs.keys())
        later ??= steps(at).then(() => pins.write('mail', 'second', PIN))
      },
      (error) => {
        throw error
      },
    )
    pins.write('mail', 'first', PIN)
    await pins.flush()
    await later
    await expect.poll(() => kept).toEqual(['first', 'second'])
  },
)
