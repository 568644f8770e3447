import { expect, it } from 'vitest'
import { percentile, runLoad, summarise } from './load-run.ts'

const never = new AbortController().signal

it('newcomer: load keeps to the number of calls and to how many run at once, and counts what failed', async () => {
  let [open, most, calls] = [0, 0, 0]
  const call = async (): Promise<string | undefined> => {
    most = Math.max(most, ++open)
    const turn = ++calls
    await new Promise((resolve) => setImmediate(resolve))
    open--
    if (turn === 3) throw new Error('lost')
    return turn % 10 === 0 ? 'refused' : undefined
  }
  const report = await runLoad({ requests: 50, concurrency: 4, durationMs: 60_000 }, call, never)
  expect([calls, most]).toEqual([50, 4])
  expect(report).toMatchObject({ calls: 50, failed: 6, errors: { lost: 1, refused: 5 } })
  expect(report.histogram.reduce((sum, row) => sum + row.calls, 0)).toBe(50)
})

it('newcomer: load begins nothing after its time, or after Ctrl-C', async () => {
  const call = async (): Promise<undefined> => undefined
  expect(await runLoad({ requests: 50, concurrency: 4, durationMs: 0 }, call, never)).toMatchObject({ calls: 0 })
  expect(await runLoad({ requests: 50, concurrency: 4, durationMs: 1000 }, call, AbortSignal.abort())).toMatchObject({
    calls: 0,
  })
})

it('newcomer: p50, p95 and p99 are ranks of the times', () => {
  const times = Array.from({ length: 100 }, (_, at) => 100 - at)
  expect(summarise(times, 0, 2, new Map())).toMatchObject({
    perSecond: 50,
    latencyMs: { p50: 50, p95: 95, p99: 99, max: 100 },
  })
  expect(percentile([], 95)).toBe(0)
})
