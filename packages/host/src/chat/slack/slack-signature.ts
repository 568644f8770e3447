/** Whether a request over HTTP is Slack's: signed with the secret, and of this moment. That it comes once is seen to in `slack-adapter.ts`. */

import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far a request's time may be from ours. */
export const MAX_SKEW_SECONDS = 300

interface Signed {
  readonly timestamp: string | null
  readonly signature: string | null
  readonly body: string
}

/** Undefined for a request that may be believed, else why not. */
export function whyNotSlack({ timestamp, signature, body }: Signed, secret: string, now: number): string | undefined {
  if (timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp)) return 'it is not signed'
  if (Math.abs(now / 1000 - Number(timestamp)) > MAX_SKEW_SECONDS) return 'it is too old, or the clocks differ'
  const expected = Buffer.from(signSlack(secret, timestamp, body))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? undefined : 'the signature is wrong'
}

/** As Slack signs: version, time and the bytes of the body. */
export function signSlack(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
}
