import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { LIMIT_TABLES, limitsPage, toLimitsPage, withSources } from './make-limits-table.mjs'

let tables = []
beforeAll(async () => {
  tables = await Promise.all(
    withSources(LIMIT_TABLES).map(async (table) => ({
      ...table,
      limits: (await import(/* @vite-ignore */ `../../${table.file}`))[table.name],
    })),
  )
})

test('the page of limits is what the tables make it (if not: node scripts/generate/make-limits-table.mjs)', () => {
  expect(readFileSync(limitsPage, 'utf8')).toBe(toLimitsPage(tables))
})

describe.each(LIMIT_TABLES)('$name', ({ name }) => {
  test('has a comment and a word on what is beyond, for every bound and no other', () => {
    const { limits, beyond } = tables.find((table) => table.name === name)
    expect(Object.keys(beyond).sort()).toEqual(Object.keys(limits).sort())
    const rows = toLimitsPage(tables).split('\n')
    for (const key of Object.keys(limits)) {
      expect(rows.some((row) => row.startsWith(`| \`${key}\` |`) && !row.includes('|  |'))).toBe(true)
    }
  })
})

test('a bound that is added shows on the page, with its comment', () => {
  const source = '/** Other. */\n  other: 1,\n  /**\n   * Bytes of\n   * it.\n   */\n  readonly maxBytes: 2048,'
  const page = toLimitsPage([
    { title: 'New', where: 'here', source, limits: { maxBytes: 2048 }, beyond: { maxBytes: 'no' } },
  ])
  expect(page).toContain('| `maxBytes` | 2 Ki | Bytes of it | no |')
})
