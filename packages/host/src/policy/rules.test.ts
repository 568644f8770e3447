/** Rules as their authors rely on them: what wins, what is believed, what cannot be evaded, and that reasons are true. */

import { createPrincipal } from '@portico/sdk/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCounter } from './counts.ts'
import type { Circumstances, Effect } from './effect.ts'
import { covers, createGlob } from './glob.ts'
import { isUnder } from './path-containment.ts'
import { readRules } from './rule-text.ts'
import { createRules } from './rules.ts'

const NOW = Date.UTC(2026, 10, 16, 10, 30) // a Monday

function about(more: Partial<Circumstances> = {}): Circumstances {
  return { session: 's', unattended: false, tainted: false, at: NOW, ...more }
}

function call(more: Partial<Effect & { kind: 'call' }> = {}): Effect & { kind: 'call' } {
  return { kind: 'call', server: 'git', tool: 'push', arguments: {}, trusted: false, ...more }
}

const KINDS: Effect[] = [
  { kind: 'connect', server: 'git', shown: 'npx git-server', fingerprint: 'f' },
  call(),
  { kind: 'read', server: 'git', uri: 'file:///a' },
  { kind: 'prompt', server: 'git', prompt: 'plan', arguments: {} },
  { kind: 'sample', server: 'git', background: false, maxTokens: 10 },
  { kind: 'root', server: 'git', uri: 'file:///a' },
  { kind: 'flow', server: 'git', from: ['mail'], tool: 'push', arguments: {} },
]

describe('without rules', () => {
  it.each(KINDS.map((effect) => [effect.kind, effect] as const))(
    'sec-161, sec-115: nothing happens without a question: %s',
    (_, effect) => {
      expect(createRules().decide(effect, about()).outcome).toBe('ask')
    },
  )

  it('a question of a server is shown, being the question itself', () => {
    expect(createRules().decide({ kind: 'elicit', server: 'git', mode: 'form' }, about()).outcome).toBe('allow')
  })

  it.each([
    ['sec-126: an untrusted server that says it only reads', false, { readOnlyHint: true }, 'ask'],
    ['a trusted server that says it only reads', true, { readOnlyHint: true }, 'allow'],
    ['a trusted server that says nothing', true, undefined, 'ask'],
  ] as const)('%s', (_, trusted, annotations, outcome) => {
    expect(createRules().decide(call({ trusted, annotations }), about()).outcome).toBe(outcome)
  })
})

describe('which rule decides', () => {
  const rules = createRules([
    { id: 'all', outcome: 'allow', server: 'git' },
    { id: 'status', outcome: 'allow', server: 'git', item: 'status' },
    { id: 'st', outcome: 'allow', server: 'git', item: 'st*' },
    { id: 'push', outcome: 'ask', item: 'push' },
    { id: 'main', outcome: 'deny', item: 'push', arguments: { branch: { glob: 'main*' } } },
  ])
  it.each<[string, Effect, string, string | undefined]>([
    ['deny before ask before allow', call({ arguments: { branch: 'main' } }), 'deny', 'main'],
    ['ask before allow, however specific', call({ arguments: { branch: 'x' } }), 'ask', 'push'],
    ['the most specific of equals', call({ tool: 'status' }), 'allow', 'status'],
    ['a pattern before none', call({ tool: 'stash' }), 'allow', 'st'],
    ['the rest', call({ tool: 'log' }), 'allow', 'all'],
    ['the default where none matches', call({ server: 'mail', tool: 'log' }), 'ask', undefined],
  ])('%s', (_, effect, outcome, rule) => {
    expect(rules.decide(effect, about())).toMatchObject({ outcome, ...(rule && { rule }) })
    expect(rules.decide(effect, about()).rule).toBe(rule)
  })
})

