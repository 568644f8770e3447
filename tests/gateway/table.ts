/** The outcome of all pairs as one table: a line for each pair of revisions and transports, a column for each feature. */

import { FEATURES } from './features.ts'
import { nameOf, type Variant } from './variants.ts'

export type Mark = 'works' | 'lacks' | 'fails' | 'skips'

export interface Row {
  readonly client: Variant
  readonly server: Variant
  readonly marks: ReadonlyMap<string, Mark>
}

const SIGNS: { readonly [mark in Mark]: string } = { works: '✓', lacks: '–', fails: '✗', skips: ' ' }

export function toTable(rows: readonly Row[]): string {
  const names = rows.map(({ client, server }) => `${nameOf(client)} → ${nameOf(server)}`)
  const width = Math.max(...names.map(({ length }) => length), 10)
  // Column names stand upright, one letter to a line.
  const height = Math.max(...FEATURES.map(({ name }) => name.length))
  const head = Array.from({ length: height }, (_, line) => {
    const letters = FEATURES.map(({ name }) => name.padStart(height)[line] ?? ' ')
    return `${' '.repeat(width)}  ${letters.join(' ')}`
  })
  const lines = rows.map(({ marks }, at) => {
    const signs = FEATURES.map(({ name }) => SIGNS[marks.get(name) ?? 'skips'])
    return `${(names[at] ?? '').padEnd(width)}  ${signs.join(' ')}`
  })
  return [...head, '-'.repeat(width + 2 + FEATURES.length * 2), ...lines, '', summary(rows)].join('\n')
}

function summary(rows: readonly Row[]): string {
  const count = (wanted: Mark) =>
    rows.reduce((sum, { marks }) => sum + [...marks.values()].filter((mark) => mark === wanted).length, 0)
  const eras = new Map<string, { works: number; fails: number }>()
  for (const { client, server, marks } of rows) {
    const key = `${eraOf(client)} client → ${eraOf(server)} server`
    const tally = eras.get(key) ?? { works: 0, fails: 0 }
    for (const mark of marks.values()) if (mark === 'works' || mark === 'fails') tally[mark]++
    eras.set(key, tally)
  }
  const cells = [...eras].map(([key, { works, fails }]) => `  ${key}: ${works} carried, ${fails} failed`)
  return [
    `${rows.length} pairs: ${count('works')} ✓ carried, ${count('lacks')} – a revision lacks it and the error says so, ${count('fails')} ✗ failed`,
    ...cells,
  ].join('\n')
}

function eraOf({ version }: Variant): string {
  return version >= '2026-07-28' ? '2026-07-28' : 'older'
}
