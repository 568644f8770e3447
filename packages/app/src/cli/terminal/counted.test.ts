import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { counted } from './counted.ts'

it.each([
  [0, '0 servers'],
  [1, '1 server'],
  [2, '2 servers'],
])('newcomer: counts %i rightly', (count, words) => {
  expect(counted(count, 'server')).toBe(words)
})

it('newcomer: no message writes a number and a plural by hand', () => {
  const root = fileURLToPath(new URL('.', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const byHand = /(?:length|count)\} (?:servers|tools|users|items|records|problems|findings)\b/
  expect(files.filter((name) => byHand.test(readFileSync(join(root, name), 'utf8')))).toEqual([])
})
