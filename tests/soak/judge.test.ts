/** The judgement of a soak: what grows is found, what only goes up and down is not blamed. */

import { describe, expect, it } from 'vitest'
import { complaintsOf, judge, type Sample, slopeOf } from './judge.ts'
import { Outcomes } from './load.ts'

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

  it('does not hold where something is no longer counted', () => {
    expect(
      failing(
        run(() => 60),
        { at: 21, counts: { 'data MiB': 50 } },
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

describe('reliability: how the calls of a soak end', () => {
  const outcomes = (values: Partial<Outcomes>, failed: { readonly [code: string]: number } = {}): Outcomes => {
    const made = Object.assign(new Outcomes(), { sent: 1_000, answered: 1_000 }, values)
    for (const [code, count] of Object.entries(failed)) made.failed.set(code, count)
    return made
  }

  it('holds where most are answered and the rest is told', () => {
    expect(complaintsOf(outcomes({ answered: 900 }, { 'http-status': 95, timeout: 5 }))).toEqual([])
  })

  it.each([
    ['one answer, and nothing else', outcomes({ answered: 1 }, { 'http-status': 999 }), /1 of 1000 were answered/],
    ['one answer, the others withheld', outcomes({ sent: 1, answered: 1, withheld: 999 }), /999 were withheld/],
    ['no call at all', outcomes({ sent: 0, answered: 0 }), /0 of 0 were answered/],
    ['every fiftieth answer lost', outcomes({ answered: 980 }, { timeout: 20 }), /20 of 1000 ended with their timeout/],
    ["another's answer", outcomes({ answered: 999, wrong: 1 }), /1 had the answer of another/],
    ['a call without an end', outcomes({ answered: 999, hung: 1 }), /1 had no end/],
    ['an error without a type', outcomes({ answered: 999 }, { untyped: 1 }), /1 failed without a type/],
  ])('finds %s', (_, found, complaint) => {
    expect(complaintsOf(found).join()).toMatch(complaint)
  })
})
