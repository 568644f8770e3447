/** Many calls, so many at a time and so many a second, within bounds of number and time; and what came of them. */

import { setTimeout as pause } from 'node:timers/promises'

export interface LoadPlan {
  /** How many calls at most. */
  readonly requests: number
  readonly concurrency: number
  /** Calls begun in a second; as fast as they go unless given. */
  readonly rate?: number
  /** No call begins after this. */
  readonly durationMs: number
}

export interface LoadReport {
  readonly calls: number
  readonly failed: number
  readonly seconds: number
  readonly perSecond: number
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number; readonly max: number }
  readonly histogram: readonly { readonly upToMs: number; readonly calls: number }[]
  /** The first few different errors, with how often each came. */
  readonly errors: { readonly [message: string]: number }
}

const MAX_ERRORS = 5

/** `call` resolves with what went wrong, or with nothing. Ends early when the signal fires. */
export async function runLoad(
  plan: LoadPlan,
  call: () => Promise<string | undefined>,
  signal: AbortSignal,
  onStep: (calls: number) => void = () => {},
): Promise<LoadReport> {
  const times: number[] = []
  const errors = new Map<string, number>()
  const started = performance.now()
  let begun = 0
  let failed = 0
  const work = async (): Promise<void> => {
    while (begun < plan.requests && !signal.aborted) {
      const turn = begun++
      const waitMs = plan.rate === undefined ? 0 : started + (turn * 1000) / plan.rate - performance.now()
      // A run that is ended meanwhile begins no further call.
      if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => {})
      if (performance.now() - started >= plan.durationMs || signal.aborted) return
      const from = performance.now()
      const error = await call().catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)))
      // What was cancelled with the whole says nothing about the server.
      if (signal.aborted) return
      times.push(performance.now() - from)
      onStep(times.length)
      if (error === undefined) continue
      failed++
      if (errors.size < MAX_ERRORS || errors.has(error)) errors.set(error, (errors.get(error) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(plan.concurrency, plan.requests) }, work))
  return summarise(times, failed, (performance.now() - started) / 1000, errors)
}

/** By nearest rank: the smallest time that so many of a hundred calls stay within. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0
}

export function summarise(
  times: readonly number[],
  failed: number,
  seconds: number,
  errors: ReadonlyMap<string, number>,
): LoadReport {
  const sorted = [...times].sort((a, b) => a - b)
  const [p50, p95, p99] = [percentile(sorted, 50), percentile(sorted, 95), percentile(sorted, 99)]
  return {
    calls: times.length,
    failed,
    seconds,
    perSecond: seconds === 0 ? 0 : times.length / seconds,
    latencyMs: { p50, p95, p99, max: sorted.at(-1) ?? 0 },
    histogram: histogramOf(sorted),
    errors: Object.fromEntries(errors),
  }
}

/** Steps of 1, 2, 5, 10, 20, 50 … milliseconds, from the first that holds a call to the last. */
function histogramOf(sorted: readonly number[]): LoadReport['histogram'] {
  const bounds = Array.from({ length: 18 }, (_, at) => 10 ** Math.floor(at / 3) * ([1, 2, 5][at % 3] ?? 1))
  const rows = bounds.map((upToMs, at) => {
    const above = bounds[at - 1] ?? -1
    return { upToMs, calls: sorted.filter((time) => time > above && time <= upToMs).length }
  })
  const first = rows.findIndex(({ calls }) => calls > 0)
  const last = rows.findLastIndex(({ calls }) => calls > 0)
  return first < 0 ? [] : rows.slice(first, last + 1)
}
