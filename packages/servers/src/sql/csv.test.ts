import { describe, expect, it } from 'vitest'
import { toCsv } from './csv.ts'
import type { Page, Rows, Statement, Table } from './engine.ts'
import type { FairEngine } from './fair-engine.ts'
import { SQL_LIMITS } from './limits.ts'

const TABLE = { key: 't', quoted: '"t"' } as Table
const ASKER = { caller: undefined, signal: new AbortController().signal }
const OPTIONS = { limits: SQL_LIMITS, escapeFormulas: false }

/** A table that gains a row at its front whenever it was looked at. */
function growing(count: number): FairEngine {
  const all = Array.from({ length: count }, (_, at) => [at])
  const query = async (_statement: Statement, { offset, maxRows }: Page): Promise<Rows> => {
    const rows = all.slice(offset, offset + maxRows)
    const more = all.length > offset + maxRows
    all.unshift([-1])
    return { columns: [{ name: 'n' }], rows, more, cutCells: 0 }
  }
  return { query } as unknown as FairEngine
}

describe('a table as CSV', () => {
  it('is as it was at one moment: no row comes twice and none is missed, whoever writes meanwhile', async () => {
    const csv = await toCsv(growing(1_000), TABLE, OPTIONS, ASKER)
    expect(csv.split('\r\n').slice(1, -1)).toEqual(Array.from({ length: 1_000 }, (_, at) => String(at)))
  })

  it('is refused where it is not whole', async () => {
    await expect(toCsv(growing(20_001), TABLE, OPTIONS, ASKER)).rejects.toThrow('more than 20000 rows')
    const cut: Rows = { columns: [{ name: 'n' }], rows: [['x']], more: true, cutCells: 0 }
    const engine = { query: async () => cut } as unknown as FairEngine
    await expect(toCsv(engine, TABLE, OPTIONS, ASKER)).rejects.toThrow('characters')
  })
})
