/** The table of times: a row for each block that has a name, and whether it went as printed. */

export interface Row {
  readonly place: string
  readonly name: string | undefined
  readonly state: 'ok' | 'failed' | 'skipped'
  readonly ms: number
}

/** Prints the table; the exit code, 1 if a row failed or nothing was run. */
export function tellRows(rows: readonly Row[]): number {
  const shown = rows.filter(({ name, state }) => name !== undefined || state === 'failed')
  const width = Math.max(4, ...shown.map(({ name, place }) => (name ?? place).length))
  console.log(`\n${'step'.padEnd(width)}  seconds  as printed`)
  for (const { name, place, state, ms } of shown) {
    const seconds = state === 'skipped' ? '' : (ms / 1000).toFixed(1)
    console.log(
      `${(name ?? place).padEnd(width)}  ${seconds.padStart(7)}  ${state}${state === 'ok' ? '' : ` (${place})`}`,
    )
  }
  const count = (state: Row['state']): number => rows.filter((row) => row.state === state).length
  console.log(`\n${count('ok')} blocks went as printed, ${count('failed')} failed, ${count('skipped')} skipped`)
  return count('failed') === 0 && count('ok') > 0 ? 0 : 1
}
