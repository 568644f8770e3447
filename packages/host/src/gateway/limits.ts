/**
 * How much one principal may do at the gateway, and with one tool: calls in a minute, calls at a time, bytes of arguments
 * and results. Refusals say which limit it was and when to come back (sec-124).
 */

import { MinuteCounts } from './minute-counts.ts'

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

/** What a call that is under way takes of the limits. */
export interface LimitPlace {
  readonly principal: string
  /** The caller and the tool's rule, where that bounds calls at a time. */
  readonly pair: string | undefined
}

/** Limits that several gateways keep together. */
export interface SharedLimits {
  /** How many gateways there are. */
  readonly replicas: number
  /** Counts a call of a principal, of a tool for which this rule holds. */
  enter(principal: string, rule: string | undefined): LimitPlace | Promise<LimitPlace>
  leave(place: LimitPlace): void
  close(): Promise<void>
}

interface Rule {
  readonly name: string
  readonly matches: (tool: string) => boolean
  readonly rate: MinuteCounts | undefined
  readonly perMinute: number | undefined
  readonly maxConcurrent: number | undefined
}

export class CallLimits {
  readonly limits: GatewayLimits
  readonly #rate: MinuteCounts
  readonly #rules: readonly Rule[]
  readonly #running = new Map<string, number>()
  readonly #looks = new Map<string, number>()
  readonly #shared: SharedLimits | undefined
  #minuteEnds = 0

  constructor(
    limits: Partial<GatewayLimits>,
    matcher: (patterns: readonly string[]) => (name: string) => boolean,
    shared?: SharedLimits,
  ) {
    this.limits = { ...GATEWAY_LIMITS, ...limits }
    this.#rate = new MinuteCounts(this.limits.callsPerMinute)
    this.#rules = Object.entries(this.limits.tools ?? {}).map(([name, { callsPerMinute, maxConcurrent }]) => ({
      name,
      matches: matcher([name]),
      rate: callsPerMinute === undefined ? undefined : new MinuteCounts(callsPerMinute),
      perMinute: callsPerMinute,
      maxConcurrent,
    }))
    this.#shared = shared
  }

  /**
   * Counts a call, or throws; where replicas share the limits and this one has to borrow first, it is counted later. What
   * comes back is given to `leave` when the call is over.
   */
  enter(principal: string, tool: string): LimitPlace | Promise<LimitPlace> {
    if (this.#shared !== undefined) {
      return this.#shared.enter(principal, this.#rules.find(({ matches }) => matches(tool))?.name)
    }
    const { callsPerMinute, maxConcurrent } = this.limits
    consume(this.#rate, principal, `callsPerMinute (${callsPerMinute})`)
    if (this.#rules.length === 0) {
      this.#take(principal, maxConcurrent)
      return { principal, pair: undefined }
    }
    return this.#enterBoth(
      principal,
      this.#rules.find(({ matches }) => matches(tool)),
    )
  }

  leave(place: LimitPlace): void {
    if (this.#shared !== undefined) {
      this.#shared.leave(place)
      return
    }
    const { principal, pair } = place
    this.#release(principal)
    if (pair !== undefined) this.#release(pair)
  }

  /** A place within the principal's limits, and within those that a tool has besides. */
  #enterBoth(principal: string, rule: Rule | undefined): LimitPlace {
    const pair = JSON.stringify([principal, rule?.name])
    const of = ` of "${rule?.name}"`
    if (rule?.rate !== undefined) consume(rule.rate, pair, `callsPerMinute (${rule.perMinute})${of}`)
    this.#take(principal, this.limits.maxConcurrent)
    if (rule?.maxConcurrent === undefined) return { principal, pair: undefined }
    try {
      this.#take(pair, rule.maxConcurrent, of)
    } catch (error) {
      this.#release(principal)
      throw error
    }
    return { principal, pair }
  }

  /** Counts a request that is no call, or throws. */
  look(principal: string): void {
    const now = performance.now()
    if (now >= this.#minuteEnds) {
      this.#looks.clear()
      this.#minuteEnds = now + MINUTE_MS
    }
    const { listsPerMinute: all } = this.limits
    // Lists are cheap: each replica has an even part, and nothing is borrowed for them.
    const listsPerMinute = this.#shared === undefined ? all : Math.ceil(all / this.#shared.replicas)
    const count = this.#looks.get(principal) ?? 0
    if (count >= listsPerMinute) throw new LimitError(`listsPerMinute (${all})`, this.#minuteEnds - now)
    this.#looks.set(principal, count + 1)
  }

  /** Gives back what was borrowed of limits that replicas share. */
  async close(): Promise<void> {
    await this.#shared?.close()
  }

  #take(key: string, most: number, of = ''): void {
    const count = this.#running.get(key) ?? 0
    if (count >= most) throw new LimitError(`maxConcurrent (${most})${of}`, undefined)
    this.#running.set(key, count + 1)
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
  }
}

/** Counts one more in the key's minute, which begins with its first; throws when there are too many. */
/** `limit` is what the error calls it. */
function consume(counts: MinuteCounts, key: string, limit: string): void {
  const waitMs = counts.add(key)
  if (waitMs > 0) throw new LimitError(limit, waitMs)
}
