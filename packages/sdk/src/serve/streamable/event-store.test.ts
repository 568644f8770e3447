import { describe, expect, it } from 'vitest'
import { createMemoryEvents } from './event-store.ts'

const BOUNDS = { maxReplayBytes: 30, maxSessionReplayBytes: 50, maxTotalReplayBytes: 80 }
const TEN = '0123456789'

function seqs(store: ReturnType<ReturnType<typeof createMemoryEvents>>, stream: string, after = 0): number[] {
  return store.replay(stream, after).map((event) => event.seq)
}

describe('events in memory', () => {
  it('come back in order behind the one named, and of their stream alone (sec-12)', () => {
    const store = createMemoryEvents(BOUNDS)('s')
    for (const [stream, seq] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['a', 3],
    ] as const)
      store.append(stream, seq, `${stream}${seq}`)
    expect(store.replay('a', 1)).toEqual([
      { seq: 2, text: 'a2' },
      { seq: 3, text: 'a3' },
    ])
    expect(store.replay('a', 3)).toEqual([])
    expect(store.replay('c', 0)).toEqual([])
    expect(store.replay('__proto__', 0)).toEqual([])
  })

  it.each([
    [2, [1, 2]],
    [3, [1, 2, 3]],
    [4, [2, 3, 4]],
    [9, [7, 8, 9]],
  ])('of one stream keep to maxReplayBytes: after %i of ten bytes', (count, kept) => {
    const store = createMemoryEvents(BOUNDS)('s')
    for (let seq = 1; seq <= count; seq++) store.append('a', seq, TEN)
    expect(seqs(store, 'a')).toEqual(kept)
    expect(store.size).toBe(10 * kept.length)
  })

  it('of one session keep to maxSessionReplayBytes, and each stream keeps its newest', () => {
    const store = createMemoryEvents(BOUNDS)('s')
    for (const stream of ['a', 'b', 'c']) for (let seq = 1; seq <= 3; seq++) store.append(stream, seq, TEN)
    expect(store.size).toBe(50)
    expect(seqs(store, 'a')).toEqual([3])
    expect(seqs(store, 'c')).toEqual([1, 2, 3])
  })

  it('of all sessions keep to maxTotalReplayBytes', () => {
    const factory = createMemoryEvents(BOUNDS)
    const [first, second] = [factory('1'), factory('2')]
    for (let seq = 1; seq <= 3; seq++) for (const stream of ['a', 'b']) first.append(stream, seq, TEN)
    for (let seq = 1; seq <= 6; seq++) second.append('a', seq, TEN)
    expect(first.size + second.size).toBeLessThanOrEqual(80)
    expect(seqs(second, 'a').at(-1)).toBe(6)
  })

  it('keep an answer that is larger than the bound by itself', () => {
    const store = createMemoryEvents(BOUNDS)('s')
    store.append('a', 1, TEN)
    store.append('a', 2, TEN.repeat(9))
    expect(seqs(store, 'a')).toEqual([2])
    store.drop('a')
    expect([seqs(store, 'a'), store.size]).toEqual([[], 0])
  })
})
