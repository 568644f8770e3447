/** What came of the tasks of processes that were ended, counted for the table that the suite prints. */

import { toTable } from '../support/table.ts'

/** What may never be. */
export interface Harm {
  /** Tasks that their caller was told of and that are gone. */
  lost: number
  /** Steps that had their effect again and were not told that they may have had it. */
  doubled: number
  /** Tasks that nobody brings to an end. */
  unended: number
}

interface Row extends Harm {
  readonly name: string
  readonly points: number
  kills: number
  /** Tasks whose caller was told that nobody knows what became of the work. */
  unknown: number
}

export class KillTally {
  readonly #rows: Row[] = []

  row(name: string, points: number): Row {
    const row = { name, points, kills: 0, unknown: 0, ...noHarm() }
    this.#rows.push(row)
    return row
  }

  /** The table; empty where nothing was ended. */
  toString(): string {
    const head = ['killed', 'points', 'kills', 'lost', 'doubled unannounced', 'never ended', 'told as unknown']
    const rows = this.#rows.map(({ name, points, kills, lost, doubled, unended, unknown }) => [
      name,
      ...[points, kills, lost, doubled, unended, unknown].map(String),
    ])
    return rows.length === 0 ? '' : toTable([head, ...rows])
  }
}

export function noHarm(): Harm {
  return { lost: 0, doubled: 0, unended: 0 }
}

/** Adds what one kill came to. */
export function addTo(row: Row, harm: Harm, unknown: number): void {
  row.kills += 1
  row.unknown += unknown
  for (const kind of ['lost', 'doubled', 'unended'] as const) row[kind] += harm[kind]
}
