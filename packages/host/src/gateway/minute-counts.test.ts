import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MinuteCounts } from './minute-counts.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([1, 2, 50])('sec-124: %i in a minute are counted, one more has to wait for the end of its minute', (most) => {
  const counts = new MinuteCounts(most)
  for (let at = 0; at < most; at++) expect(counts.add('ada')).toBe(0)
  vi.advanceTimersByTime(20_000)
  expect(counts.add('ada')).toBe(40_000)
  expect(counts.add('eve')).toBe(0)
  vi.advanceTimersByTime(39_999)
  expect(counts.add('ada')).toBe(1)
  vi.advanceTimersByTime(1)
  expect(counts.add('ada')).toBe(0)
})

test('sec-124: none at all where none are allowed', () => {
  expect(new MinuteCounts(0).add('ada')).toBe(60_000)
})

test('a minute counts on while many others begin and end theirs', () => {
  const counts = new MinuteCounts(1)
  for (let at = 0; at < 1_100; at++) counts.add(`early ${at}`)
  vi.advanceTimersByTime(30_000)
  counts.add('ada')
  vi.advanceTimersByTime(40_000)
  for (let at = 0; at < 2_200; at++) counts.add(`late ${at}`)
  expect(counts.add('ada')).toBe(20_000)
})
