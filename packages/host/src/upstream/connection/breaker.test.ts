import { describe, expect, it } from 'vitest'
import { Breaker } from './breaker.ts'

function create() {
  let now = 1_000_000
  const options = { failures: 3, windowMs: 1_000, openMs: 500, longestOpenMs: 1_500, steadyMs: 5_000, firstWaitMs: 10 }
  const breaker = new Breaker(
    options,
    () => now,
    () => 0.5,
  )
  return { breaker, pass: (ms: number) => (now += ms), now: () => now }
}

describe('the breaker', () => {
  it('waits longer after each failure and opens at the last one of the window', () => {
    const { breaker, now } = create()
    expect(breaker.failed()).toBe(false)
    expect(breaker.retryAt - now()).toBe(10)
    expect(breaker.failed()).toBe(false)
    expect(breaker.retryAt - now()).toBe(20)
    expect(breaker.failed()).toBe(true)
    expect(breaker.isOpen).toBe(true)
    expect(breaker.retryAt - now()).toBe(500)
  })

  it('does not open for failures that lie further apart than the window', () => {
    const { breaker, pass } = create()
    for (let i = 0; i < 10; i++) {
      expect(breaker.failed()).toBe(false)
      pass(600)
    }
  })

  it('lets one probe through; when that fails it stays closed to calls for twice as long', () => {
    const { breaker, pass, now } = create()
    for (let i = 0; i < 3; i++) breaker.failed()
    pass(501)
    expect(breaker.isOpen).toBe(false)
    expect(breaker.isHalfOpen).toBe(true)
    expect(breaker.failed()).toBe(true)
    expect(breaker.retryAt - now()).toBe(1_000)
    pass(1_001)
    breaker.succeeded()
    expect(breaker.isHalfOpen).toBe(false)
    expect(breaker.retryAt).toBe(0)
  })

  it('forgets failures once a connection has stood for a while, not before', () => {
    const { breaker, pass } = create()
    breaker.failed()
    breaker.failed()
    breaker.succeeded()
    pass(10)
    expect(breaker.failed()).toBe(true)
    breaker.reset()
    breaker.failed()
    breaker.succeeded()
    pass(6_000)
    breaker.failed()
    expect(breaker.count).toBe(1)
  })
})
