/** The refusal of a call that came too soon. Apart from what counts calls, so that only servers that count load that. */

import { INTERNAL_ERROR, isOfKind, RpcError } from '../../jsonrpc/errors.ts'

/** A call came too soon. Over HTTP it is a 429 with `Retry-After`. */
export class RateError extends RpcError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<RateError>(this, RateError, value, ({ retryAfterMs }) => typeof retryAfterMs === 'number')
  }

  readonly retryAfterMs: number

  constructor(option: string, retryAfterMs: number) {
    const seconds = Math.ceil(retryAfterMs / 1000)
    super(INTERNAL_ERROR, `Too many calls: ${option} exceeded. Try again in ${seconds} s`, { retryAfterMs })
    this.name = 'RateError'
    this.retryAfterMs = retryAfterMs
  }
}
