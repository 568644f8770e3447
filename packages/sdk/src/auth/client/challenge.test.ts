import { expect, test } from 'vitest'
import { parseChallenges, readTokenChallenge, splitScopes } from './challenge.ts'

const plainly = (header: string) =>
  parseChallenges(header).map(({ scheme, params }) => [scheme, Object.fromEntries(params)])

test.each<[string, string, unknown]>([
  ['one challenge', 'Bearer realm="x", scope="a b"', [['bearer', { realm: 'x', scope: 'a b' }]]],
  [
    'several in one header',
    'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
    [
      ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }],
      ['basic', { realm: 'simple' }],
    ],
  ],
  ['a scheme alone', 'Bearer', [['bearer', {}]]],
  [
    'schemes alone',
    'Negotiate, Bearer',
    [
      ['negotiate', {}],
      ['bearer', {}],
    ],
  ],
  [
    'a token before parameters',
    'Negotiate a87421000492aa874209af8bc028==, Bearer error="x"',
    [
      ['negotiate', {}],
      ['bearer', { error: 'x' }],
    ],
  ],
  [
    'commas inside quotes',
    'Bearer error_description="no, not, so", error=e',
    [['bearer', { error_description: 'no, not, so', error: 'e' }]],
  ],
  ['spaces around the equals sign', 'Bearer realm = "x" , scope = y', [['bearer', { realm: 'x', scope: 'y' }]]],
  ['empty list elements', ', ,Bearer ,, realm="x",,', [['bearer', { realm: 'x' }]]],
  ['the first of a name', 'Bearer scope="a", scope="b"', [['bearer', { scope: 'a' }]]],
  ['no scheme at all', 'realm="x", scope="y"', []],
  [
    'an unclosed quote',
    'Bearer realm="x, scope="y"',
    [
      ['bearer', { realm: 'x, scope=' }],
      ['y', {}],
    ],
  ],
  [
    'other characters',
    'Bearer ((( , Basic realm="ok"',
    [
      ['bearer', {}],
      ['basic', { realm: 'ok' }],
    ],
  ],
  ['names of prototypes', 'Bearer __proto__="x"', [['bearer', { ['__proto__']: 'x' }]]],
  ['nothing', '', []],
])('sec-53: reads %s', (_, header, expected) => {
  expect(JSON.stringify(plainly(header))).toBe(JSON.stringify(expected))
})

test.each([
  ['commas', ','.repeat(65_000)],
  ['quotes', `Bearer a="${'\\"'.repeat(32_000)}`],
  ['equals signs', `Bearer ${'='.repeat(65_000)}`],
  ['spaces', `Bearer ${' '.repeat(65_000)}x`],
  ['parameters', `Bearer ${'a=b,'.repeat(16_000)}`],
  ['schemes', 'A,'.repeat(32_000)],
  ['half tokens', `Bearer ${'a '.repeat(32_000)}`],
])('sec-53: takes 64 kB of %s in no time', (_, header) => {
  const begun = performance.now()
  expect(parseChallenges(header).length).toBeLessThanOrEqual(32)
  expect(performance.now() - begun).toBeLessThan(500)
})

test('sec-53: a header beyond 64 kB holds no challenge', () => {
  expect(parseChallenges(`Bearer realm="${'x'.repeat(65_536)}"`)).toEqual([])
})

test('takes what OAuth needs from Bearer and DPoP challenges alone', () => {
  const header =
    'Basic scope="no", DPoP algs="ES256", Bearer error="invalid_token", scope="a  b a", resource_metadata="https://x/y"'
  expect(readTokenChallenge(header)).toEqual({
    error: 'invalid_token',
    scopes: ['a', 'b'],
    resourceMetadata: 'https://x/y',
    dpop: true,
  })
  expect(readTokenChallenge('Basic realm="x"')).toBeUndefined()
  expect(readTokenChallenge(undefined)).toBeUndefined()
})

test('leaves out what is no scope', () => {
  expect(splitScopes('a "b" c\\ d\u0000 é e')).toEqual(['a', 'e'])
})
