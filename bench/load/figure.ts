/** A measured number with what it may be. */

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The most it may be; without one it is only reported. */
  readonly most?: number
  /** The least it may be. */
  readonly least?: number
}

/** A figure that is no number, because nothing was measured, holds no bound. */
export function isMissed({ value, most, least }: Figure): boolean {
  return (most !== undefined && !(value <= most)) || (least !== undefined && !(value >= least))
}

/** Of nothing it is no number. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
