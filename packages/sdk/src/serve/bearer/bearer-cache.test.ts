/** Verified tokens are kept for a while, a bounded number of them, and never beyond their expiry. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TokenCache } from './bearer-cache.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['the time to keep', 2000, 2999, true],
  ['the time to keep, over', 2000, 3000, false],
  ['its expiry before that', 1001, 999, true],
  ['its expiry before that, over', 1001, 1000, false],
])('a token passes until %s', (_, expiresAt, elapsed, passes) => {
  const cache = new TokenCache<{ who: string }>(3000)
  cache.set('t', { who: 'alice' }, expiresAt)
  vi.setSystemTime(1_000_000 + elapsed)
  expect(cache.get('t') !== undefined).toBe(passes)
})

it('the oldest make room, and nothing is kept where nothing shall be', () => {
  const cache = new TokenCache<{ at: number }>(3000)
  for (let at = 0; at <= 1000; at++) cache.set(String(at), { at }, undefined)
  expect([cache.get('0'), cache.get('1')?.at, cache.get('1000')?.at]).toEqual([undefined, 1, 1000])
  const none = new TokenCache<{ at: number }>(0)
  none.set('t', { at: 1 }, undefined)
  expect(none.get('t')).toBeUndefined()
})

it('one run serves all who wait for it, and a failed one is not kept', async () => {
  const cache = new TokenCache<object>(3000)
  let runs = 0
  const work = async () => ++runs
  expect(await Promise.all([cache.join('t', work), cache.join('t', work)])).toEqual([1, 1])
  await expect(cache.join('t', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await cache.join('t', work)).toBe(2)
})
