import { describe, expect, it } from 'vitest'
import { createGlob } from './glob.ts'

describe('createGlob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'x/y/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/x/a.ts', false],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**/*.ts', 'src/a.ts', true],
    ['**/test/**', 'a/test/b/c', true],
    ['?.md', 'a.md', true],
    ['?.md', 'ab.md', false],
    ['[a-c]*.txt', 'beta.txt', true],
    ['[!a-c]*.txt', 'beta.txt', false],
    ['*.{js,ts}', 'x/a.ts', true],
    ['*.{js,ts}', 'a.css', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['[', '[', true],
    ['/a', 'b/a', false],
  ])('%j on %j is %j', (pattern, path, expected) => {
    expect(createGlob(pattern)(path)).toBe(expected)
  })

  it('takes time in proportion, whatever the pattern', () => {
    const matches = createGlob(`${'*a'.repeat(200)}b`)
    const began = performance.now()
    expect(matches('a'.repeat(4000))).toBe(false)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it('refuses patterns that stand for too many', () => {
    expect(() => createGlob('{a,b}'.repeat(10))).toThrow('{…}')
  })
})
