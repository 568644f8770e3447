/**
 * The requests this side has sent and not yet had answered. Both roles use it: a client for all its calls, a server
 * of the older revisions for what it asks the client. It knows nothing of how messages travel.
 */

import { PorticoError, RpcError } from './errors.ts'
import type { JsonObject, RequestId, RpcResponse } from './message.ts'

export interface PendingOptions {
  /** Milliseconds until the call fails with `timeout`; none when absent. */
  readonly timeoutMs?: number
  /** Ends the call with `aborted`. */
  readonly signal?: AbortSignal
  /** Called once when the call ends without an answer, so that the other side can be told. */
  readonly abandoned?: (id: RequestId, reason: string) => void
}

interface Waiter {
  resolve(result: JsonObject): void
  reject(error: Error): void
  timer: ReturnType<typeof setTimeout> | undefined
  options: PendingOptions
  onAbort: (() => void) | undefined
}

/** Outgoing calls by id. Ids are small integers that are never used twice. */
export class PendingCalls {
  readonly #waiting = new Map<RequestId, Waiter>()
  #nextId: number

  constructor(firstId = 1) {
    this.#nextId = firstId
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Takes the next id without waiting on it; `wait` does that. */
  nextId(): number {
    return this.#nextId++
  }

  /** Waits for the answer to `id`. The caller sends the request after this returns. */
  wait(id: RequestId, options: PendingOptions = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, timer: undefined, options, onAbort: undefined }
      const { signal, timeoutMs } = options
      if (signal?.aborted) {
        reject(abortError(signal, 'not-sent'))
        return
      }
      this.#waiting.set(id, waiter)
      if (timeoutMs !== undefined) waiter.timer = this.#startTimer(id, timeoutMs)
      if (signal !== undefined) {
        waiter.onAbort = () => this.#abandon(id, abortError(signal, 'unknown'), 'The caller cancelled the request')
        signal.addEventListener('abort', waiter.onAbort, { once: true })
      }
    })
  }

  /** Starts the clock of a call anew, as progress may. */
  extend(id: RequestId, timeoutMs: number): void {
    const waiter = this.#waiting.get(id)
    if (waiter === undefined) return
    clearTimeout(waiter.timer)
    waiter.timer = this.#startTimer(id, timeoutMs)
  }

  /** Settles a call by the peer's answer. False when no call waits on that id: late, doubled or made up. */
  settle(response: RpcResponse): boolean {
    const id = response.id
    if (id === undefined || id === null) return false
    const waiter = this.#take(id)
    if (waiter === undefined) return false
    if ('error' in response) {
      const { code, message, data } = response.error
      waiter.reject(new RpcError(code, message, data))
    } else {
      waiter.resolve(response.result)
    }
    return true
  }

  /** Fails one call locally. */
  fail(id: RequestId, error: Error): void {
    this.#take(id)?.reject(error)
  }

  /** Fails every call: the connection is gone. */
  failAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.fail(id, error)
  }

  #startTimer(id: RequestId, timeoutMs: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const error = new PorticoError('timeout', `No answer within ${timeoutMs} ms`, { delivery: 'unknown' })
      this.#abandon(id, error, `No answer within ${timeoutMs} ms`)
    }, timeoutMs)
  }

  #abandon(id: RequestId, error: Error, reason: string): void {
    const waiter = this.#take(id)
    if (waiter === undefined) return
    waiter.options.abandoned?.(id, reason)
    waiter.reject(error)
  }

  #take(id: RequestId): Waiter | undefined {
    const waiter = this.#waiting.get(id)
    if (waiter === undefined) return undefined
    this.#waiting.delete(id)
    clearTimeout(waiter.timer)
    if (waiter.onAbort !== undefined) waiter.options.signal?.removeEventListener('abort', waiter.onAbort)
    return waiter
  }
}

function abortError(signal: AbortSignal, delivery: 'not-sent' | 'unknown'): PorticoError {
  return new PorticoError('aborted', 'The call was cancelled', { cause: signal.reason, delivery })
}
