/** The table of times: a row for each block that has a name, and whether it went as printed. */

import { toTable } from '../support/table.ts'

export interface Row {
  readonly place: string
  readonly name: string | undefined
  readonly state: 'ok' | 'failed' | 'skipped'
  readonly ms: number
}

export function tellRows(rows: readonly Row[]): string {
  const shown = rows.filter(({ name, state }) => name !== undefined || state === 'failed')
  const cells = shown.map(({ name, place, state, ms }) => [
    name ?? place,
    state === 'skipped' ? '' : (ms / 1000).toFixed(1),
    state === 'ok' ? 'ok' : `${state} (${place})`,
  ])
  const count = (state: Row['state']): number => rows.filter((row) => row.state === state).length
  const table = toTable([['step', 'seconds', 'as printed'], ...cells])
  return `${table}\n\n${count('ok')} blocks went as printed, ${count('failed')} failed, ${count('skipped')} skipped`
}
