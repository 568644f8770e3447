/**
 * The `-32042` of 2025-11-25 for clients that do not know it: a server that wants URLs visited before it works gets its
 * visits by questions of the newest revision, and is then called again. Clients that know the error are given it as it is.
 */

import { URL_ELICITATION_REQUIRED } from '@portico/sdk/internal'
import { type JsonObject, RpcError } from '@portico/sdk/server'
import type { RelayedCall } from '../call/relayed-call.ts'
import type { CallerConnection } from '../connections/caller-connection.ts'

/** Bounds for a server that wants its user to open a URL before it answers a call. */
export interface VisitLimits {
  /** How often a server may ask for visits within one call. */
  readonly maxVisits: number
  /** How long after the person's consent the end of the visit is waited for before the server is called again. */
  readonly visitMs: number
}

export async function withVisits<Result>(
  send: () => Promise<Result>,
  call: RelayedCall,
  connection: CallerConnection,
  { maxVisits, visitMs }: VisitLimits,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await send()
    } catch (error) {
      const wanted = requiredUrls(error)
      if (wanted === undefined || tries >= maxVisits || call.cancelled) throw error
      for (const params of wanted) {
        const { elicitationId } = params
        const over = typeof elicitationId === 'string' ? connection.visited(elicitationId) : undefined
        const { action } = await call.question('elicitation/create', params)
        if (action !== 'accept') throw error
        if (over !== undefined) await atMost(over, visitMs, call.signal)
      }
    }
  }
}

function requiredUrls(error: unknown): JsonObject[] | undefined {
  if (!(error instanceof RpcError) || error.rpcCode !== URL_ELICITATION_REQUIRED) return undefined
  const { elicitations } = (error.data ?? {}) as { elicitations?: unknown }
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_URLS) return undefined
  const isVisit = (item: unknown): item is JsonObject =>
    typeof item === 'object' && item !== null && (item as JsonObject).mode === 'url'
  return elicitations.every(isVisit) ? elicitations : undefined
}

const MAX_URLS = 16

async function atMost(event: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([event, late])
  clearTimeout(timer)
}
