/**
 * How much one principal may do at the gateway, and with one tool: calls in a minute, calls at a time, bytes of arguments
 * and results. Refusals say which limit it was and when to come back (sec-124).
 */

import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/** How much one caller (principal) of a gateway may use. */
export interface GatewayLimits {
  /** Calls in a minute, of one principal. */
  readonly callsPerMinute: number
  /** Calls at a time, of one principal. */
  readonly maxConcurrent: number
  /** Requests in a minute, of one principal, that are no calls: lists, completions, subscriptions. */
  readonly listsPerMinute: number
  /** Connections to one server at a time, of one principal: each session of an older client has one, and a process. */
  readonly maxConnections: number
  /** Bytes of one call's arguments; 0 leaves it to what the transport takes. */
  readonly maxArgumentBytes: number
  /** Bytes of one result; 0 is no limit. */
  readonly maxResultBytes: number
  /** Tighter limits for tools, by name or pattern. The first that matches counts, besides those of the principal. */
  readonly tools?: { readonly [pattern: string]: ToolLimits }
}

/** Limits for the tools whose names match a pattern, of one caller. */
export interface ToolLimits {
  readonly callsPerMinute?: number
  readonly maxConcurrent?: number
}

/** The limits that hold for each caller of a gateway where its options give no others. */
export const GATEWAY_LIMITS: GatewayLimits = {
  callsPerMinute: 6_000,
  maxConcurrent: 256,
  listsPerMinute: 6_000,
  maxConnections: 64,
  maxArgumentBytes: 0,
  maxResultBytes: 0,
}

/** Thrown for a call beyond a limit. */
export class LimitError extends Error {
  readonly limit: string
  readonly retryAfterMs: number | undefined

  constructor(limit: string, retryAfterMs: number | undefined) {
    const when = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
    super(`The gateway's limit ${limit} is exceeded.${when}`)
    this.name = 'LimitError'
    this.limit = limit
    this.retryAfterMs = retryAfterMs
  }
}

const MINUTE_MS = 60_000

interface Rule {
  readonly name: string
  readonly matches: (tool: string) => boolean
  readonly rate: RateLimiterMemory | undefined
  readonly perMinute: number | undefined
  readonly maxConcurrent: number | undefined
}

export class LimitBook {
  readonly limits: GatewayLimits
  readonly #rate: RateLimiterMemory
  readonly #rules: readonly Rule[]
  readonly #running = new Map<string, number>()
  readonly #looks = new Map<string, number>()
  #minuteEnds = 0

  constructor(limits: Partial<GatewayLimits>, matcher: (patterns: readonly string[]) => (name: string) => boolean) {
    this.limits = { ...GATEWAY_LIMITS, ...limits }
    this.#rate = new RateLimiterMemory({ points: this.limits.callsPerMinute, duration: 60 })
    this.#rules = Object.entries(this.limits.tools ?? {}).map(([name, { callsPerMinute, maxConcurrent }]) => ({
      name,
      matches: matcher([name]),
      rate: callsPerMinute === undefined ? undefined : new RateLimiterMemory({ points: callsPerMinute, duration: 60 }),
      perMinute: callsPerMinute,
      maxConcurrent,
    }))
  }

  /** Counts a call, or throws. The function that comes back is called when the call is over. */
  async enter(principal: string, tool: string): Promise<() => void> {
    const { callsPerMinute, maxConcurrent } = this.limits
    const rule = this.#rules.find(({ matches }) => matches(tool))
    await consume(this.#rate, principal, `callsPerMinute (${callsPerMinute})`)
    const pair = JSON.stringify([principal, rule?.name])
    if (rule?.rate !== undefined) {
      await consume(rule.rate, pair, `callsPerMinute (${rule.perMinute}) of "${rule.name}"`)
    }
    const leave = [this.#take(principal, maxConcurrent, `maxConcurrent (${maxConcurrent})`)]
    try {
      if (rule?.maxConcurrent !== undefined) {
        const limit = `maxConcurrent (${rule.maxConcurrent}) of "${rule.name}"`
        leave.push(this.#take(pair, rule.maxConcurrent, limit))
      }
    } catch (error) {
      leave[0]?.()
      throw error
    }
    return () => {
      for (const one of leave.splice(0)) one()
    }
  }

  /** Counts a request that is no call, or throws. */
  look(principal: string): void {
    const now = performance.now()
    if (now >= this.#minuteEnds) {
      this.#looks.clear()
      this.#minuteEnds = now + MINUTE_MS
    }
    const { listsPerMinute } = this.limits
    const count = this.#looks.get(principal) ?? 0
    if (count >= listsPerMinute) throw new LimitError(`listsPerMinute (${listsPerMinute})`, this.#minuteEnds - now)
    this.#looks.set(principal, count + 1)
  }

  #take(key: string, most: number, limit: string): () => void {
    const count = this.#running.get(key) ?? 0
    if (count >= most) throw new LimitError(limit, undefined)
    this.#running.set(key, count + 1)
    return () => {
      const left = (this.#running.get(key) ?? 1) - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
    }
  }
}

async function consume(limiter: RateLimiterMemory, key: string, limit: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (reason) {
    if (reason instanceof Error) throw reason
    // The limiter rejects with its own count of things when there is none left.
    throw new LimitError(limit, (reason as RateLimiterRes).msBeforeNext)
  }
}
