/** How long a service wants to be left alone, read from what it answers. */

import type { NetworkResponse } from '../network/guarded-fetch.ts'

/** Milliseconds to wait before the same request can be sent again; undefined where the answer is about something else. */
export function waitOf(answer: Pick<NetworkResponse, 'status' | 'header'>, now = Date.now()): number | undefined {
  const { status } = answer
  if (status !== 429 && status !== 403 && status !== 503) return undefined
  const after = retryAfter(answer.header('retry-after'), now)
  if (after !== undefined) return after
  // Some say when the count begins anew, in seconds since 1970, and use 403 for it.
  if (answer.header('x-ratelimit-remaining') === '0') {
    const reset = Number(answer.header('x-ratelimit-reset'))
    if (Number.isFinite(reset) && reset > 0) return Math.max(0, reset * 1000 - now)
  }
  return status === 429 ? DEFAULT_WAIT_MS : undefined
}

const DEFAULT_WAIT_MS = 5_000

function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
