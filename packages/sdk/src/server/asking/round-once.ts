/**
 * Each round of a request runs its handler once, however often the round is sent. Sits innermost, around the method
 * itself: middleware, access rules and limits see every request, also one whose outcome is known already.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { Suspended } from '../../session/suspended.ts'
import { toRpcError } from '../call/answer.ts'
import type { RoundOutcome, ServerCall } from '../call/call.ts'
import { invalidParam, type ServerMethod } from '../call/method.ts'
import { type Asker, roundKeeping } from './asking.ts'

interface RoundHost {
  readonly asker: Asker
  concealed(error: unknown, where: string): RpcError
}

/** Runs a later round of a method. */
export async function runRound(method: ServerMethod, host: RoundHost, call: ServerCall): Promise<unknown> {
  const rounds = await call.rounds
  if (rounds === undefined) return method.run(call)
  await method.admit?.(call)
  const { sealer, store } = roundKeeping(host.asker)
  const stored = await store.take(rounds.id, sealer.ttlMs, call.conversation.principal?.id).catch(refuse)
  if (stored !== undefined) return replay(host, call, JSON.parse(stored))
  call.round = {
    settle: (outcome) => {
      call.round = undefined
      void store.settle(rounds.id, JSON.stringify(outcome))
    },
    isGivenUp: (error) => endedByAbort(error, call),
  }
  try {
    const result = await method.run(call)
    call.round?.settle({ r: result })
    return result
  } catch (error) {
    // The questions that ended this run settle the round themselves.
    if (error instanceof Suspended || call.round === undefined) throw error
    if (endedByAbort(error, call)) {
      await store.release(rounds.id)
      call.round = undefined
      throw error
    }
    const shown = toRpcError(error, call.conversation.revision) ?? host.concealed(error, call.method)
    call.round.settle({ e: shown.toErrorObject() })
    throw shown
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof PorticoError) || error.code !== 'state-refused') throw error
  throw invalidParam('requestState', 'was used already, and what came of it is no longer kept')
}

function replay(host: RoundHost, call: ServerCall, { r, e, i }: RoundOutcome): unknown {
  if (e !== undefined) throw new RpcError(e.code, e.message, e.data)
  if (i === undefined) return r
  host.asker.suspend(call, i)
  throw new Suspended()
}

/** Anything else than giving up is done, and must not be done again. */
function endedByAbort(error: unknown, call: ServerCall): boolean {
  if (!call.cancelled) return false
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    if (at === call.signal.reason || at.name === 'AbortError' || code === 'ABORT_ERR' || code === 'aborted') return true
  }
  return error === call.signal.reason
}
