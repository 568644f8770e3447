/** What is written into and read from the two headers of RFC 6750. */

import { describe, expect, it } from 'vitest'
import { isScopeToken, writeChallenge } from './bearer-challenge.ts'
import { readAuthorization } from './bearer-header.ts'

describe('writeChallenge', () => {
  it.each([
    ['nothing but the scheme', { scheme: 'Bearer' } as const, 'Bearer'],
    ['no scope where there is none', { scheme: 'Bearer', scopes: [] } as const, 'Bearer'],
    [
      'everything',
      {
        scheme: 'DPoP',
        error: 'e',
        description: 'd',
        scopes: ['a', 'b'],
        resourceMetadata: 'https://x',
        algorithms: ['ES256'],
      } as const,
      'DPoP error="e", error_description="d", scope="a b", resource_metadata="https://x", algs="ES256"',
    ],
    [
      'nothing that would end the value or the line',
      { scheme: 'Bearer', description: 'a"b\\c\r\nd é' } as const,
      'Bearer error_description="a\\"b\\\\c??d ?"',
    ],
  ])('writes %s', (_, challenge, text) => {
    expect(writeChallenge(challenge)).toBe(text)
  })

  it.each([
    ['notes:read', true],
    ['https://x/y.z', true],
    ['a b', false],
    ['a"b', false],
    ['a\\b', false],
    ['', false],
    ['é', false],
  ])('knows whether %j is a scope', (scope, expected) => {
    expect(isScopeToken(scope)).toBe(expected)
  })
})

describe('readAuthorization', () => {
  it.each([
    [undefined, 'none'],
    ['', 'none'],
    ['Basic abc', 'none'],
    ['Bearerabc', 'none'],
    ['Bearer', 'malformed'],
    ['Bearer a b', 'malformed'],
    ['Bearer =', 'malformed'],
    [`Bearer ${'a'.repeat(16_384)}`, 'token'],
    [`Bearer ${'a'.repeat(16_385)}`, 'malformed'],
    ['bEARER abc.def-_~+/==', 'token'],
    ['dpop abc', 'token'],
  ])('takes %.40j for %s', (header, kind) => {
    expect(readAuthorization(header).kind).toBe(kind)
  })
})
