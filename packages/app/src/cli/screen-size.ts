/** How large a terminal is. Some report 0×0 (a serial line, a program that made one and never set it): a usual size then. */

const USUAL = { columns: 80, rows: 24 }

interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

export function screenOf({ columns, rows }: Partial<ScreenSize>): ScreenSize {
  return { columns: columns || USUAL.columns, rows: rows || USUAL.rows }
}

interface SaidPlace {
  readonly stderr?: Partial<ScreenSize> & { readonly isTTY?: boolean }
  readonly env?: { readonly [name: string]: string | undefined }
}

/** How wide what is said may be; undefined where no person looks. */
export function saidColumns({ stderr, env }: SaidPlace): number | undefined {
  if (stderr?.isTTY !== true) return undefined
  const given = Number(env?.COLUMNS)
  return Number.isInteger(given) && given > 0 ? given : screenOf(stderr).columns
}
