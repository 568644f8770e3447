import { createAccount } from '@portico/sdk/testing/faults'
import { expect, test } from 'vitest'
import { AT_ONCE_MS, type Outcome } from './calls.ts'
import { type Fates, judge } from './judge.ts'
import { answerTo } from './programs/server-plan.ts'

const call: Outcome = {
  nonce: 'n',
  idempotent: false,
  kind: 'result',
  text: answerTo('n'),
  code: '',
  delivery: undefined,
  endedAt: 0,
  steps: 0,
  progress: [],
}
const failed: Outcome = { ...call, kind: 'local', text: 'lost', code: 'closed', delivery: 'unknown' }

/** What is wrong with one call that was begun and ended so often. */
function faults(outcome: Outcome, executed = { starts: 1, ends: 1 }, fates: Omit<Fates, 'outcomes'> = {}): string[] {
  const { account } = judge({ ...fates, outcomes: [outcome] }, { of: () => executed })
  const { sent, answered, failed, ...bad } = account
  expect([sent, answered + failed]).toEqual([1, 1])
  return Object.entries(bad).flatMap(([name, count]) => (count > 0 ? [name] : []))
}

test('nothing is wrong with an answer to what ran once, or an error that says it may have run', () => {
  expect(faults(call)).toEqual([])
  expect(faults(failed)).toEqual([])
  expect(faults({ ...failed, delivery: 'not-sent' }, { starts: 0, ends: 0 })).toEqual([])
})

test.each<[string, Outcome, string[], Parameters<typeof faults>[1]?, Parameters<typeof faults>[2]?]>([
  ['a call without an end', { ...call, kind: 'hang' }, ['hung']],
  ['an error that is none of ours', { ...failed, kind: 'stray' }, ['lost']],
  ['an error that does not say whether it was sent', { ...failed, delivery: undefined }, ['lost']],
  ["another call's answer", { ...call, text: answerTo('m') }, ['wrong']],
  ['half of an answer', { ...call, text: answerTo('n').slice(0, -1) }, ['wrong']],
  ['a gap in its progress', { ...call, steps: 2, progress: [1, 3] }, ['wrong']],
  ['a gap in the progress of what failed', { ...failed, steps: 3, progress: [1, 3] }, ['wrong']],
  ['a result without any of its progress', { ...call, steps: 2 }, ['wrong']],
  ['a result without the end of its progress', { ...call, steps: 2, progress: [1] }, ['wrong']],
  ['progress twice', { ...call, steps: 2, progress: [1, 1, 2] }, ['wrong']],
  ['a call that was run twice', call, ['doubled'], { starts: 2, ends: 2 }],
  ['an answer to what never ran', call, ['untrue'], { starts: 0, ends: 0 }],
  ['"not sent" of what ran', { ...failed, delivery: 'not-sent' }, ['untrue']],
  ['what may be repeated, and has no result', { ...failed, idempotent: true }, ['lost'], undefined, { restored: true }],
  ['a fault that costs time only, and cost a call', failed, ['lost'], undefined, { allResults: true }],
  ['a timeout where the fault could be seen', { ...failed, code: 'timeout' }, ['hung']],
  ['later than a tenth of the timeout', { ...failed, endedAt: AT_ONCE_MS + 1 }, ['hung'], undefined, { faultAt: 0 }],
])('%s', (_, outcome, expected, executed, fates) => {
  expect(faults(outcome, executed, fates)).toEqual(expected)
})

test('a call without an end is one that hung, whenever the fault was', () => {
  const hang: Outcome = { ...call, kind: 'hang', endedAt: 40_000 }
  expect(judge({ outcomes: [hang], faultAt: 0 }, { of: () => ({ starts: 1, ends: 1 }) }).account.hung).toBe(1)
})

test('what failed may lack the end of its progress', () => {
  expect(faults({ ...failed, steps: 3, progress: [1] })).toEqual([])
  expect(faults({ ...call, steps: 2, progress: [1, 2] })).toEqual([])
})

test('a call that its caller allowed to be repeated may run twice', () => {
  expect(faults({ ...call, idempotent: true }, { starts: 2, ends: 2 })).toEqual([])
})

test('a run without calls, or in which the fault did not strike, shows nothing', () => {
  const ledger = { of: () => ({ starts: 1, ends: 1 }) }
  const none = judge({ outcomes: [] }, ledger)
  expect(none).toEqual({ account: createAccount(), complaints: ['no call was made'], slowestMs: 0 })
  expect(judge({ outcomes: [call], strikes: 0 }, ledger).complaints).toEqual(['the fault did not strike'])
  expect(judge({ outcomes: [call], strikes: 1 }, ledger).complaints).toEqual([])
})
