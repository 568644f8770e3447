/**
 * What was asked and answered in a recording: requests of the client paired with their final answers. Rounds of a call
 * that only asked for input are left out; the answer after them counts.
 */

import type { JsonObject } from '@portico/sdk/client'
import { isObject, toCanonicalJson } from '@portico/sdk/internal'
import type { RecordedMessage } from './format.ts'

export interface Exchange {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  readonly at: number
  readonly durationMs: number
  readonly outcome: Outcome
}

export type Outcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

const MAX_OPEN = 10_000

export function exchangesOf(messages: readonly RecordedMessage[]): Exchange[] {
  const open = new Map<string, RecordedMessage>()
  const exchanges: Exchange[] = []
  for (const recorded of messages) {
    const { server, connection, direction, message, at } = recorded
    const { id, method } = message
    if (typeof id !== 'string' && typeof id !== 'number') continue
    const key = JSON.stringify([server, connection, id])
    if (direction === 'out' && typeof method === 'string') {
      if (open.size < MAX_OPEN) open.set(key, recorded)
      continue
    }
    const request = direction === 'in' ? open.get(key) : undefined
    const outcome = toOutcome(message)
    if (request === undefined || outcome === undefined) continue
    open.delete(key)
    exchanges.push({
      server,
      // Only requests are kept, and those have a method.
      method: request.message.method as string,
      params: isObject(request.message.params) ? request.message.params : {},
      at: request.at,
      durationMs: at - request.at,
      outcome,
    })
  }
  return exchanges.filter(({ outcome }) => !('result' in outcome) || outcome.result.resultType !== 'input_required')
}

/** The same text for the same question, whatever the order of members; undefined for what cannot be asked again. */
export function questionKey(method: string, params: JsonObject): string | undefined {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return toCanonicalJson([method, params.name ?? null, params.arguments ?? {}])
    case 'resources/read':
      return toCanonicalJson([method, params.uri ?? null])
    case 'completion/complete':
      return toCanonicalJson([method, params.ref ?? null, params.argument ?? null, params.context ?? null])
    default:
      return undefined
  }
}

function toOutcome({ result, error, method }: JsonObject): Outcome | undefined {
  if (method !== undefined) return undefined
  if (isObject(result)) return { result }
  if (!isObject(error)) return undefined
  const { code, message, data } = error
  return { error: { code: typeof code === 'number' ? code : -32603, message: String(message), data } }
}