describe('conditions', () => {
  const principal = createPrincipal('ann@example.com', [], { roles: ['dev'], team: 'blue' })
  it.each<[string, object, Effect, Partial<Circumstances>, boolean]>([
    ['kinds', { effect: 'read' }, call(), {}, false],
    ['kinds of several', { effect: ['read', 'call'] }, call(), {}, true],
    ['one of several servers', { server: ['mail', 'g?t'] }, call(), {}, true],
    ['an argument', { arguments: { n: { range: { min: 1, max: 5 } } } }, call({ arguments: { n: 5 } }), {}, true],
    [
      'an argument beyond',
      { arguments: { n: { range: { min: 1, max: 5 } } } },
      call({ arguments: { n: 6 } }),
      {},
      false,
    ],
    ['an argument that is absent', { arguments: { n: { glob: '*' } } }, call(), {}, false],
    ['one of', { arguments: { n: { oneOf: [1, 'a'] } } }, call({ arguments: { n: 'a' } }), {}, true],
    [
      'equal objects',
      { arguments: { n: { equals: { b: 1, a: 2 } } } },
      call({ arguments: { n: { a: 2, b: 1 } } }),
      {},
      true,
    ],
    ['a path', { arguments: { 'a.0.b': { prefix: 'x' } } }, call({ arguments: { a: [{ b: 'xy' }] } }), {}, true],
    ['a pointer', { arguments: { '/a.b': { prefix: 'x' } } }, call({ arguments: { 'a.b': 'xy' } }), {}, true],
    [
      'every element',
      { arguments: { 'f.*.p': { prefix: 'x' } } },
      call({ arguments: { f: [{ p: 'xa' }, { p: 'y' }] } }),
      {},
      false,
    ],
    ['no inherited member', { arguments: { constructor: { glob: '*' } } }, call(), {}, false],
    [
      'a principal',
      { principal: { id: '*@example.com', roles: ['ops', 'dev'], claims: { team: 'blue' } } },
      call(),
      { principal },
      true,
    ],
    ['sec-123: another principal', { principal: { roles: ['ops'] } }, call(), { principal }, false],
    ['nobody', { principal: { id: '*' } }, call(), {}, false],
    ['a day', { time: { days: ['mon'], zone: 'UTC' } }, call(), {}, true],
    ['another day', { time: { days: ['sun'], zone: 'UTC' } }, call(), {}, false],
    ['hours', { time: { from: '10:00', to: '10:30', zone: 'UTC' } }, call(), {}, false],
    ['hours elsewhere', { time: { from: '11:00', to: '12:00', zone: 'Europe/Berlin' } }, call(), {}, true],
    ['hours over midnight', { time: { days: ['sun'], from: '22:00', to: '11:00', zone: 'UTC' } }, call(), {}, true],
    ['a flow of all its sources', { from: ['mail'] }, { ...KINDS.at(-1)!, from: ['mail', 'crm'] } as Effect, {}, false],
    [
      'Cedar',
      { when: 'context.arguments.amount < 100 && principal in Role::"dev"' },
      call({ arguments: { amount: 5 } }),
      { principal },
      true,
    ],
    ['Cedar that cannot be told', { when: 'context.arguments.amount < 100' }, call(), {}, false],
    ['Cedar about the tool', { when: 'resource.destructive && resource in Server::"git"' }, call(), {}, true],
  ])('allow by %s', (_, member, effect, more, matches) => {
    const rules = createRules([{ id: 'r', outcome: 'allow', ...member }])
    expect(rules.decide(effect, about(more)).rule).toBe(matches ? 'r' : undefined)
    const shown = rules.explain(effect, about(more)).considered[0]
    expect([shown?.matches, shown?.unmet === undefined]).toEqual([matches, matches])
  })

  it.each<[string, object, object]>([
    ['a list for one value', { path: { glob: '/etc/*' } }, { path: ['/etc/passwd'] }],
    ['a number as text', { n: { range: { min: 1000 } } }, { n: '5000' }],
    ['a text for a number', { n: { equals: 5 } }, { n: '5' }],
    ['a way back up', { path: { under: '/etc' } }, { path: '/tmp/../etc/passwd' }],
    ['another case', { path: { under: '/etc' } }, { path: '/ETC/passwd' }],
    ['an encoded file URI', { path: { under: '/etc' } }, { path: 'file:///tmp/%2e%2e/etc/passwd' }],
    ['other separators', { path: { under: 'C:\\secret' } }, { path: 'c:/secret/x' }],
    ['an unknown start', { path: { under: '/etc' } }, { path: '../../etc/passwd' }],
    ['one of many', { 'files.*': { under: '/etc' } }, { files: ['/tmp/a', '/etc/b'] }],
    ['more than can be looked at', { 'files.*': { under: '/etc' } }, { files: Array(20_000).fill('/tmp') }],
  ])('a prohibition is not evaded by %s', (_, tests, args) => {
    const rules = createRules([{ id: 'no', outcome: 'deny', arguments: tests }])
    expect(rules.decide(call({ arguments: { ...args } }), about()).outcome).toBe('deny')
  })

  it.each([
    ['/project/a', true],
    ['/project', true],
    ['/project/../etc', false],
    ['/projector', false],
    ['/Project/a', false],
    ['a/b', true],
    ['../etc', false],
    ['file:///project/%2e%2e/etc', false],
    ['file://host/project/a', false],
    ['/project\\..\\etc', false],
    ['/project/\0', false],
    ['~/x', false],
  ])('a permission under a folder is sure of %j: %s', (path, expected) => {
    expect(isUnder(path, '/project', { workspace: '/project', home: '/home/u', wide: false })).toBe(expected)
  })

  it('a prohibition that cannot be evaluated holds', () => {
    const rules = createRules([{ id: 'no', outcome: 'deny', when: 'context.arguments.amount > 100' }])
    expect(rules.decide(call({ arguments: { amount: { deep: 1 } } }), about()).outcome).toBe('deny')
  })

  it('counts: so many are allowed, then the default; so many are free, then denied', () => {
    const counter = createCounter()
    const rules = createRules([
      { id: 'some', outcome: 'allow', effect: 'call', count: { max: 2, per: 'session' } },
      { id: 'brake', outcome: 'deny', effect: 'call', count: { max: 3, per: 'hour' } },
    ])
    const outcomes = Array.from({ length: 4 }, () => {
      const { outcome } = rules.decide(call(), about(), counter)
      for (const { rule, per } of rules.counting(call(), about())) counter.add(rule, per, about())
      return outcome
    })
    expect(outcomes).toEqual(['allow', 'allow', 'ask', 'deny'])
    expect(rules.decide(call(), about({ session: 'other', at: NOW + 2 * 3_600_000 }), counter).outcome).toBe('allow')
  })
})

