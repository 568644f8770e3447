import { describe, expect, it } from 'vitest'
import type { TimelineEntry } from './entry.ts'
import { readTimelineFilter } from './timeline-filter.ts'

function entry(row: Partial<TimelineEntry['row']> = {}, more: Partial<TimelineEntry> = {}): TimelineEntry {
  const base = {
    id: 1,
    at: 0,
    connection: 'files#1',
    direction: 'out',
    kind: 'request',
    group: 'm1',
    bytes: 100,
  } as const
  return {
    row: { ...base, server: 'files', method: 'tools/call', summary: 'read_file', ...row },
    text: '{"path":"/tmp/Notes"}',
    cut: false,
    status: 'ok',
    ...more,
  }
}

describe('a filter', () => {
  it.each([
    ['method:tools/call', true],
    ['method:tools/*', true],
    ['method:tools/list', false],
    ['method:tools/list,tools/call', true],
    ['METHOD:TOOLS/CALL', true],
    ['-method:tools/call', false],
    ['status:ok', true],
    ['status:error,ok', true],
    ['status:error', false],
    ['server:files', true],
    ['server:file', false],
    ['server:f*', true],
    ['dir:out', true],
    ['dir:in', false],
    ['kind:request', true],
    ['name:read_file', true],
    ['id:7', true],
    ['id:8', false],
    ['dur:>500ms', true],
    ['dur:>1s', false],
    ['dur:<=0.6s', true],
    ['dur:600', true],
    ['size:>1kb', false],
    ['size:<1kb', true],
    ['notes', true],
    ['"path":', true],
    ['"/tmp/Notes"', true],
    ['-notes', false],
    ['nothing', false],
    ['files notes', true],
    ['files nothing', false],
    ['', true],
  ])('%s', (text, wanted) => {
    const found = entry({ rpcId: 7, durationMs: 600 })
    const { matches = () => true, problem } = readTimelineFilter(text)
    expect([matches(found), problem]).toEqual([wanted, undefined])
  })

  it.each([
    ['methud:x', /"methud:" is not known; use method/],
    ['dur:soon', /dur:>500ms/],
    ['dur:>5parsecs', /dur:>500ms/],
    ['dur:>5constructor', /dur:>500ms/],
    ['status:fine', /ok, error, pending/],
    ['method:*a*a*a*a', /three stars/],
  ])('says what it does not understand of %s, and leaves that out', (text, problem) => {
    const filter = readTimelineFilter(`${text} status:ok`)
    expect(filter.problem).toMatch(problem)
    expect(filter.matches?.(entry())).toBe(true)
    expect(filter.matches?.(entry({}, { status: 'error' }))).toBe(false)
  })

  it('looks for an address that was pasted', () => {
    const { matches } = readTimelineFilter('https://a.example/x')
    expect(matches?.(entry({}, { text: '"https://a.example/x"' }))).toBe(true)
    expect(matches?.(entry())).toBe(false)
  })

  it('takes characters that mean something elsewhere for themselves', () => {
    const { matches } = readTimelineFilter('(a+)+$')
    expect(matches?.(entry({}, { text: 'x (a+)+$ y' }))).toBe(true)
    expect(matches?.(entry({}, { text: 'aaaa' }))).toBe(false)
  })
})
