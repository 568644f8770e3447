import { describe, expect, it } from 'vitest'
import { IncomingCall, IncomingCalls } from './incoming.ts'

describe('IncomingCall', () => {
  it('fires a signal that was taken before the cancellation', () => {
    const call = new IncomingCall(1)
    const { signal } = call
    call.cancel('bored')
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBe('bored')
  })

  it('hands out a fired signal after the cancellation', () => {
    const call = new IncomingCall(1)
    call.cancel('bored')
    expect(call.signal.aborted).toBe(true)
    expect(call.signal.reason).toBe('bored')
  })

  it('keeps the first reason', () => {
    const call = new IncomingCall(1)
    call.cancel('first')
    call.cancel('second')
    expect(call.signal.reason).toBe('first')
  })
})

describe('IncomingCalls', () => {
  it('tells 1 from "1"', () => {
    const calls = new IncomingCalls()
    const number = new IncomingCall(1)
    const text = new IncomingCall('1')
    calls.add(number)
    calls.add(text)
    expect(calls.cancel('1')).toBe(true)
    expect([number.cancelled, text.cancelled]).toEqual([false, true])
  })

  it('ignores the cancellation of what is unknown or done', () => {
    const calls = new IncomingCalls()
    const call = new IncomingCall('a')
    calls.add(call)
    calls.remove(call)
    expect(calls.cancel('a')).toBe(false)
    expect(call.cancelled).toBe(false)
  })

  it('does not forget a later call under the same id when the earlier one ends', () => {
    const calls = new IncomingCalls()
    const earlier = new IncomingCall('a')
    const later = new IncomingCall('a')
    calls.add(earlier)
    calls.cancel('a')
    calls.add(later)
    calls.remove(earlier)
    expect(calls.has('a')).toBe(true)
  })

  it('cancels all at once', () => {
    const calls = new IncomingCalls()
    const all = [1, 2, 3].map((id) => new IncomingCall(id))
    for (const call of all) calls.add(call)
    calls.cancelAll('gone')
    expect(all.every((call) => call.cancelled)).toBe(true)
    expect(calls.size).toBe(0)
  })
})
