import type { SharedState } from '@portico/host/state'
import { PorticoError } from '@portico/sdk/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPaint } from '../terminal/io.ts'
import { followState, isToldByState } from './follow-state.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) }))
afterEach(() => void vi.useRealTimers())

function follow() {
  let listener: (available: boolean) => void = () => {}
  let standing = { available: true, since: Date.now(), failures: 0, calls: 0, reason: undefined as string | undefined }
  const said: string[] = []
  const state = {
    availability: () => standing,
    onAvailable: (given: typeof listener) => {
      listener = given
      return () => {
        listener = () => {}
      }
    },
  }
  // Only these two are asked.
  const shared = state as unknown as SharedState
  const end = followState(shared, { say: (text) => said.push(text), paint: createPaint(false) })
  const become = (available: boolean, reason?: string): void => {
    standing = { ...standing, available, since: Date.now(), reason }
    listener(available)
  }
  return { said, shared, become, end }
}

const REASON = 'Redis at 127.0.0.1:6379/ cannot be used: connect ECONNREFUSED. See that the server runs.'

it('says once that the state is away: what, since when, and what still works (newcomer 13)', () => {
  const { said, become, end } = follow()
  become(false, `${REASON}\n    at stack (file.js:1)`)
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(/^away: the shared state does not answer since 2026-01-01T12:00:00Z\. Redis at 127/)
  expect(said[0]).toContain('Calls that need no state go on')
  expect(said[0]).not.toContain('\n')
  end()
})

it('reminds once a minute, and says how long it was away when it is back (newcomer 13)', () => {
  const { said, become, end } = follow()
  become(false, REASON)
  vi.advanceTimersByTime(59_000)
  expect(said).toHaveLength(1)
  vi.advanceTimersByTime(61_500)
  expect(said.slice(1)).toEqual([
    'still away: the shared state has not answered for 60 s.',
    'still away: the shared state has not answered for 120 s.',
  ])
  become(true)
  expect(said.at(-1)).toBe('back: the shared state answers, after 121 s away.')
  vi.advanceTimersByTime(600_000)
  expect(said).toHaveLength(4)
  end()
})

it('leaves errors to that line which only say the same once more (newcomer 13)', () => {
  const { shared, become, end } = follow()
  const away = new PorticoError('store-unavailable', REASON)
  const wrapped = new Error('looking for tasks', { cause: away })
  expect(isToldByState(away, shared)).toBe(false)
  become(false, REASON)
  expect([away, wrapped, new Error('another')].map((error) => isToldByState(error, shared))).toEqual([
    true,
    true,
    false,
  ])
  expect(isToldByState(away, undefined)).toBe(false)
  end()
})
