/** The clock of the machine is set an hour forth or back, or leaps with summer time: waits and windows stay what they were. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimit } from '../src/authorization-server/rate-limit.ts'
import { createTimeWindow } from '../src/policy/time-window.ts'
import { Breaker } from '../src/upstream/connection/breaker.ts'
import { steadyNow } from '../src/upstream/connection/steady-clock.ts'

const HOUR = 3_600_000
const STEPS = [
  { step: 'an hour back', by: -HOUR },
  { step: 'an hour forth', by: HOUR },
]

let passed = 0
beforeEach(() => {
  passed = 0
  vi.useFakeTimers({ toFake: ['Date'] })
  const start = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => start + passed)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe.each(STEPS)('a clock that is set $step (reliability F24)', ({ by }) => {
  it('makes a server that fails wait no longer and no shorter', () => {
    const breaker = new Breaker({ failures: 1, openMs: 1_000 }, undefined, () => 0.5)
    expect(breaker.failed()).toBe(true)
    vi.setSystemTime(Date.now() + by)
    expect(breaker.isOpen).toBe(true)
    expect(breaker.retryAt - steadyNow()).toBeLessThanOrEqual(1_001)
    passed = 1_001
    expect(breaker.isHalfOpen).toBe(true)
  })

  it('gives nobody more guesses within a minute, and all of them again after it (sec-562)', () => {
    const limit = new RateLimit(1)
    expect(limit.take('a')).toBe(true)
    vi.setSystemTime(Date.now() + by)
    expect(limit.take('a')).toBe(false)
    passed = 60_001
    expect(limit.take('a')).toBe(true)
  })
})

describe('hours of a rule on a day that is longer or shorter', () => {
  it.each([
    { day: 'before summer time', start: '2026-03-27T23:00Z', minutes: 120 },
    { day: 'at its beginning', start: '2026-03-28T23:00Z', minutes: 60 },
    { day: 'at its end', start: '2026-10-24T22:00Z', minutes: 180 },
    { day: 'after it', start: '2026-10-25T23:00Z', minutes: 120 },
  ])('$day: 01:30 to 03:30 of the clock on the wall are $minutes minutes', ({ start, minutes }) => {
    const isWithin = createTimeWindow({ from: '01:30', to: '03:30', zone: 'Europe/Berlin' })
    const from = Date.parse(start)
    const within = Array.from({ length: 23 * 60 }, (_, at) => isWithin(from + at * 60_000))
    expect(within.filter(Boolean)).toHaveLength(minutes)
  })
})
