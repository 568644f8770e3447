import { describe, expect, it } from 'vitest'
import { toTable } from './data-table.ts'

describe('a structured result as a table', () => {
  it.each([
    ['a list of objects', [{ a: 1 }, { b: 2 }], { columns: ['a', 'b'], rows: [{ a: 1 }, { b: 2 }] }],
    ['the one list in an object', { found: [{ a: 1 }] }, { columns: ['a'], rows: [{ a: 1 }], name: 'found' }],
    [
      'rows under columns that are objects',
      { columns: [{ name: 'a' }, { name: 'b' }], rows: [[1, 2]], truncated: false },
      { columns: ['a', 'b'], rows: [{ a: 1, b: 2 }], name: 'rows' },
    ],
    ['rows under names', { columns: ['a'], rows: [] }, { columns: ['a'], rows: [], name: 'rows' }],
    ['columns of the same name', { columns: ['a', 'a'], rows: [[1, 2]] }, undefined],
    ['rows that are no lists', { columns: ['a'], rows: [{ a: 1 }, 2] }, undefined],
    ['a text', 'a', undefined],
  ])('%s', (_what, value, table) => {
    expect(toTable(value)).toEqual(table)
  })
})
