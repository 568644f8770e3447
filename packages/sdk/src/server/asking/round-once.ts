/**
 * Each round of a request runs its handler once, however often the round is sent. Sits innermost, around the method
 * itself: middleware, access rules and limits see every request, also one whose outcome is known already.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject, RpcErrorObject } from '../../jsonrpc/message.ts'
import type { RoundStore } from '../../session/round-store.ts'
import { Suspended } from '../../session/rounds.ts'
import type { StateSealer } from '../../session/sealed-state.ts'
import { toRpcError } from '../call/answer.ts'
import type { ServerCall } from '../call/call.ts'
import { invalidParam, type ServerMethod } from '../call/method.ts'
import type { Asker } from './asking.ts'

/** How a round ended: with a result, an error, or further questions. */
interface RoundOutcome {
  r?: unknown
  e?: RpcErrorObject
  i?: { inputRequests: JsonObject; requestState: string }
}

interface RoundHost {
  readonly roundStore: RoundStore
  readonly sealer: StateSealer
  readonly asker: Asker
  concealed(error: unknown, where: string): RpcError
}

/** The method as later rounds run it. */
export function oncePerRound(method: ServerMethod, host: RoundHost): ServerMethod {
  return {
    ...method,
    run: async (call) => {
      const rounds = await call.rounds
      if (rounds === undefined) return method.run(call)
      await method.admit?.(call)
      const stored = await host.roundStore
        .take(rounds.id, host.sealer.ttlMs, call.conversation.principal?.id)
        .catch(refuse)
      if (stored !== undefined) return replay(host, call, JSON.parse(stored))
      call.round = rounds.id
      return runOnce(method, host, call)
    },
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof PorticoError) || error.code !== 'state-refused') throw error
  throw invalidParam('requestState', 'was used already, and what came of it is no longer kept')
}

async function runOnce(method: ServerMethod, host: RoundHost, call: ServerCall): Promise<unknown> {
  try {
    const result = await method.run(call)
    settleRound(host, call, { r: result })
    return result
  } catch (error) {
    // The questions that ended this run settle the round themselves.
    if (error instanceof Suspended || call.round === undefined) throw error
    if (endedByAbort(error, call)) {
      await host.roundStore.release(call.round)
      call.round = undefined
      throw error
    }
    const shown = toRpcError(error, call.conversation.revision) ?? host.concealed(error, call.method)
    settleRound(host, call, { e: shown.toErrorObject() })
    throw shown
  }
}

/** Keeps the outcome of the round that the call has taken, if it has: also when nobody waits for the answer any more. */
export function settleRound(host: Pick<RoundHost, 'roundStore'>, call: ServerCall, outcome: RoundOutcome): void {
  if (call.round === undefined) return
  const text = JSON.stringify(outcome)
  void host.roundStore.settle(call.round, text)
  call.round = undefined
}

function replay(host: RoundHost, call: ServerCall, { r, e, i }: RoundOutcome): unknown {
  if (e !== undefined) throw new RpcError(e.code, e.message, e.data)
  if (i === undefined) return r
  host.asker.suspend(call, i)
  throw new Suspended()
}

/** Whether the handler gave up because it was told to. Anything else it did is done, and must not be done again. */
export function endedByAbort(error: unknown, call: ServerCall): boolean {
  if (!call.cancelled) return false
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    if (at === call.signal.reason || at.name === 'AbortError' || code === 'ABORT_ERR' || code === 'aborted') return true
  }
  return error === call.signal.reason
}
