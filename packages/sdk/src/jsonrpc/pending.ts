/**
 * The requests this side has sent and not yet had answered. Both roles use it: a client for all its calls, a server
 * of the older revisions for what it asks the client. It knows nothing of how messages travel. One timer, set for the
 * call that is due first, serves them all; `deadline.ts` keeps it.
 */

import { Deadline } from './deadline.ts'
import { PorticoError, RpcError } from './errors.ts'
import { IdTable } from './id-table.ts'
import type { JsonObject, RequestId, RpcResponse } from './message.ts'

export interface PendingOptions {
  /** Milliseconds until the call fails with `timeout`; none when absent. */
  readonly timeoutMs?: number
  /** Ends the call with `aborted`. */
  readonly signal?: AbortSignal
  /** Called once when the call ends without an answer, so that the other side can be told. */
  readonly abandoned?: (id: RequestId, reason: string) => void
}

/** One call on its way. It ends in exactly one of `answered` and `failed`, neither of which may throw. */
export abstract class PendingCall {
  id: RequestId = 0
  /** When it times out, in whole milliseconds of `performance.now()`: numbers with a fraction would be objects of their own. */
  dueAt: number | undefined
  /** Undefined for no limit. */
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  onAbort: (() => void) | undefined
  abstract answered(result: JsonObject): void
  abstract failed(error: Error): void
  /** Comes before `failed` when this side gives up, so that the other side can be told. */
  abandoned(_reason: string): void {}
}

/** Outgoing calls by id. Ids are small integers that are never used twice. */
export class PendingCalls {
  readonly #waiting = new IdTable<PendingCall>()
  #deadline: Deadline | undefined
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

  get(id: RequestId): PendingCall | undefined {
    return this.#waiting.get(id)
  }

  values(): PendingCall[] {
    return this.#waiting.values()
  }

  /** Waits for the answer to `id`. The caller sends the request after this returns. */
  wait(id: RequestId, options: PendingOptions = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const call = new PromisedCall(resolve, reject, options)
      call.id = id
      this.add(call, performance.now())
    })
  }

  /**
   * Waits for the answer to a call that was made elsewhere. False when its signal had fired: it has failed and is not
   * to be sent.
   */
  add(call: PendingCall, now: number): boolean {
    const { signal } = call
    if (signal?.aborted) {
      call.failed(abortError(signal, 'not-sent'))
      return false
    }
    this.#waiting.set(call.id, call)
    if (call.timeoutMs !== undefined) this.#expect(call, call.timeoutMs, now)
    if (signal !== undefined) {
      call.onAbort = () => this.#abandon(call, abortError(signal, 'unknown'), reasonOf(signal))
      signal.addEventListener('abort', call.onAbort, { once: true })
    }
    return true
  }

  /** Starts the clock of a call anew, as progress may. */
  extend(id: RequestId, timeoutMs: number): void {
    const call = this.#waiting.get(id)
    if (call === undefined) return
    call.timeoutMs = timeoutMs
    this.#expect(call, timeoutMs, performance.now())
  }

  /** Settles a call by the peer's answer. False when no call waits on that id: late, doubled or made up. */
  settle(response: RpcResponse): boolean {
    const id = response.id
    if (id === undefined || id === null) return false
    const call = this.#take(id)
    if (call === undefined) return false
    if ('error' in response) {
      const { code, message, data } = response.error
      call.failed(new RpcError(code, message, data))
    } else {
      call.answered(response.result)
    }
    return true
  }

  /** Cancels a call that has no signal; one that does not wait any more is not touched. */
  cancel(call: PendingCall, reason: unknown): void {
    this.#abandon(call, abortError({ reason }, 'unknown'), reasonOf({ reason }))
  }

  /** Fails one call locally. */
  fail(id: RequestId, error: Error): void {
    this.#take(id)?.failed(error)
  }

  /** Fails every call: the connection is gone. */
  failAll(error: Error): void {
    for (const { id } of this.#waiting.values()) this.fail(id, error)
    this.#deadline?.clear()
  }

  #expect(call: PendingCall, timeoutMs: number, now: number): void {
    const dueAt = Math.ceil(now + timeoutMs)
    call.dueAt = dueAt
    this.#deadline ??= new Deadline((at) => this.#sweep(at))
    this.#deadline.expect(dueAt, now)
  }

  /** Ends what is due; returns when the next one is. */
  #sweep(now: number): number {
    let next = Infinity
    for (const call of this.#waiting.values()) {
      const { dueAt, timeoutMs } = call
      if (dueAt === undefined) continue
      if (dueAt > now) {
        if (dueAt < next) next = dueAt
      } else {
        const reason = `No answer within ${timeoutMs} ms`
        this.#abandon(call, new PorticoError('timeout', reason, { delivery: 'unknown' }), reason)
      }
    }
    return next
  }

  #abandon(call: PendingCall, error: Error, reason: string): void {
    if (this.#take(call.id) === undefined) return
    call.abandoned(reason)
    call.failed(error)
  }

  #take(id: RequestId): PendingCall | undefined {
    const call = this.#waiting.get(id)
    if (call === undefined) return undefined
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#deadline?.rest()
    if (call.onAbort !== undefined) call.signal?.removeEventListener('abort', call.onAbort)
    return call
  }
}

class PromisedCall extends PendingCall {
  readonly #resolve: (result: JsonObject) => void
  readonly #reject: (error: Error) => void
  readonly #abandoned: PendingOptions['abandoned']

  constructor(resolve: (result: JsonObject) => void, reject: (error: Error) => void, options: PendingOptions) {
    super()
    this.#resolve = resolve
    this.#reject = reject
    this.#abandoned = options.abandoned
    this.signal = options.signal
    this.timeoutMs = options.timeoutMs
  }

  override answered(result: JsonObject): void {
    this.#resolve(result)
  }

  override failed(error: Error): void {
    this.#reject(error)
  }

  override abandoned(reason: string): void {
    this.#abandoned?.(this.id, reason)
  }
}

const MAX_REASON = 200

/** What the other side is told. Only a text was written to be read; an error may say what is none of its business. */
function reasonOf({ reason }: Pick<AbortSignal, 'reason'>): string {
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, MAX_REASON) : 'The caller cancelled the request'
}

export function abortError({ reason }: Pick<AbortSignal, 'reason'>, delivery: 'not-sent' | 'unknown'): PorticoError {
  return new PorticoError('aborted', 'The call was cancelled', { cause: reason, delivery })
}
