import { expect, it } from 'vitest'
import { axisFor, fillMinutes } from './chart.ts'

it.each([
  [0, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [7, [0, 2, 4, 6, 8]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [1_234, [0, 500, 1_000, 1_500]],
])('an axis to %d has the steps %j', (max, ticks) => expect(axisFor(max).ticks).toEqual(ticks))

it('fills in the minutes without traffic', () => {
  const minutes = fillMinutes(
    [
      { at: 600_000, calls: 2 },
      { at: 720_000, calls: 5 },
    ],
    (at) => ({ at, calls: 0 }),
  )
  expect(minutes.map(({ calls }) => calls).slice(-3)).toEqual([2, 0, 5])
  expect(minutes).toHaveLength(10)
  expect(fillMinutes([], (at) => ({ at }))).toEqual([])
})