describe('untrusted text in the context', () => {
  const rules = createRules([
    { id: 'free', outcome: 'allow', item: 'push' },
    { id: 'meant', outcome: 'allow', item: 'log', evenIfTainted: true },
  ])
  it.each<[string, Partial<Effect & { kind: 'call' }>, string]>([
    ['asks again for what may do harm', {}, 'ask'],
    ['not where the rule says so', { tool: 'log' }, 'allow'],
    [
      'not where a trusted server only reads its own',
      { trusted: true, annotations: { readOnlyHint: true, openWorldHint: false } },
      'allow',
    ],
    ['where a trusted server sends outward', { trusted: true, annotations: { readOnlyHint: true } }, 'ask'],
    [
      'sec-126: where an untrusted server claims harmlessness',
      { annotations: { readOnlyHint: true, openWorldHint: false } },
      'ask',
    ],
  ])('%s', (_, more, outcome) => {
    expect(rules.decide(call(more), about({ tainted: true })).outcome).toBe(outcome)
    expect(rules.decide(call(more), about()).outcome).toBe('allow')
  })
})

describe('shadow', () => {
  it('rules that are only watched say what they would have said, and decide nothing', () => {
    const rules = createRules([
      { id: 'go', outcome: 'allow' },
      { id: 'trial', outcome: 'deny', item: 'push', shadow: true },
    ])
    expect(rules.decide(call(), about())).toMatchObject({
      outcome: 'allow',
      rule: 'go',
      shadow: { outcome: 'deny', rule: 'trial' },
    })
    expect(rules.decide(call({ tool: 'log' }), about()).shadow).toBeUndefined()
  })

  it('a whole set can be tried beside the one in force', () => {
    const tried = createRules([{ id: 'go', outcome: 'allow' }]).shadow(createRules([{ id: 'stop', outcome: 'deny' }]))
    expect(tried.decide(call(), about())).toMatchObject({ outcome: 'allow', shadow: { outcome: 'deny', rule: 'stop' } })
    expect(tried.explain(call(), about())).toMatchObject({ outcome: 'allow', shadow: { outcome: 'deny' } })
  })
})

