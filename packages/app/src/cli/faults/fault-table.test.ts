import type { FaultRow } from '@portico/sdk/testing/faults'
import { expect, it } from 'vitest'
import { toFaultTable } from './fault-table.ts'

const account = { sent: 12, answered: 12, failed: 0, lost: 0, wrong: 0, doubled: 0, untrue: 0, hung: 0 }
// Only what is shown.
const row = { fault: 'reset', about: 'in the middle of the answer', account, unseen: [], notes: [], ok: true }
const rows = [row as unknown as FaultRow]

it('newcomer 22: every figure has its name where a terminal has no room for the table', () => {
  const tables = { subject: 'my-client.mjs', rows, portico: rows }
  const narrow = toFaultTable(tables, { terminal: true, columns: 60 }).split('\n')
  expect(narrow.every((line) => line.length <= 60)).toBe(true)
  expect(narrow[0]).toBe('reset in the middle of the answer')
  expect(narrow.join(' ')).toMatch(/my-client\.mjs {2}sent 12 .*hung 0 .*well after yes .*portico {2}sent 12/)
  expect(toFaultTable(tables, { terminal: true, columns: 200 }).split('\n')[0]).toMatch(/^fault .* hung .*well after$/)
})

it('tells the rows of Portico apart where Portico itself is tried', () => {
  const text = toFaultTable({ subject: 'portico', rows, portico: rows }, { terminal: true, columns: 200 })
  expect(text).toMatch(/portico +12 .*\n +portico itself +12 /)
})
