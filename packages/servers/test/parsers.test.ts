/** What reads the HTML of strangers can take as long as they like: it runs in processes that are ended from outside, and nowhere else. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const SRC = new URL('../src/', import.meta.url)

it('sec-751: HTML is taken apart in processes alone', () => {
  const importers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /from 'linkedom'|documents\/html-text\.ts'|import\('\.\/html-text\.ts'\)/.test(read(file)))
  expect(importers.sort()).toEqual(['documents/extract-process.ts', 'documents/html-text.ts', 'web/page-process.ts'])
})

function read(file: string): string {
  return readFileSync(new URL(file.replaceAll('\\', '/'), SRC), 'utf8')
}
