/** What a run comes to: samples become figures, figures become ratios, ratios are held against the floors. */

import type { Report, Sample } from './programs/driver.ts'

export interface Figure {
  readonly axis: string
  /** Which variant of the axis: calls in flight, tools in the list. */
  readonly case: string
  readonly contestant: string
  readonly unit: string
  readonly median: number
  readonly low: number
  readonly high: number
  readonly perSecond?: number
  readonly wallMs?: number
  readonly rss?: number
}

export interface Fault {
  readonly axis: string
  readonly case: string
  readonly contestant: string
  readonly reason: string
}

export function toFigures(axis: string, name: string, unit: string, report: Report): Figure[] {
  const names = [...new Set(report.samples.map(({ contestant }) => contestant))]
  return names.map((contestant) => {
    const samples = report.samples.filter((sample) => sample.contestant === contestant)
    const values = samples.map(({ value }) => value)
    return {
      axis,
      case: name,
      contestant,
      unit,
      median: median(values),
      low: Math.min(...values),
      high: Math.max(...values),
      ...medianOf(samples, 'perSecond'),
      ...medianOf(samples, 'wallMs'),
      ...medianOf(samples, 'rss'),
    }
  })
}

export function single(axis: string, name: string, unit: string, contestant: string, value: number): Figure {
  return { axis, case: name, contestant, unit, median: value, low: value, high: value }
}

export function find(figures: readonly Figure[], axis: string, name: string, contestant: string): Figure | undefined {
  return figures.find((one) => one.axis === axis && one.case === name && one.contestant === contestant)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

function medianOf(samples: readonly Sample[], member: 'perSecond' | 'wallMs' | 'rss') {
  const values = samples.map((sample) => sample[member]).filter((value) => value !== undefined)
  return values.length === 0 ? {} : { [member]: median(values) }
}
