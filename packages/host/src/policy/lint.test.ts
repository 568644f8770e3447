/** The linter: what it calls dead is dead, and what is planted as dead is found. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Circumstances, Effect } from './effect.ts'
import { lintRules } from './lint.ts'
import { createRules } from './rules.ts'

const LIVE = [
  { id: 'read', outcome: 'allow', effect: 'call', server: 'git', annotations: { readOnly: true } },
  { id: 'push', outcome: 'ask', effect: 'call', item: 'push' },
  { id: 'night', outcome: 'deny', effect: 'call', time: { from: '22:00', to: '06:00' } },
  { id: 'some', outcome: 'allow', effect: 'call', item: 'fetch', count: { max: 5, per: 'hour' } },
]

describe('planted dead rules', () => {
  it.each<[string, object, string]>([
    ['an impossible range', { outcome: 'deny', arguments: { n: { range: { min: 5, max: 1 } } } }, 'never-matches'],
    ['an empty pattern', { outcome: 'deny', server: '' }, 'never-matches'],
    ['an empty list', { outcome: 'deny', item: [] }, 'never-matches'],
    ['an empty choice', { outcome: 'deny', arguments: { n: { oneOf: [] } } }, 'never-matches'],
    ['an unknown kind of effect', { outcome: 'deny', effect: 'cal' }, 'invalid'],
    [
      'annotations on what has none',
      { outcome: 'deny', effect: 'read', annotations: { readOnly: true } },
      'never-matches',
    ],
    [
      'arguments on what has none',
      { outcome: 'deny', effect: ['root', 'read'], arguments: { a: { equals: 1 } } },
      'never-matches',
    ],
    ['a source without a flow', { outcome: 'deny', effect: 'call', from: 'mail' }, 'never-matches'],
    [
      'tests that exclude each other',
      { outcome: 'allow', arguments: { n: { equals: 'b', glob: 'a*' } } },
      'never-matches',
    ],
    [
      'a number that is a text',
      { outcome: 'allow', arguments: { n: { range: { min: 1 }, prefix: 'a' } } },
      'never-matches',
    ],
    [
      'a reader that destroys',
      { outcome: 'allow', annotations: { readOnly: true, destructive: true } },
      'never-matches',
    ],
    ['no time at all', { outcome: 'deny', time: { from: '09:00', to: '09:00' } }, 'never-matches'],
    ['no day', { outcome: 'deny', time: { days: [] } }, 'never-matches'],
    ['no use', { outcome: 'allow', count: { max: 0, per: 'day' } }, 'never-matches'],
    ['one below a wider ask', { outcome: 'allow', effect: 'call', server: 'git', item: 'push' }, 'unreachable'],
    ['the same once more', { outcome: 'ask', effect: 'call', item: 'push' }, 'redundant'],
    [
      'a part of another',
      { outcome: 'ask', effect: 'call', item: 'push', arguments: { n: { equals: 1 } } },
      'redundant',
    ],
    ['the opposite of another', { outcome: 'deny', effect: 'call', item: 'push' }, 'contradictory'],
    ['a server that is not there', { outcome: 'deny', server: 'gti*' }, 'unknown-server'],
    ['a tool that is not there', { outcome: 'deny', effect: 'call', server: 'git', item: 'psuh' }, 'unknown-item'],
  ])('%s is found', (_, planted, kind) => {
    const known = { servers: ['git', 'mail'], items: { git: ['push', 'log', 'fetch'] } }
    const findings = lintRules([...LIVE, { id: 'planted', ...planted }], known)
    expect(findings.map((one) => one.kind)).toContain(kind)
    expect(findings.every(({ message }) => message.length > 5)).toBe(true)
  })

  it('live rules are left alone', () => {
    expect(lintRules(LIVE, { servers: ['git'] })).toEqual([])
  })

  it.each<[string, object, object]>([
    ['a rule that only watches', { id: 'a', outcome: 'deny', shadow: true }, { id: 'b', outcome: 'allow' }],
    ['one for other people', { id: 'a', outcome: 'deny', principal: { roles: ['x'] } }, { id: 'b', outcome: 'allow' }],
    ['one that reviews', { id: 'a', outcome: 'allow' }, { id: 'b', outcome: 'allow', item: 'x', review: true }],
    ['an allow below', { id: 'a', outcome: 'allow' }, { id: 'b', outcome: 'deny', item: 'x' }],
    [
      'one that begins to count',
      { id: 'a', outcome: 'deny', count: { max: 3, per: 'hour' } },
      { id: 'b', outcome: 'allow' },
    ],
  ])('%s forestalls nothing', (_, first, second) => {
    expect(lintRules([first, second])).toEqual([])
  })
})

const arbitraryRule = fc.record(
  {
    outcome: fc.constantFrom('allow', 'ask', 'deny'),
    effect: fc.subarray(['call', 'read'], { minLength: 1 }),
    server: fc.constantFrom('git', 'g*', '*', 'mail'),
    item: fc.constantFrom('push', 'p*', '*sh', 'log'),
    arguments: fc.constantFrom(
      { n: { range: { max: 5 } } },
      { n: { range: { min: 2, max: 3 } } },
      { n: { equals: 3 } },
      { n: { equals: 'ab' } },
      { n: { prefix: 'a' } },
      { n: { glob: 'a*' } },
      { n: { oneOf: ['ab', 'ac'] } },
      { n: { range: { min: 9, max: 1 } } },
    ),
  },
  { requiredKeys: ['outcome'] },
)

it('what it calls dead never decides, for any rules and any effect', () => {
  const about: Circumstances = { session: 's', unattended: false, tainted: false, at: 0 }
  const effects = fc.record({
    kind: fc.constant('call' as const),
    server: fc.constantFrom('git', 'mail', 'gx'),
    tool: fc.constantFrom('push', 'log', 'flush', 'p'),
    arguments: fc.record({ n: fc.constantFrom(1, 3, 9, 'ab', 'ac', 'b', '3', ['ab', 'b']) }, { requiredKeys: [] }),
    trusted: fc.constant(false),
  })
  fc.assert(
    fc.property(
      fc.array(arbitraryRule, { minLength: 2, maxLength: 6 }),
      fc.array(effects, { maxLength: 20 }),
      (list, tried) => {
        const config = list.map((rule, index) => ({ ...rule, id: `r${index}` }))
        const rules = createRules(config)
        const findings = rules.lint()
        const dead = findings.filter(({ kind }) => kind !== 'redundant')
        // Without the redundant ones, everything is decided as before.
        const spare = new Set(findings.map((finding) => finding.rule))
        const lean = createRules(config.filter(({ id }) => !spare.has(id)))
        for (const effect of tried as Effect[]) {
          const { rule, outcome } = rules.decide(effect, about)
          if (dead.some((finding) => finding.rule === rule)) throw new Error(`${rule} was called dead, and decides`)
          if (lean.decide(effect, about).outcome !== outcome) throw new Error('a rule was missed')
        }
      },
    ),
    { numRuns: 150 },
  )
})
