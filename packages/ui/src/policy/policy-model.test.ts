import { describe, expect, it } from 'vitest'
import { EMPTY_EFFECT, toEffect } from './effect-model.ts'
import { describeConditions, describeRule, freeName, fromRule, type RuleJson, toRule } from './rule-model.ts'

const RULE: RuleJson = {
  id: 'no-deletes',
  outcome: 'deny',
  because: 'Nothing is deleted here',
  effect: ['call'],
  server: ['git*'],
  item: ['delete_*'],
  arguments: { path: { under: '/work' } },
  when: 'context.tainted',
  shadow: true,
}

describe('a rule in the form', () => {
  it('comes back as it was, members without a field included', () => {
    expect(toRule(fromRule(RULE))).toEqual(RULE)
  })

  it('takes one name for a list of one, and writes nothing that says nothing', () => {
    const form = fromRule({ id: 'a', outcome: 'allow', server: 'files', review: false })
    expect(toRule(form)).toEqual({ id: 'a', outcome: 'allow', server: ['files'] })
  })

  it('reads in one line', () => {
    expect(describeRule(RULE)).toBe('call · git* / delete_*')
    expect(describeRule({ id: 'b', outcome: 'ask', effect: 'flow', from: ['mail'] })).toBe('flow · from mail')
    expect(describeRule({ id: 'c', outcome: 'ask' })).toBe('anything')
    expect(describeConditions(RULE)).toBe('arguments {"path":{"under":"/work"}} · when context.tainted')
  })

  it('gets a name that is free', () => {
    expect(freeName([{ id: 'rule-2' }])).toBe('rule-3')
  })
})

describe('an effect put together by hand', () => {
  it.each([
    [
      { kind: 'call', item: 'write', arguments: '{"a":1}', destructive: true },
      { tool: 'write', arguments: { a: 1 }, trusted: false, annotations: { destructiveHint: true } },
    ],
    [{ kind: 'connect', item: 'npx x' }, { shown: 'npx x' }],
    [{ kind: 'read', item: 'file:///a' }, { uri: 'file:///a' }],
    [{ kind: 'elicit', item: '' }, { mode: 'form' }],
    [
      { kind: 'elicit', item: 'a.example' },
      { mode: 'url', host: 'a.example' },
    ],
    [
      { kind: 'flow', item: 'send', from: 'a, b' },
      { from: ['a', 'b'], tool: 'send' },
    ],
    [{ kind: 'sample' }, { background: false }],
  ] as const)('%j', (form, expected) => {
    expect(toEffect({ ...EMPTY_EFFECT, server: 's', ...form })).toMatchObject({ effect: { server: 's', ...expected } })
  })

  it.each([
    [{ server: '' }, 'Choose a server'],
    [{ server: 's', arguments: '{' }, 'Not JSON'],
    [{ server: 's', arguments: '[]' }, 'must be an object'],
    [{ server: 's', kind: 'flow' }, 'whose data'],
  ] as const)('says what is missing: %j', (form, words) => {
    const made = toEffect({ ...EMPTY_EFFECT, ...form })
    expect('problem' in made && made.problem).toContain(words)
  })
})
