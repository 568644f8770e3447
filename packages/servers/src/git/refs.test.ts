import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'
import { checkBranch, checkRepositoryPath, checkRevision } from './refs.ts'

describe('names that go into arguments (sec-122: inputs validated)', () => {
  it.each([
    '-h',
    '--output=/tmp/x',
    '--upload-pack=touch',
    '-',
    '',
    'a..b',
    'a...b',
    ':/text',
    'HEAD:secret',
    'HEAD^{/x}',
    'a b',
    'a\nb',
    'a\0b',
    '@{upstream}',
    'main@{push}',
    '^main',
    '~1',
    'x'.repeat(300),
    'a\\b',
    'a*',
    '.hidden',
    'a.lock',
  ])('sec-122: %j is no revision', (text) => {
    expect(() => checkRevision(text)).toThrow('not a revision')
  })

  it.each(['HEAD', '@', 'main', 'HEAD~3', 'v1.0^{}', 'feature/x^2~1', 'HEAD@{1}', 'abc1234', 'refs/heads/größe'])(
    '%j is one',
    (text) => {
      expect(checkRevision(text)).toBe(text)
    },
  )

  it.each([
    '-b',
    '--orphan',
    'HEAD',
    '@',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    '/a',
    'a/',
    'a.',
    'x.lock',
    '.x',
    'a//b',
    'f'.repeat(40),
  ])('sec-122: %j is no branch name', (text) => {
    expect(() => checkBranch(text)).toThrow('branch name')
  })

  it.each([
    '../x',
    'a/../../x',
    '/etc/passwd',
    'C:\\x',
    '.git/config',
    'a/.GIT/hooks/x',
    '.git./config',
    'GIT~1/config',
    'a\0b',
    '',
    '%2e%2e/x',
  ])('sec-131: %j is no path in a repository', (text) => {
    expect(() => checkRepositoryPath(text)).toThrow('The path')
  })

  it('takes paths that only look like options or patterns', () => {
    for (const path of ['-x', '--all', '*', ':(top)x', '.gitignore', 'a b/ü.txt'])
      expect(checkRepositoryPath(path)).toBe(path)
  })
})

describe('redact', () => {
  it.each([
    ['https://user:hunter2@example.com/x.git', 'hunter2'],
    ['+token = ghp_0123456789abcdefghijABCDEFGHIJ012345', 'ghp_0123'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    ['----BEGIN-----\n-----BEGIN RSA PRIVATE KEY-----\n-MIIEpA\n--MIIx\n-----END RSA PRIVATE KEY-----', 'MII'],
    ['-----BEGIN PRIVATE KEY-----\n+MIIEpA', 'MII'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk', 'eyJzdWIi'],
  ])('takes the secret out of %j', (text, secret) => {
    expect(redact(text)).toContain('[redacted]')
    expect(redact(text)).not.toContain(secret)
  })

  it('leaves ordinary text alone, in good time', () => {
    expect(redact('git@example.com:x/y.git and https://example.com/a@b')).toBe(
      'git@example.com:x/y.git and https://example.com/a@b',
    )
    const began = performance.now()
    redact('-----BEGIN PRIVATE KEY-----'.repeat(9000))
    redact('-eyJ'.repeat(60_000))
    redact('a://'.repeat(60_000))
    expect(performance.now() - began).toBeLessThan(3000)
  })
})
