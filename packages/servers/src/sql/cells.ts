/**
 * From a driver's values to what a model gets: JSON values of bounded size, bytes as hexadecimal digits, and characters
 * that a reader cannot see spelled out (sec-125). Used on both sides of the SQLite worker, so it needs no package.
 */

import { spellHidden } from '../text/plain-text.ts'

export type Cell = string | number | boolean | null

export interface Column {
  readonly name: string
  /** As the engine calls it; absent where it does not say. */
  readonly type?: string
}

export interface CellLimits {
  readonly maxRows: number
  readonly maxCellBytes: number
  readonly maxResultBytes: number
}

/** Takes rows until a limit says that the page is full. */
export class RowCollector {
  readonly rows: Cell[][] = []
  more = false
  cutCells = 0
  #bytes = 0
  readonly #limits: CellLimits

  constructor(limits: CellLimits) {
    this.#limits = limits
  }

  /** False when the row did not fit any more: it belongs to the next page. */
  add(values: readonly unknown[]): boolean {
    const { maxRows, maxCellBytes, maxResultBytes } = this.#limits
    if (this.rows.length >= maxRows) return this.#full()
    let cut = 0
    let bytes = 0
    const row = values.map((value) => {
      const cell = toCell(value, maxCellBytes)
      if (cell.cut) cut++
      bytes += typeof cell.value === 'string' ? cell.value.length + 2 : 8
      return cell.value
    })
    // A page has at least one row, however large: otherwise it could never be read.
    if (this.rows.length > 0 && this.#bytes + bytes > maxResultBytes) return this.#full()
    this.rows.push(row)
    this.#bytes += bytes
    this.cutCells += cut
    return true
  }

  #full(): false {
    this.more = true
    return false
  }
}

function toCell(value: unknown, maxBytes: number): { value: Cell; cut: boolean } {
  if (value === null || value === undefined) return { value: null, cut: false }
  if (typeof value === 'boolean') return { value, cut: false }
  if (typeof value === 'number') return { value: Number.isFinite(value) ? value : String(value), cut: false }
  if (typeof value === 'bigint') {
    return { value: Number.isSafeInteger(Number(value)) ? Number(value) : String(value), cut: false }
  }
  if (value instanceof Uint8Array) return bytesCell(value, maxBytes)
  if (value instanceof Date) return { value: Number.isNaN(+value) ? String(value) : value.toISOString(), cut: false }
  return textCell(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), maxBytes)
}

function textCell(text: string, maxBytes: number): { value: string; cut: boolean } {
  // No character has fewer bytes than code units have halves: most values need no count.
  if (text.length * 3 <= maxBytes) return { value: spellHidden(text), cut: false }
  const bytes = new TextEncoder().encode(text.length > maxBytes ? text.slice(0, maxBytes + 1) : text)
  if (bytes.length <= maxBytes) return { value: spellHidden(text), cut: false }
  const head = new TextDecoder().decode(bytes.subarray(0, maxBytes)).replace(/(?<!\uFFFD)\uFFFD+$/, '')
  return { value: `${spellHidden(head)}… [cut: ${text.length} characters]`, cut: true }
}

function bytesCell(value: Uint8Array, maxBytes: number): { value: string; cut: boolean } {
  const shown = value.subarray(0, Math.floor(maxBytes / 2))
  const digits = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const cut = shown.length < value.length
  return { value: `0x${digits}${cut ? `… [cut: ${value.length} bytes]` : ''}`, cut }
}