describe('rules out of JSON', () => {
  it.each<[string, unknown, string]>([
    ['no list', { rules: 1 }, 'rules'],
    ['an unknown member', [{ id: 'a', outcome: 'deny', sever: 'x' }], 'rules[0].sever'],
    ['an unknown effect', [{ id: 'a', outcome: 'deny', effect: 'cal' }], 'rules[0].effect'],
    ['no outcome', [{ id: 'a' }], 'rules[0].outcome'],
    ['no id', [{ outcome: 'ask' }], 'rules[0].id'],
    [
      'the same id twice',
      [
        { id: 'a', outcome: 'ask' },
        { id: 'a', outcome: 'deny' },
      ],
      'rules[1].id',
    ],
    ['a bad time', [{ id: 'a', outcome: 'ask', time: { from: '25:00' } }], 'rules[0].time.from'],
    ['a bad zone', [{ id: 'a', outcome: 'ask', time: { zone: 'Mars' } }], 'rules[0].time.zone'],
    ['a test of nothing', [{ id: 'a', outcome: 'ask', arguments: { x: {} } }], 'rules[0].arguments.x'],
    ['broken Cedar', [{ id: 'a', outcome: 'ask', when: '1 +' }], 'rules[0].when'],
    [
      'Cedar that brings a policy along',
      [{ id: 'a', outcome: 'ask', when: 'true }; permit (principal, action, resource) when { true' }],
      'rules[0].when',
    ],
    ['a long pattern', [{ id: 'a', outcome: 'ask', server: 'x'.repeat(1000) }], 'rules[0].server'],
    ['a prototype', JSON.parse('[{"id":"a","outcome":"ask","__proto__":{"shadow":true}}]'), 'rules[0].__proto__'],
  ])('%s is refused, with its place', (_, config, path) => {
    expect(readRules(config).problems.map((problem) => problem.path)).toContain(path)
    expect(() => createRules(config)).toThrow(expect.objectContaining({ code: 'invalid-config' }))
  })

  it('never throws anything else, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (config) => {
        readRules(config)
      }),
    )
  })
})

