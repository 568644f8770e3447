/** Refusals have one home: nothing in `serve` words one by itself. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as refusals from './refusals.ts'

const SERVE = fileURLToPath(new URL('..', import.meta.url))

const sources = readdirSync(SERVE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/rules.refusals\.ts$/.test(file),
)

describe('house 7: refusals have one home', () => {
  test('there are sources to look at', () => expect(sources.length).toBeGreaterThan(40))

  // A challenge for a token has its words from what was wrong with the token; an answer of 200 is none.
  test.each(sources.filter((file) => !/bearer-refusals/.test(file)))('%s words none', (file) => {
    expect(readFileSync(`${SERVE}/${file}`, 'utf8')).not.toMatch(/\bstatus: [45]\d\d\b/)
  })

  const rows = Object.entries(refusals).map(([name, row]) => [name, typeof row === 'function' ? row.toString() : row])
  test('no two rows are the same', () => {
    const texts = rows.map(([, row]) => JSON.stringify(row))
    expect(new Set(texts).size).toBe(texts.length)
  })
})
