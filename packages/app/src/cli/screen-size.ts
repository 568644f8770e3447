/** How large a terminal is. Some report 0×0 (a serial line, a program that made one and never set it): a usual size then. */

const USUAL = { columns: 80, rows: 24 }

interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

export function screenOf({ columns, rows }: Partial<ScreenSize>): ScreenSize {
  return { columns: columns || USUAL.columns, rows: rows || USUAL.rows }
}
