import { expect, test } from 'vitest'
import { type Figure, isMissed, percentile } from './figure.ts'

const figure: Figure = { name: 'x', value: 5, unit: '' }

test('a figure misses its bound where it is beyond it, or is none', () => {
  expect(isMissed(figure)).toBe(false)
  expect(isMissed({ ...figure, most: 5 })).toBe(false)
  expect(isMissed({ ...figure, most: 4 })).toBe(true)
  expect(isMissed({ ...figure, least: 5 })).toBe(false)
  expect(isMissed({ ...figure, least: 6 })).toBe(true)
  expect(isMissed({ ...figure, value: Number.NaN, most: 5 })).toBe(true)
  expect(isMissed({ ...figure, value: Number.NaN, least: 5 })).toBe(true)
})

test('what was never measured has no percentile, and so misses every bound', () => {
  expect(percentile([3, 1, 2], 0.5)).toBe(2)
  expect(isMissed({ ...figure, value: percentile([], 0.99), most: 50 })).toBe(true)
})
