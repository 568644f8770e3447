/**
 * How often tools may be called: a bucket of calls for each principal, and for each principal and tool where a tool has
 * a rate of its own. Callers without a name share one bucket. Over HTTP a refusal is a 429.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import type { Middleware } from './middleware.ts'
import { RateError } from './rate-error.ts'

/** How many calls one caller may make in a minute. */
export interface CallRate {
  readonly callsPerMinute: number
  /** Calls that may come at once after a quiet time: as many as a minute allows unless given. */
  readonly burst?: number
}

/** How often one caller may call tools: all of them together, and single ones by name. */
export interface CallRates extends Partial<CallRate> {
  /** Rates of single tools, on top of the one for all. */
  readonly tools?: { readonly [name: string]: CallRate }
}

/**
 * Middleware for `tools/call` that refuses calls which come too often. Each principal is counted on its own; all
 * callers without one are counted together.
 *
 * @example
 * ```ts
 * import { createServer, limitCalls } from '@portico/sdk/server'
 *
 * const server = createServer({ name: 'post', version: '1.0.0' })
 * server.use('tools/call', limitCalls({ callsPerMinute: 60, burst: 10, tools: { send_mail: { callsPerMinute: 2 } } }))
 * ```
 */
export function limitCalls({ tools = {}, callsPerMinute, burst }: CallRates): Middleware<'tools/call'> {
  const all =
    callsPerMinute === undefined
      ? undefined
      : new Buckets({ callsPerMinute, ...(burst !== undefined && { burst }) }, 'callsPerMinute')
  const each = new Map(
    Object.entries(tools).map(([name, rate]) => [name, new Buckets(rate, `callsPerMinute of "${name}"`)]),
  )
  return ({ params, ctx }, next) => {
    // The request that became a task was counted when it came.
    if (ctx.task !== undefined) return next()
    const caller = ctx.principal?.id ?? ANYBODY
    const own = each.get(String(params.name))
    own?.require(caller)
    all?.take(caller)
    own?.take(caller)
    return next()
  }
}

/** No id of a principal is empty. */
export const ANYBODY = ''
const MAX_CALLERS = 10_000

/** Calls left to each caller, of the `MAX_CALLERS` that called last. */
export class Buckets {
  readonly #perMs: number
  readonly #burst: number
  readonly #option: string
  /** Longest unused first. */
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor({ callsPerMinute, burst = Math.max(1, callsPerMinute) }: CallRate, option: string) {
    if (!(callsPerMinute > 0) || !(burst >= 1))
      throw invalidDefinition(`${option} must be above 0, and burst 1 or more`)
    this.#perMs = callsPerMinute / 60_000
    this.#burst = burst
    this.#option = `${option} (${callsPerMinute})`
  }

  /** Fails when the caller has no call left, and takes none. */
  require(caller: string): void {
    const available = this.#available(caller)
    if (available < 1) throw new RateError(this.#option, Math.ceil((1 - available) / this.#perMs))
  }

  #available(caller: string): number {
    const now = performance.now()
    const { left, at } = this.#callers.get(caller) ?? { left: this.#burst, at: now }
    return Math.min(this.#burst, left + Math.max(0, now - at) * this.#perMs)
  }

  take(caller: string): void {
    this.require(caller)
    this.spend(caller, 1)
  }

  /** Takes so many, also of those to come: what was begun is not refused half way. */
  spend(caller: string, count: number): void {
    const left = this.#available(caller) - count
    this.#callers.delete(caller)
    this.#callers.set(caller, { left, at: performance.now() })
    const [oldest] = this.#callers.keys()
    if (this.#callers.size > MAX_CALLERS && oldest !== undefined) this.#callers.delete(oldest)
  }
}
