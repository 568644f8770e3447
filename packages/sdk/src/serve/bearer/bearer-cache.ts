/**
 * Verified tokens for a short while, so that a busy client does not cost a signature check or a question to the issuer
 * with each request. Bounded in number and time, and never beyond a token's own expiry.
 */

import { RecentTokens } from '../../auth/verify/recent-tokens.ts'

const MAX_TOKENS = 1000

export class TokenCache<Known extends object> {
  readonly #keepMs: number
  readonly #known = new RecentTokens<Known>(MAX_TOKENS)
  readonly #pending = new Map<string, Promise<unknown>>()

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  get(token: string): Known | undefined {
    return this.#known.get(token)
  }

  /** `expiresAt` in seconds since 1970. */
  set(token: string, value: Known, expiresAt: number | undefined): void {
    const until = Math.min(Date.now() + this.#keepMs, (expiresAt ?? Number.POSITIVE_INFINITY) * 1000)
    if (until > Date.now()) this.#known.set(token, value, until)
  }

  /** Runs `work` for a token, or waits for the run that is under way. */
  join<T>(token: string, work: () => Promise<T>): Promise<T> {
    const running = this.#pending.get(token)
    // One cache has one kind of work: what waits under a token is what `work` would return.
    if (running !== undefined) return running as Promise<T>
    const started = work().finally(() => this.#pending.delete(token))
    this.#pending.set(token, started)
    return started
  }
}
