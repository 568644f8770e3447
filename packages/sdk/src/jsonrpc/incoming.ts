/**
 * A request that the other side sent and that is being worked on. Cancellation reaches it here; the abort signal that
 * handlers see is made only when one asks for it, since making one costs as much as the rest of a small call.
 */

import { IdTable } from './id-table.ts'
import { isRequestId, type JsonObject, type RequestId } from './message.ts'

export class IncomingCall {
  readonly id: RequestId
  #controller: AbortController | undefined
  #cancelled = false
  #reason: unknown
  /** Called when it is cancelled: what the signal tells, for code that runs on every call. */
  onCancel: (() => void) | undefined

  constructor(id: RequestId) {
    this.id = id
  }

  get cancelled(): boolean {
    return this.#cancelled
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Marks the call as no longer wanted: no answer will be sent, and the handler's signal fires. Idempotent. */
  cancel(reason?: unknown): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#reason = reason
    this.#controller?.abort(reason)
    this.onCancel?.()
  }

  /** Asks for the end of a request that stays open until somebody ends it: it gets its result. Others are not touched. */
  end(): void {}
}

/** The ids in flight within one scope: a pipe, a WebSocket, a session. */
export class IncomingCalls {
  /** Made for the first call that does not end at once, so that a scope without one costs next to nothing. */
  #calls: IdTable<IncomingCall> | undefined

  get size(): number {
    return this.#calls?.size ?? 0
  }

  has(id: RequestId): boolean {
    return this.#calls?.has(id) === true
  }

  add(call: IncomingCall): void {
    this.#calls ??= new IdTable()
    this.#calls.set(call.id, call)
  }

  /** Forgets a finished call. A later call under the same id is not touched. */
  remove(call: IncomingCall): void {
    if (this.#calls?.get(call.id) === call) this.#calls.delete(call.id)
  }

  /** Cancels by id; unknown ids are ignored, since the answer may already be on its way. */
  cancel(id: RequestId, reason?: unknown): boolean {
    const call = this.#calls?.get(id)
    if (call === undefined) return false
    this.#calls?.delete(id)
    call.cancel(reason)
    return true
  }

  cancelAll(reason?: unknown): void {
    for (const call of this.#calls?.values() ?? []) call.cancel(reason)
    this.#calls?.clear()
  }
}

const MAX_REASON = 200

/** Carries out a notice of cancellation: ends the call that it names, in whichever of the scopes that is. */
export function cancelNamed(params: JsonObject | undefined, ...scopes: readonly IncomingCalls[]): void {
  const { requestId, reason } = params ?? {}
  if (!isRequestId(requestId)) return
  const words = typeof reason === 'string' ? reason.slice(0, MAX_REASON) : undefined
  for (const scope of scopes) scope.cancel(requestId, words)
}
