import { describe, expect, it } from 'vitest'
import { watchMachine } from './memory-watch.ts'

const TOTAL = 1_600

/** What the machine has left at each look, the last of them from then on; resolves with the look at which it was over. */
function lookAt(left: readonly number[], maxBytes: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let looks = 0
    const stop = (at: number | undefined): void => {
      unwatch()
      resolve(at)
    }
    const unwatch = watchMachine(
      maxBytes,
      () => stop(looks),
      async () => {
        // One look more than there are values: whoever was over has been told by then.
        if (looks > left.length) stop(undefined)
        return { available: left[Math.min(looks++, left.length - 1)] ?? 0, total: TOTAL }
      },
    )
  })
}

describe.skipIf(process.platform !== 'linux')('sec-693: a machine in want of memory (servers 2)', () => {
  it.each([
    ['ends what began when there was more than its part', [800, 400, 99], 300, 3],
    ['leaves what began when there was no more than that', [350, 200, 99], 300, undefined],
    ['is none while a sixteenth is left', [800, 200, 100], 300, undefined],
  ])('%s', async (_, left, maxBytes, at) => {
    expect(await lookAt(left, maxBytes)).toBe(at)
  })
})
