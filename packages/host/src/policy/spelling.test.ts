/** Rules hold whichever way a value or an address is spelled: prohibitions generously, permissions strictly. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Circumstances, Effect } from './effect.ts'
import { createRules } from './rules.ts'

const ABOUT: Circumstances = { session: 's', unattended: false, tainted: false, at: 0 }
const read = (uri: string): Effect => ({ kind: 'read', server: 's', uri })
const call = (value: unknown): Effect => ({
  kind: 'call',
  server: 's',
  tool: 't',
  arguments: { a: value as string },
  trusted: false,
})

describe('sec-226: prohibitions on addresses (host 31)', () => {
  const rules = createRules([
    { id: 'all', outcome: 'allow' },
    { id: 'no', outcome: 'deny', item: 'x://secret' },
    { id: 'ask', outcome: 'ask', item: 'x://private/*' },
  ])
  it.each(['x://secret', 'X://secret', 'x://%73ecret', 'x://secret#f', 'x://a/../secret', 'x://sec\u200bret'])(
    'deny x://secret holds for %j, read or shared as a root',
    (uri) => {
      expect(rules.decide(read(uri), ABOUT).outcome).toBe('deny')
      expect(rules.decide({ kind: 'root', server: 's', uri }, ABOUT).outcome).toBe('deny')
    },
  )
  it.each(['x://private/a', 'X://PRIVATE/a', 'x://%70rivate/a#b'])('ask about x://private/* holds for %j', (uri) => {
    expect(rules.decide(read(uri), ABOUT).outcome).toBe('ask')
  })
  it('names of tools are compared as they are', () => {
    expect(createRules([{ id: 'no', outcome: 'deny', item: 'T' }]).decide(call(1), ABOUT).outcome).toBe('ask')
  })
  it.each([
    ['x://public/a', 'allow'],
    ['x://public/%2e%2e/secret', 'ask'],
    ['X://public/a', 'ask'],
  ])('allow x://public/* for %s: %s', (uri, outcome) => {
    const strict = createRules([{ id: 'some', outcome: 'allow', item: 'x://public/*' }])
    expect(strict.decide(read(uri), ABOUT).outcome).toBe(outcome)
  })
})

describe('sec-227: tests of arguments (host 31)', () => {
  it.each([
    [{ equals: true }, [true, 'TRUE', ' true', 1, '1', 'yes', '%74rue', 't\u200brue', [true], [['true']], { x: true }]],
    [{ equals: 5 }, [5, '5', ' 5', '5.0', '0x5', '５', ['5']]],
    [{ equals: 'main' }, ['main', 'MAIN', ' main', 'ma\u200bin', '%6dain', [{ b: 'main' }]]],
    [{ oneOf: ['a', 'b'] }, ['A', [' b'], { deep: [{ deeper: 'a' }] }]],
    [{ under: '/etc' }, ['/etc/x', ' /etc/x', '/e%74c/x', '/\u200betc/x', [{ p: '/etc/x' }], [['/etc/x']], '/ETC/x']],
    [{ glob: '*secret*' }, ['a secret', 'SECRET', '%73ecret', 'sec\u00adret', [{ a: ['secret'] }]]],
    [{ prefix: 'rm ' }, ['rm x', ' rm x', 'RM x', 'r\u200bm x', ['rm x']]],
    [{ range: { min: 10 } }, [10, '10', ' 11', '１２', ['13'], { n: 14 }]],
  ])('deny %j is not passed by another spelling', (test, values) => {
    const rules = createRules([
      { id: 'all', outcome: 'allow' },
      { id: 'no', outcome: 'deny', arguments: { a: test } },
    ])
    for (const value of values) expect([value, rules.decide(call(value), ABOUT).outcome]).toEqual([value, 'deny'])
  })

  it.each([
    [{ equals: true }, ['1.0', '0x1', 2, '-1', '"true"', '["yes"]', '٢']],
    [{ equals: false }, ['0.0', '0x0', 0, '"false"']],
    [{ equals: 5 }, ['"5"', '[5]', '٥', '५']],
    [
      { under: '/etc' },
      [
        ...['/proc/self/root/etc/x', '/proc/1/root/proc/self/root/etc', '/proc/1/task/2/root/etc/x', '["/etc/x"]'],
        ...[
          '"/etc/x"',
          "'/etc/x'",
          '{"p":["/etc/x"]}',
          'sqlite:/etc/x',
          'x://h/etc/x',
          'jar:file:/etc/x',
          '--f=/etc/x',
        ],
        ...['/data/a,/etc/x', '/data/a\n/etc/x', 'file://127.0.0.1/etc/x', 'x:///etc/x'],
      ],
    ],
    [
      { range: { min: 1000 } },
      ['1,000', '1_000', '1 000', "1'000", '1.000,5', '$2000', '1500 USD', '2k', '١٠٠٠', '[1000]'],
    ],
    [{ glob: 'rm -rf *' }, ['rm\t-rf x', 'rm\n-rf x', 'rm  -rf x', 'rm\u00a0-rf x', 'rm%0a-rf x', '"rm -rf x"']],
    [{ prefix: 'rm ' }, ['rm\tx', 'rm\nx', '"rm x"']],
  ])('deny %j is not passed by another reading (attack B8, sec-262)', (test, values) => {
    const rules = createRules([
      { id: 'all', outcome: 'allow' },
      { id: 'no', outcome: 'deny', arguments: { a: test } },
    ])
    for (const value of values) expect([value, rules.decide(call(value), ABOUT).outcome]).toEqual([value, 'deny'])
  })

  it('deny holds for whatever is put around a path, and allow for none of it (attack B8, sec-262)', () => {
    const deny = createRules([
      { id: 'all', outcome: 'allow' },
      { id: 'no', outcome: 'deny', arguments: { a: { under: '/etc' } } },
    ])
    const allow = createRules([{ id: 'some', outcome: 'allow', arguments: { a: { under: '/data' } } }])
    const name = fc.stringMatching(/^[a-z0-9]{1,8}$/)
    const separator = fc.constantFrom('\n', '\r\n', ',', ', ', ';', ' ', '\t', ':', '|', '\u2028', '=')
    fc.assert(
      fc.property(name, separator, name, (first, between, second) => {
        const both = `/data/${first}${between}/etc/${second}`
        const wrapped = [
          both,
          JSON.stringify([both]),
          encodeURI(both),
          `"/etc/${second}"`,
          `${first}:/etc/${second}`,
          `/proc/self/root/etc/${second}`,
        ]
        for (const value of wrapped) {
          expect([value, deny.decide(call(value), ABOUT).outcome]).toEqual([value, 'deny'])
          expect([value, allow.decide(call(value), ABOUT).outcome]).toEqual([value, 'ask'])
        }
        expect(allow.decide(call(`/data/${first}`), ABOUT).outcome).toBe('allow')
      }),
    )
  })

  it('deny looks into a list where one object is expected', () => {
    const rules = createRules([{ id: 'no', outcome: 'deny', arguments: { 'a.p': { under: '/etc' } } }])
    expect(rules.decide(call([{ p: '/etc/x' }]), ABOUT).outcome).toBe('deny')
  })

  it.each([
    [{ equals: true }, [false, 'no', 0, 'truth']],
    [{ under: '/etc' }, ['/data/x', '/etcetera']],
    [{ prefix: 'rm ' }, ['rmdir x', 'farm x']],
  ])('deny %j says nothing about others', (test, values) => {
    const rules = createRules([
      { id: 'all', outcome: 'allow' },
      { id: 'no', outcome: 'deny', arguments: { a: test } },
    ])
    for (const value of values) expect([value, rules.decide(call(value), ABOUT).outcome]).toEqual([value, 'allow'])
  })

  it.each([
    [{ under: '/data' }, ['/data/%2e%2e/x', '/data/..%2fx', '/data/\u200b../x', ' /data/x', [{ p: '/data/x' }]]],
    [{ equals: true }, ['true', 1, [true]]],
    [{ prefix: '/data/' }, [' /data/', '/DATA/x', '%2fdata/x']],
    [{ range: { max: 5 } }, ['5', [{ n: 5 }]]],
  ])('allow %j is not widened by a spelling', (test, values) => {
    const rules = createRules([{ id: 'some', outcome: 'allow', arguments: { a: test } }])
    for (const value of values) expect([value, rules.decide(call(value), ABOUT).outcome]).toEqual([value, 'ask'])
  })

  it.each([
    [{ under: '/data' }, ['/data/x', '/data/a b/100%']],
    [{ glob: 'https://x/*' }, ['https://x/a%20b']],
    [{ prefix: 'SELECT ' }, ['SELECT 1']],
  ])('allow %j holds for what it means', (test, values) => {
    const rules = createRules([{ id: 'some', outcome: 'allow', arguments: { a: test } }])
    for (const value of values) expect([value, rules.decide(call(value), ABOUT).outcome]).toEqual([value, 'allow'])
  })
})