describe('patterns', () => {
  const part = fc.constantFrom('a', 'b', '*', '?')
  const pattern = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((parts) => parts.join(''))

  it('match what the regular expression would', () => {
    fc.assert(
      fc.property(pattern, text, (glob, value) => {
        const expected = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(value)
        expect(createGlob(glob)(value)).toBe(expected)
      }),
    )
  })

  it('cover only what they match', () => {
    fc.assert(
      fc.property(pattern, pattern, text, (outer, inner, value) => {
        fc.pre(covers(outer, inner) && createGlob(inner)(value))
        expect(createGlob(outer)(value)).toBe(true)
      }),
    )
    expect([covers('a*', 'ab*'), covers('*', ''), covers('a?', 'a*'), covers('*b*', 'abc')]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })

  it('take no time that grows with tries', () => {
    const glob = createGlob(`${'*a?'.repeat(100)}b`)
    const started = performance.now()
    glob('a'.repeat(200_000))
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

const name = fc.constantFrom('git', 'mail', 'g*', '*', 'm?il')
const arbitraryRule = fc.record(
  {
    outcome: fc.constantFrom('allow', 'ask', 'deny'),
    effect: fc.subarray(['call', 'read', 'connect'], { minLength: 1 }),
    server: name,
    item: fc.constantFrom('push', 'p*', 'log', '*'),
    annotations: fc.record(
      { readOnly: fc.boolean(), destructive: fc.boolean(), openWorld: fc.boolean() },
      { requiredKeys: [] },
    ),
    arguments: fc.constantFrom({ n: { range: { max: 5 } } }, { n: { equals: 3 } }, { n: { glob: '3*' } }),
    time: fc.constantFrom({ days: ['mon'], zone: 'UTC' }, { days: ['tue'], zone: 'UTC' }),
    shadow: fc.boolean(),
    evenIfTainted: fc.boolean(),
  },
  { requiredKeys: ['outcome'] },
)
const arbitraryRules = fc.array(arbitraryRule, { maxLength: 8 }).map((rules) =>
  rules.map(({ evenIfTainted, ...rule }, index) => ({
    ...rule,
    id: `r${index}`,
    ...(rule.outcome === 'allow' && evenIfTainted !== undefined && { evenIfTainted }),
  })),
)
const arbitraryEffect = fc.oneof(
  fc.record({
    kind: fc.constant('call' as const),
    server: fc.constantFrom('git', 'mail'),
    tool: fc.constantFrom('push', 'log'),
    arguments: fc.record({ n: fc.constantFrom(1, 3, 9, '3', [3]) }, { requiredKeys: [] }),
    annotations: fc.record(
      { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), openWorldHint: fc.boolean() },
      { requiredKeys: [] },
    ),
    trusted: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('read' as const),
    server: fc.constantFrom('git', 'mail'),
    uri: fc.constantFrom('push', 'log'),
  }),
)
const arbitraryAbout = fc.record({ tainted: fc.boolean(), unattended: fc.boolean() }).map((more) => about(more))

describe('for any rules and any effect', () => {
  it('explain agrees with decide', () => {
    fc.assert(
      fc.property(arbitraryRules, arbitraryEffect, arbitraryAbout, (config, effect, circumstances) => {
        const rules = createRules(config)
        const { considered, ...explained } = rules.explain(effect, circumstances)
        expect(explained).toEqual(rules.decide(effect, circumstances))
        expect(considered).toHaveLength(config.length)
        if (explained.rule !== undefined) {
          expect(considered.find(({ rule }) => rule === explained.rule)).toMatchObject({ matches: true, shadow: false })
        }
      }),
      { numRuns: 200 },
    )
  })

  it('deny is never overridden: a matching prohibition decides whatever else is added', () => {
    fc.assert(
      fc.property(
        arbitraryRules,
        arbitraryRule,
        arbitraryEffect,
        arbitraryAbout,
        (others, one, effect, circumstances) => {
          const { evenIfTainted: _, ...rest } = one
          const prohibition = { ...rest, id: 'no', outcome: 'deny', shadow: false }
          fc.pre(createRules([prohibition]).decide(effect, circumstances).outcome === 'deny')
          for (const config of [
            [prohibition, ...others],
            [...others, prohibition],
          ]) {
            expect(createRules(config).decide(effect, circumstances).outcome).toBe('deny')
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('the order of rules never changes the outcome', () => {
    fc.assert(
      fc.property(arbitraryRules, arbitraryEffect, arbitraryAbout, (config, effect, circumstances) => {
        // An allow that holds in spite of untrusted text may be named before or after one that does not.
        fc.pre(!circumstances.tainted)
        const turned = createRules([...config].reverse()).decide(effect, circumstances).outcome
        expect(turned).toBe(createRules(config).decide(effect, circumstances).outcome)
      }),
    )
  })

  it('sec-126: annotations of an untrusted server never make a decision easier', () => {
    const ease = { deny: 0, ask: 1, allow: 2 }
    fc.assert(
      fc.property(arbitraryRules, arbitraryEffect, arbitraryAbout, (config, effect, circumstances) => {
        fc.pre(effect.kind === 'call')
        const rules = createRules(config.filter(({ shadow }) => shadow !== true))
        // The precondition above leaves calls alone.
        const untrusted = { ...effect, trusted: false } as Effect & { kind: 'call' }
        const claimed = rules.decide(untrusted, circumstances).outcome
        const silent = rules.decide({ ...untrusted, annotations: undefined }, circumstances).outcome
        expect(ease[claimed]).toBeLessThanOrEqual(ease[silent])
      }),
      { numRuns: 200 },
    )
  })
})
