/**
 * Notices handlers that take longer than people and models wait: 30 s for a call, 10 s for a read, 2 s for a list.
 * `endpoint.ts` reports the beginning and end of every request; the ends are compared with the clock that is read there
 * anyway, and one shared timer looks after those that are still running. Time spent waiting for the user does not count.
 */

import { isObject } from '../jsonrpc/message.ts'
import type { ServerCall } from './call.ts'

export interface SlowTimes {
  /** `tools/call`. 30 s by default; 0 turns the watch off. */
  readonly callMs: number
  /** `resources/read`, `prompts/get` and `completion/complete`. 10 s by default. */
  readonly readMs: number
  /** The four lists. 2 s by default. */
  readonly listMs: number
}

export interface SlowReport {
  readonly method: string
  /** The tool or prompt, or the resource's URI without its query. */
  readonly name: string | undefined
  readonly elapsedMs: number
  readonly thresholdMs: number
  /** True while the handler is still at it; a second report follows when it ends. */
  readonly running: boolean
  /** What can be done about it. */
  readonly advice: string
}

export type SlowHook = (report: SlowReport) => void

export const SLOW_TIMES: SlowTimes = { callMs: 30_000, readMs: 10_000, listMs: 2_000 }

export class SlowWatch {
  readonly #thresholds: ReadonlyMap<string, number>
  readonly #sweepMs: number
  readonly #report: SlowHook
  /** Calls that did not end at once, with whether they have been reported. */
  readonly #running = new Map<ServerCall, boolean>()
  #sweeping = false

  constructor(times: Partial<SlowTimes>, report: SlowHook = createStderrReport()) {
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

  watches(method: string): boolean {
    return this.#thresholds.has(method)
  }

  /** The call did not end at once. */
  began(call: ServerCall): void {
    if (!this.#thresholds.has(call.method)) return
    this.#running.set(call, false)
    if (!this.#sweeping) this.#sweepLater()
  }

  /** The call ended, well or not. `elapsedMs` is without the time that it waited for the client. */
  ended(call: ServerCall, elapsedMs: number): void {
    const threshold = this.#thresholds.get(call.method)
    if (threshold !== undefined && elapsedMs >= threshold) this.#tell(call, elapsedMs, threshold, false)
  }

  /** Nothing more happens for the call; also for calls that were cancelled and never came to an end. */
  forget(call: ServerCall): void {
    this.#running.delete(call)
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
    for (const [call, told] of this.#running) {
      const threshold = this.#thresholds.get(call.method)
      const elapsed = call.elapsedMs(now)
      if (told || threshold === undefined || elapsed < threshold) continue
      this.#running.set(call, true)
      this.#tell(call, elapsed, threshold, true)
    }
    if (this.#running.size > 0) this.#sweepLater()
  }

  #tell(call: ServerCall, elapsed: number, thresholdMs: number, running: boolean): void {
    const { method } = call
    try {
      this.#report({
        method,
        name: nameOf(call),
        elapsedMs: Math.round(elapsed),
        thresholdMs,
        running,
        advice: adviceFor(method),
      })
    } catch {
      // A hook that throws must not take the request down with it.
    }
  }
}

/** What a request is about, without anything that may be private: arguments and queries stay out. */
export function nameOf({ sent }: ServerCall): string | undefined {
  if (typeof sent.name === 'string') return sent.name.slice(0, 128)
  return typeof sent.uri === 'string' ? sent.uri.split(/[?#]/, 1)[0]?.slice(0, 256) : undefined
}

function adviceFor(method: string): string {
  if (method === 'tools/call') {
    return 'Clients give up on calls after about 30 s: send ctx.progress while working, pass ctx.signal on, split the work, or answer with a resource link and finish it in the background.'
  }
  if (method.endsWith('/list')) {
    return 'Lists are asked for while people wait: keep what they are made of in memory, set pageSize, or give cache.lists a ttlMs.'
  }
  return 'Reads are expected within 10 s: cache what is slow to fetch, give the resource a cache hint, or split it into smaller ones.'
}

const REPEAT_MS = 60_000
const MAX_NAMES = 1_000

/** Standard error, at most once a minute for each thing that is slow. */
function createStderrReport(): SlowHook {
  const last = new Map<string, number>()
  return ({ method, name, elapsedMs, thresholdMs, running, advice }) => {
    const key = `${method} ${name ?? ''}`
    const now = performance.now()
    if (now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return
    if (last.size >= MAX_NAMES) last.clear()
    last.set(key, now)
    const state = running ? 'is still running after' : 'took'
    console.error(`[portico] ${key.trim()} ${state} ${elapsedMs} ms (more than ${thresholdMs} ms). ${advice}`)
  }
}
