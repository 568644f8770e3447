/** Results before one replica and before three, side by side. */

import { toTable } from '../../support/table.ts'

export interface SameRow {
  readonly name: string
  /** What came of it before each number of replicas. */
  readonly cells: string[]
  same: boolean
}

export class SameTally {
  readonly #rows: SameRow[] = []

  row(name: string): SameRow {
    const row: SameRow = { name, cells: [], same: false }
    this.#rows.push(row)
    return row
  }

  toString(): string {
    if (this.#rows.length === 0) return ''
    const rows = this.#rows.map(({ name, cells: [one = '–', three = '–'], same }) => {
      return [name, one, three, same ? 'identical' : 'DIFFERENT']
    })
    return toTable([['', '1 replica', '3 replicas', ''], ...rows])
  }
}
