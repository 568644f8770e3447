import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withLock } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('house 5: a lock is held while the work runs and is let go however it ends', () => {
  const file = join(folder, 'a')
  expect(withLock(file, () => existsSync(file))).toBe(true)
  expect(existsSync(file)).toBe(false)
  expect(() =>
    withLock(file, () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(existsSync(file)).toBe(false)
})

test('house 5: what a dead process left behind is taken', () => {
  const file = join(folder, 'b')
  // No process has a number that large.
  writeFileSync(file, '2147483646')
  expect(withLock(file, () => 'done')).toBe('done')
})
