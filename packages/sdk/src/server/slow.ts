/**
 * Notices handlers that take longer than people and models wait: 30 s for a call, 10 s for a read, 2 s for a list.
 * `endpoint.ts` tells of every request that is not answered at once, and of its end. One shared timer looks after those
 * that are still running; a request that ends before its next look costs a place in a list and nothing more. Time spent
 * waiting for the user does not count. The words of a report are in `slow-report.ts`, loaded for the first.
 */

import { isObject } from '../jsonrpc/message.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import { onDemand } from '../jsonrpc/on-demand.ts'
import type { ServerCall } from './call/call.ts'
import type { SlowHook } from './slow-report.ts'

/** From when on a handler is called slow, in milliseconds. */
export interface SlowTimes {
  /** `tools/call`. 30 s by default; 0 turns the watch off. */
  readonly callMs: number
  /** `resources/read`, `prompts/get` and `completion/complete`. 10 s by default. */
  readonly readMs: number
  /** The four lists. 2 s by default. */
  readonly listMs: number
}

/** From when on a handler is called slow, unless other times are given. */
export const SLOW_TIMES: SlowTimes = { callMs: 30_000, readMs: 10_000, listMs: 2_000 }

/** A request that is being watched. */
interface Watched {
  readonly call: ServerCall
  readonly thresholdMs: number
  readonly since: number
  /** Whether the shared timer has looked at it, and whether it has been reported. */
  seen: boolean
  told: boolean
  before: Watched | undefined
  after: Watched | undefined
}

const loadReport = onDemand(() => import('./slow-report.ts'))

export class SlowWatch {
  readonly #thresholds: ReadonlyMap<string, number>
  readonly #sweepMs: number
  #report: SlowHook | undefined
  /** The youngest of the running requests; each knows its neighbours, so that leaving needs no search. */
  #youngest: Watched | undefined
  #sweeping = false

  constructor(times: Partial<SlowTimes>, report: SlowHook | undefined) {
    const { callMs, readMs, listMs } = { ...SLOW_TIMES, ...times }
    const table: [string, number][] = [
      ['tools/call', callMs],
      ...['resources/read', 'prompts/get', 'completion/complete'].map((method): [string, number] => [method, readMs]),
      ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map(
        (method): [string, number] => [method, listMs],
      ),
    ]
    this.#thresholds = new Map(table.filter(([, ms]) => ms > 0))
    this.#sweepMs = Math.max(10, Math.min(...this.#thresholds.values(), 60_000) / 2)
    this.#report = report
  }

  /** The call did not end at once. */
  began(call: ServerCall): Watched | undefined {
    const thresholdMs = this.#thresholds.get(call.method)
    if (thresholdMs === undefined) return undefined
    const after = this.#youngest
    const since = performance.now()
    const watched: Watched = { call, thresholdMs, since, seen: false, told: false, before: undefined, after }
    if (after !== undefined) after.before = watched
    this.#youngest = watched
    if (!this.#sweeping) this.#sweepLater()
    return watched
  }

  /** The handler has come to an end, well or not; also long after its call was cancelled. */
  ended(watched: Watched): void {
    const { before, after } = watched
    if (before === undefined) this.#youngest = after
    else before.after = after
    if (after !== undefined) after.before = before
    // What the timer has not seen is younger than any threshold.
    if (watched.seen) this.#judge(watched, performance.now(), false)
  }

  #sweepLater(): void {
    this.#sweeping = true
    const timer: unknown = setTimeout(() => this.#sweep(), this.#sweepMs)
    // Where a timer keeps the process alive, this one must not.
    if (isObject(timer) && typeof timer.unref === 'function') timer.unref()
  }

  #sweep(): void {
    this.#sweeping = false
    const now = performance.now()
    for (let watched = this.#youngest; watched !== undefined; watched = watched.after) {
      watched.seen = true
      if (!watched.told) watched.told = this.#judge(watched, now, true)
    }
    if (this.#youngest !== undefined) this.#sweepLater()
  }

  /** Reports the request if it is over its time. */
  #judge({ call, since, thresholdMs }: Watched, now: number, running: boolean): boolean {
    const elapsed = now - since - call.waitedMs(now)
    if (elapsed < thresholdMs) return false
    const tell = ({ toReport, createStderrReport }: Awaited<ReturnType<typeof loadReport>>): void => {
      this.#report ??= createStderrReport()
      const report = this.#report
      tellObserver(() => report(toReport(call, { elapsedMs: Math.round(elapsed), thresholdMs, running })))
    }
    const loaded = loadReport()
    if (loaded instanceof Promise) loaded.then(tell, () => {})
    else tell(loaded)
    return true
  }
}
