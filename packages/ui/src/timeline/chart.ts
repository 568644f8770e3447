/** Numbers of the charts: even steps for an axis, places for bars and lines. */

interface Axis {
  readonly max: number
  readonly ticks: readonly number[]
}

/** From 0 to a round number at or above `max`, in three to six steps. */
export function axisFor(max: number): Axis {
  if (max <= 0) return { max: 1, ticks: [0, 1] }
  const rough = max / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power
  const count = Math.ceil(max / step - 1e-9)
  return {
    max: step * count,
    ticks: Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12))),
  }
}

/** The last hour, minute by minute, with those in which nothing happened. */
export function fillMinutes<M extends { readonly at: number }>(
  minutes: readonly M[],
  blank: (at: number) => M,
  count = 60,
): readonly M[] {
  const last = Math.max(...minutes.map(({ at }) => at))
  if (!Number.isFinite(last)) return []
  const first = Math.max(Math.min(...minutes.map(({ at }) => at)), last - (count - 1) * MINUTE)
  const start = Math.min(first, last - 9 * MINUTE)
  const byMinute = new Map(minutes.map((minute) => [Math.floor(minute.at / MINUTE), minute]))
  const places = Math.round((last - start) / MINUTE) + 1
  return Array.from({ length: places }, (_, place) => {
    const at = start + place * MINUTE
    return byMinute.get(Math.floor(at / MINUTE)) ?? blank(at)
  })
}

const MINUTE = 60_000
