import { expect, test } from 'vitest'
import { type ScopeSources, selectScopes } from './scopes.ts'

const none: ScopeSources = { challenged: undefined, published: undefined, held: [], wanted: [], offline: true }

test.each<[string, Partial<ScopeSources>, readonly string[] | undefined, readonly string[]]>([
  ['nothing is known', {}, undefined, []],
  ['the challenge names some', { challenged: ['a'], published: ['b', 'c'] }, undefined, ['a']],
  ['the challenge names some that are not published', { challenged: ['x'], published: ['a'] }, undefined, ['x']],
  ['only the published are known', { published: ['b', 'c'] }, undefined, ['b', 'c']],
  ['some are held', { challenged: ['w'], held: ['r'] }, undefined, ['r', 'w']],
  ['some are held and none challenged', { published: ['a', 'b'], held: ['a'] }, undefined, ['a']],
  ['the user wants more', { challenged: ['a'], wanted: ['z', 'a'] }, undefined, ['a', 'z']],
  ['offline access is offered', { challenged: ['a'] }, ['a', 'offline_access'], ['a', 'offline_access']],
  ['offline access is not offered', { challenged: ['a'] }, ['a'], ['a']],
  ['offline access is of no use', { challenged: ['a'], offline: false }, ['offline_access'], ['a']],
  ['offline access would stand alone', {}, ['offline_access'], []],
])('sec-69, sec-70, sec-72, sec-76: where %s', (_, sources, supported, expected) => {
  const issuer = { issuer: 'https://as', ...(supported !== undefined && { scopes_supported: [...supported] }) }
  expect(selectScopes({ ...none, ...sources }, issuer)).toEqual(expected)
})
