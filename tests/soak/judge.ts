/** Whether what a process holds grows: the line through what was counted while it worked, and what was left afterwards. */

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
  return Object.keys(after.counts).map((name) => {
    const [was, is] = [before.counts[name] ?? 0, after.counts[name] ?? 0]
    const slope = slopeOf(during.flatMap(({ at, counts }) => (name in counts ? [[at / HOUR, counts[name] ?? 0]] : [])))
    const gain = GAIN[name]
    const bound = gain === undefined ? undefined : Math.max(PER_HOUR, (gain * HOUR) / minutes)
    const mayStay = MAY_STAY[name] ?? 0
    const isSteady = bound === undefined || slope === undefined || slope.value - slope.margin <= bound
    return { name, before: was, after: is, mayStay, slope, bound, holds: is - was <= mayStay && isSteady }
  })
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
