import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Heartbeat } from './heartbeat.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a stream that goes silent ("Detected fast": half-open within 20 s)', () => {
  test.each<[string, [waitMs: number, text: string][], number | undefined]>([
    [
      'after comments every 15 s',
      [
        [15_000, ':\n\n'],
        [15_000, ':\n\n'],
      ],
      20_000,
    ],
    ['after comments every 30 s', [[30_000, ':\n\n']], 39_900],
    ['without comments is not judged', [[15_000, 'data: x\n\n']], undefined],
    ['after a comment at its start only is not judged', [[0, ':\n\n']], undefined],
    [
      'counts from the last bytes of any kind',
      [
        [15_000, ':\n\n'],
        [10_000, 'data: x\n\n'],
      ],
      20_000,
    ],
  ])('%s', (_, chunks, silentAfter) => {
    let silent = false
    const heartbeat = new Heartbeat(() => {
      silent = true
    })
    for (const [waitMs, text] of chunks) {
      vi.advanceTimersByTime(waitMs)
      heartbeat.seen(bytes(text))
    }
    vi.advanceTimersByTime((silentAfter ?? 100_000) - 1)
    expect(silent).toBe(false)
    vi.advanceTimersByTime(1)
    expect(silent).toBe(silentAfter !== undefined)
    heartbeat.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
