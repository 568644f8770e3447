import { afterEach, expect, it, vi } from 'vitest'
import { PorticoError } from '../jsonrpc/errors.ts'
import { createFaultPrinter } from './fault-printer.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('gives no reference that nobody has printed, and says how many errors a line stands for', () => {
  vi.useFakeTimers()
  const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
  const print = createFaultPrinter()
  const away = new PorticoError('store-unavailable', 'the store is away')
  const report = (reference: string, error: unknown = away) => print(`(${reference})`, error, reference)
  expect([report('a'), report('b'), report('c')]).toEqual(['a', 'a', 'a'])
  const other = new Error('something else')
  expect(report('d', other)).toBe('d')
  vi.advanceTimersByTime(60_000)
  expect([report('e'), report('f')]).toEqual(['e', 'e'])
  expect(lines.mock.calls).toEqual([
    ['(a) the store is away'],
    ['(d)', other],
    ['(e) the store is away (2 more since the last line)'],
  ])
})
