import { expect, it, vi } from 'vitest'
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

it('does not try again what fails after it is closed', async () => {
  const failures: string[] = []
  let fail = (_error: Error): void => {}
  const pins = new PendingPins(
    () =>
      new Promise((_, reject) => {
        fail = reject
      }),
    ({ message }) => void failures.push(message),
  )
  pins.write('mail', 'first', PIN)
  const written = pins.flush()
  await new Promise<void>((resolve) => setImmediate(resolve))
  pins.close()
  const schedule = vi.spyOn(globalThis, 'setTimeout')
  fail(new Error('disk full'))
  await written
  expect([failures, schedule.mock.calls.length]).toEqual([['disk full'], 0])
  schedule.mockRestore()
})
