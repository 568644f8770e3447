import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotificationRate } from './notification-rate.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function start(perSecond: number) {
  const sent: string[] = []
  return { sent, rate: new NotificationRate(perSecond, { send: (text) => void sent.push(text) }) }
}

describe('a rate of notifications', () => {
  it.each([
    { count: 2, dropped: 0 },
    { count: 3, dropped: 0 },
    { count: 4, dropped: 1 },
  ])('of 3 a second lets $count logs through but for $dropped', ({ count, dropped }) => {
    const { sent, rate } = start(3)
    for (let at = 0; at < count; at++) rate.send(`log ${at}`, 'log')
    expect([sent.length, rate.dropped]).toEqual([count - dropped, dropped])
  })

  it('begins anew with the next second, and when the clock was set back', () => {
    const { sent, rate } = start(1)
    rate.send('first', 'log')
    vi.advanceTimersByTime(999)
    rate.send('too soon', 'log')
    vi.advanceTimersByTime(1)
    rate.send('second', 'log')
    vi.setSystemTime(0)
    rate.send('third', 'log')
    expect(sent).toEqual(['first', 'second', 'third'])
  })

  it('keeps the newest progress of each key for the next second', () => {
    const { sent, rate } = start(1)
    for (const step of [1, 2, 3]) rate.send(`a${step}`, 'progress', 'a')
    rate.send('b1', 'progress', 'b')
    expect(sent).toEqual(['a1'])
    vi.advanceTimersByTime(1000)
    expect(sent).toEqual(['a1', 'a3', 'b1'])
  })

  it('never holds up what must be sent, and puts the progress that waits before it', () => {
    const { sent, rate } = start(1)
    rate.send('a1', 'progress', 'a')
    rate.send('a2', 'progress', 'a')
    rate.send('answer')
    expect(sent).toEqual(['a1', 'a2', 'answer'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends nothing once closed, and leaves no timer', () => {
    const { sent, rate } = start(1)
    rate.send('a1', 'progress', 'a')
    rate.send('a2', 'progress', 'a')
    rate.close()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(2000)
    expect(sent).toEqual(['a1'])
  })
})
