/**
 * When a server that fails is tried again: pauses that grow with jitter, and a circuit breaker that opens after several
 * failures in a window and then lets one probe through at a time. Knows times only; `retry.ts` times the attempts by it.
 */

import { steadyNow } from './steady-clock.ts'

/**
 * When a server that keeps failing is tried again. Between attempts there is a pause that grows from `firstWaitMs` to
 * `longestWaitMs`; after several failures within `windowMs` the server is left alone for a longer while (the breaker is
 * open).
 */
export interface BreakerOptions {
  /** Failures within the window that open it. */
  readonly failures: number
  readonly windowMs: number
  /** How long it stays open the first time; each time after a failed probe it doubles. */
  readonly openMs: number
  readonly longestOpenMs: number
  /** A connection that stood this long was a good one: earlier failures are forgotten. */
  readonly steadyMs: number
  readonly firstWaitMs: number
  readonly longestWaitMs: number
}

const BREAKER: BreakerOptions = {
  failures: 5,
  windowMs: 60_000,
  openMs: 30_000,
  longestOpenMs: 300_000,
  steadyMs: 30_000,
  firstWaitMs: 200,
  longestWaitMs: 30_000,
}

export class Breaker {
  readonly #options: BreakerOptions
  readonly #now: () => number
  readonly #random: () => number
  #failures: number[] = []
  #standsSince: number | undefined
  #openings = 0
  #openUntil: number | undefined
  #notBefore = 0

  constructor(
    options: Partial<BreakerOptions> = {},
    now: () => number = steadyNow,
    random: () => number = Math.random,
  ) {
    this.#options = { ...BREAKER, ...options }
    this.#now = now
    this.#random = random
  }

  get options(): BreakerOptions {
    return this.#options
  }

  /** Failures that count at this moment. */
  get count(): number {
    const since = this.#now() - this.#options.windowMs
    return this.#failures.filter((at) => at > since).length
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined && this.#now() < this.#openUntil
  }

  /** The time is up, and the next attempt is the probe. */
  get isHalfOpen(): boolean {
    return this.#openUntil !== undefined && !this.isOpen
  }

  /** When the next attempt may be made, by `steadyNow`. */
  get retryAt(): number {
    return Math.max(this.#openUntil ?? 0, this.#notBefore)
  }

  /** A connection stands. */
  succeeded(): void {
    this.#standsSince = this.#now()
    this.#openUntil = undefined
    this.#notBefore = 0
  }

  /**
   * An attempt failed, or what stood is gone. True when that opened the breaker. What this process itself lacks (`isOurs`)
   * says nothing about the server: there is a pause, and nothing is counted.
   */
  failed(isOurs = false): boolean {
    const now = this.#now()
    if (isOurs) {
      this.#notBefore = Math.max(this.#notBefore, now + this.#jitter(this.#options.firstWaitMs))
      return false
    }
    const wasProbe = this.isHalfOpen
    if (this.#standsSince !== undefined && now - this.#standsSince >= this.#options.steadyMs) {
      this.#failures = []
      this.#openings = 0
    }
    this.#standsSince = undefined
    this.#failures = [...this.#failures.filter((at) => at > now - this.#options.windowMs), now]
    if (wasProbe || this.#failures.length >= this.#options.failures) {
      const { openMs, longestOpenMs } = this.#options
      this.#openUntil = now + this.#jitter(Math.min(openMs * 2 ** this.#openings, longestOpenMs))
      this.#openings++
      return true
    }
    const { firstWaitMs, longestWaitMs } = this.#options
    this.#notBefore = now + this.#jitter(Math.min(firstWaitMs * 2 ** (this.#failures.length - 1), longestWaitMs))
    return false
  }

  /** Somebody has done something about it. */
  reset(): void {
    this.#failures = []
    this.#openings = 0
    this.#openUntil = undefined
    this.#standsSince = undefined
    this.#notBefore = 0
  }

  #jitter(ms: number): number {
    return Math.round(ms * (0.8 + 0.4 * this.#random()))
  }
}
