/** Signatures of the generic webhook, in the form of Standard Webhooks: the same both ways, so that any library for it will do. */

import { createHmac, timingSafeEqual } from 'node:crypto'

export const MAX_WEBHOOK_SKEW_SECONDS = 300

/** The three headers of a signed request. */
export interface WebhookHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** The bytes of a secret: base64 after `whsec_`, and the text itself otherwise. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}

/**
 * Signs a body as the webhook of a chat host is signed.
 *
 * @example
 * ```ts
 * import { signWebhook } from '@portico/host/chat'
 *
 * const body = JSON.stringify({ type: 'deleted', team: 'T1', channel: 'C1', message: '7' })
 * const headers = signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { id: 'msg_1', at: Date.now(), body })
 * await fetch('https://bot.example/chat/events', { method: 'POST', headers: { ...headers }, body })
 * ```
 */
export function signWebhook(
  secret: string,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): WebhookHeaders {
  const timestamp = String(Math.floor(at / 1000))
  const digest = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` }
}

/**
 * Why a request is not to be believed; undefined where it is signed with the secret and of this moment. That an id has not been
 * seen before is for the receiver to hold.
 *
 * @example
 * ```ts
 * import { checkWebhook } from '@portico/host/chat'
 *
 * async function receive(request: Request, secret: string) {
 *   const body = await request.text()
 *   const why = checkWebhook(secret, request.headers, body, Date.now())
 *   return new Response(why, { status: why === undefined ? 200 : 401 })
 * }
 * ```
 */
export function checkWebhook(secret: string, headers: Headers, body: string, now: number): string | undefined {
  const id = headers.get('webhook-id') ?? ''
  const timestamp = headers.get('webhook-timestamp') ?? ''
  const given = headers.get('webhook-signature') ?? ''
  if (id === '' || id.length > 200 || !/^\d{1,12}$/.test(timestamp) || given === '') return 'it is not signed'
  if (Math.abs(now / 1000 - Number(timestamp)) > MAX_WEBHOOK_SKEW_SECONDS) return 'it is too old, or the clocks differ'
  const expected = Buffer.from(signWebhook(secret, { id, at: Number(timestamp) * 1000, body })['webhook-signature'])
  const isRight = given
    .split(' ', 10)
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected))
  return isRight ? undefined : 'the signature is wrong'
}
