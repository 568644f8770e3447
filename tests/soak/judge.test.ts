/** The judgement of a soak: what grows is found, what only goes up and down is not blamed. */

import { describe, expect, it } from 'vitest'
import { judge, type Sample, slopeOf } from './judge.ts'

const at = (minutes: number, heap: number, timers = 3): Sample => ({
  at: minutes,
  counts: { 'data MiB': heap, timers },
})
const wave = (minute: number): number => Math.sin(minute * 7) * 3
const run = (heapOf: (minute: number) => number, timersOf: (minute: number) => number = () => 3): Sample[] =>
  Array.from({ length: 41 }, (_, step) => at(step / 2, heapOf(step / 2), timersOf(step / 2)))
const failing = (during: readonly Sample[], after: Sample): string[] =>
  judge(at(0, 50), during, after)
    .filter(({ holds }) => !holds)
    .map(({ name }) => name)

describe('reliability: what a soak finds', () => {
  it('holds where memory goes up and down and comes back', () => {
    expect(
      failing(
        run((minute) => 60 + wave(minute)),
        at(21, 51),
      ),
    ).toEqual([])
  })

  it('finds memory that grows by a MiB a minute below waves of three', () => {
    expect(
      failing(
        run((minute) => 60 + wave(minute) + minute / 2),
        at(21, 50),
      ),
    ).toEqual(['data MiB'])
  })

  it('finds memory that stays, whatever its slope was', () => {
    expect(
      failing(
        run(() => 60),
        at(21, 54.1),
      ),
    ).toEqual(['data MiB'])
  })

  it('finds timers that are left', () => {
    expect(
      failing(
        run(() => 60, wave),
        at(21, 50, 10),
      ),
    ).toEqual(['timers'])
  })

  it('gives the slope with its margin, and none for too few points', () => {
    expect(slopeOf([0, 1, 2, 3].map((x) => [x, 2 * x + 1]))).toEqual({ value: 2, margin: 0 })
    expect(
      slopeOf([
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
    ).toBeUndefined()
  })
})
