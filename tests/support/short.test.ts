import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LONG_FILES } from './short.ts'

it.each(LONG_FILES)('%s, which the short form leaves out, is there', (file) => {
  expect(existsSync(new URL(`../../${file}`, import.meta.url))).toBe(true)
})
