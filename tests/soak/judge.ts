/**
 * Whether what a process holds grows: the line through what was counted while it worked, and what was left afterwards. And whether
 * calls ended as they must.
 */

import type { Outcomes } from './load.ts'

export interface Sample {
  /** Minutes since the beginning. */
  readonly at: number
  readonly counts: { readonly [name: string]: number }
}

/**
 * What may be left more than there was, by name; nothing unless named. A host connects and listens again by itself, so the
 * moment decides about a connection more or less; what a fault or a call leaves is there as often as they were.
 */
const MAY_STAY: { readonly [name: string]: number } = {
  'data MiB': 4,
  // As much as the functions that were used come to: the source is its bound.
  'code MiB': Number.POSITIVE_INFINITY,
  descriptors: 3,
  timers: 6,
  emitters: 12,
  // Pages that were used once stay with the process.
  'resident MiB': Number.POSITIVE_INFINITY,
}

/** What may be gained in a run, however short, before the bound of an hour counts. */
const GAIN: { readonly [name: string]: number } = { 'data MiB': 4, 'resident MiB': 64 }
/** Of the calls that were sent so many must be answered, whatever breaks beside them: in twenty minutes 96 % are. */
const ANSWERED = 0.8
/** And so many must have been sent at all: what is withheld on a busy machine is a part, not the most. */
const SENT = 0.5
/** So many may end with their timeout, or a few where there were not many: what is lost is told long before. */
const TIMED_OUT = 0.005
const A_FEW = 3
const PER_HOUR = 1
const HOUR = 60

export interface Judgement {
  readonly name: string
  readonly before: number
  readonly after: number
  readonly mayStay: number
  /** By the hour, with how far off it may be; undefined where there were too few samples. */
  readonly slope: Slope | undefined
  /** What the slope may be. Counts go up and down with the load: for them, what is left decides. */
  readonly bound: number | undefined
  readonly holds: boolean
}

export interface Slope {
  readonly value: number
  readonly margin: number
}

export function judge(before: Sample, all: readonly Sample[], after: Sample): Judgement[] {
  // A process at work holds more than one at rest: how it comes to that is no slope.
  const during = all.slice(Math.floor(all.length / 4))
  const minutes = (during.at(-1)?.at ?? 0) - (during[0]?.at ?? 0)
  return [...new Set([...Object.keys(before.counts), ...Object.keys(after.counts)])].map((name) => {
    // What is no longer counted is no number, and does not hold.
    const [was, is] = [before.counts[name] ?? 0, after.counts[name] ?? Number.NaN]
    const slope = slopeOf(during.flatMap(({ at, counts }) => (name in counts ? [[at / HOUR, counts[name] ?? 0]] : [])))
    const gain = GAIN[name]
    const bound = gain === undefined ? undefined : Math.max(PER_HOUR, (gain * HOUR) / minutes)
    const mayStay = MAY_STAY[name] ?? 0
    const isSteady = bound === undefined || slope === undefined || slope.value - slope.margin <= bound
    return { name, before: was, after: is, mayStay, slope, bound, holds: is - was <= mayStay && isSteady }
  })
}

/** What is wrong with how the calls of a load ended, in words. */
export function complaintsOf(outcomes: Outcomes, least = ANSWERED): string[] {
  const { sent, answered, withheld, wrong, hung, failed } = outcomes
  const late = failed.get('timeout') ?? 0
  const untyped = failed.get('untyped') ?? 0
  return [
    ...(wrong > 0 ? [`${wrong} had the answer of another`] : []),
    ...(hung > 0 ? [`${hung} had no end`] : []),
    ...(untyped > 0 ? [`${untyped} failed without a type`] : []),
    ...(late > Math.max(A_FEW, sent * TIMED_OUT) ? [`${late} of ${sent} ended with their timeout`] : []),
    ...(answered > 0 && answered >= sent * least ? [] : [`${answered} of ${sent} were answered`]),
    ...(sent >= (sent + withheld) * SENT ? [] : [`${withheld} were withheld, ${sent} sent`]),
  ]
}

/** By least squares; the margin is two standard errors. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope | undefined {
  const count = points.length
  if (count < 4) return undefined
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / count
  const [middleX, middleY] = [mean(0), mean(1)]
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  if (spread === 0) return undefined
  const value = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread
  const rest = points.reduce((sum, [x, y]) => sum + (y - middleY - value * (x - middleX)) ** 2, 0)
  return { value, margin: 2 * Math.sqrt(rest / (count - 2) / spread) }
}

export function toRows(judgements: readonly Judgement[]): string[][] {
  const head = ['', 'before', 'after', 'may stay', 'slope per hour', 'bound', '']
  return [head, ...judgements.map(toRow)]
}

function toRow({ name, before, after, mayStay, slope, bound, holds }: Judgement): string[] {
  const sloping = slope === undefined ? '–' : `${short(slope.value)} ± ${short(slope.margin)}`
  const limit = Number.isFinite(mayStay) ? `+${mayStay}` : 'any'
  const line = bound === undefined ? '–' : short(bound)
  return [name, short(before), short(after), limit, sloping, line, holds ? 'held' : 'NOT HELD']
}

function short(value: number): string {
  return Number.isInteger(value) ? `${value}` : value.toFixed(1)
}
