import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import { makeLlms } from './make-llms.mjs'

const pages = makeLlms(repositoryRoot)

test('llms.txt is what the pages make it (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(pages)).toEqual([])
})

test('every line leads somewhere and says what is there', () => {
  const lines = [...(pages.get('docs/llms.txt') ?? '').matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.*)$/gm)]
  expect(lines.length).toBeGreaterThan(30)
  expect(
    lines
      .filter(([, target, text]) => !existsSync(join(repositoryRoot, 'docs', target ?? '')) || text === '')
      .map(([line]) => line),
  ).toEqual([])
})

test('decisions: every page is listed, with what it is about', () => {
  const text = pages.get('docs/llms.txt') ?? ''
  const files = readdirSync(join(repositoryRoot, 'docs/decisions')).filter((name) => name !== 'README.md')
  expect(files.filter((name) => !new RegExp(`\\]\\(decisions/${name}\\): \\S`).test(text))).toEqual([])
})
