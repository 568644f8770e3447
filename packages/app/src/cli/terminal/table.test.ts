import { describe, expect, it } from 'vitest'
import { toTable } from './table.ts'

const STATUS = [
  'gateway-1',
  'machine-7.example:48211',
  'ready',
  '12 sessions',
  '3 calls',
  '4 callers',
  'up 5 s',
  'seen 90 ms ago',
]
const TABLES = {
  status: [STATUS, STATUS],
  tasks: [['k3f9', 'input_required', 'generate_report', '2025-11-25', 'waits for an answer of a person']],
  list: [['resource', 'file:///home/someone/a/rather/long/path/of/a/file.txt', 'A file that has a description']],
}

describe.each(Object.entries(TABLES))('the table of %s', (_, rows) => {
  it.each([50, 60, 80, 120])('fits %i columns (cli 21)', (columns) => {
    const lines = toTable(rows, { terminal: true, columns }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  })

  it('is whole where there is room', () => {
    expect(toTable(rows, { terminal: true, columns: 200 })).not.toContain('…')
  })
})

it('keeps figures whole where columns would be too narrow to read them (cli 21)', () => {
  const text = toTable(TABLES.status, { terminal: true, columns: 50 })
  for (const cell of STATUS) expect(text).toContain(cell)
})

it.each([20, 40, 60])('keeps names whole, which are there to be typed, at %i columns', (columns) => {
  const names = ['preview_resolution_of_conflicts', 'list_directory']
  const rows = names.map((name) => [
    'tool',
    name,
    'What it does, in a sentence that is longer than a line has room for',
  ])
  const text = toTable(rows, { terminal: true, columns }, 1)
  for (const name of names) expect(text).toContain(name)
})
