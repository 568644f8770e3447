/**
 * Both directions of JSON-RPC over one channel: requests of the editor are answered under a signal, requests to it have an
 * end, and what is no message is refused within bounds. Knows no method; `session.ts` does.
 */

import type { JsonObject } from '@portico/sdk/client'
import { classify } from '@portico/sdk/internal'
import type { Channel, Malformed } from '@portico/sdk/transport'
import { EDITOR_LIMITS } from './protocol.ts'

type Id = string | number

/** What is told to the other side as an error: a number of JSON-RPC, a line, and a word for programs. */
export class PeerError extends Error {
  readonly rpcCode: number
  readonly data: { readonly code: string; readonly remedy?: string } | undefined

  constructor(rpcCode: number, message: string, data?: PeerError['data']) {
    super(message)
    this.name = 'PeerError'
    this.rpcCode = rpcCode
    this.data = data
  }
}

const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_UNKNOWN = -32601
export const INVALID_PARAMS = -32602
export const FAILED = -32000
export const CANCELLED = -32800

interface PeerHandlers {
  answer(method: string, params: JsonObject, call: { readonly id: Id; readonly signal: AbortSignal }): Promise<object>
  notified(method: string, params: JsonObject): void
  toError(error: unknown): PeerError
  closed(reason?: Error): void
}

interface Waiting {
  resolve(result: JsonObject): void
  reject(error: Error): void
}

export class LinePeer {
  readonly #channel: Channel
  readonly #handlers: PeerHandlers
  readonly #open = new Map<Id, AbortController>()
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #faults = 0
  #isClosed = false

  constructor(channel: Channel, handlers: PeerHandlers) {
    this.#channel = channel
    this.#handlers = handlers
  }

  /** Begins to read. Apart from the constructor, so that whoever answers can hold the peer. */
  open(): void {
    this.#channel.open({
      message: (value) => this.#take(value),
      malformed: (fault) => this.#refuse(fault),
      // The editor is gone: whoever closes its end wants no more answers.
      ended: () => this.#end(),
      closed: (reason) => this.#end(reason),
    })
  }

  notify(method: string, params: object, coalesce?: string): void {
    if (this.#isClosed) return
    const text = JSON.stringify({ jsonrpc: '2.0', method, params })
    if (coalesce === undefined) this.#channel.send(text)
    else this.#channel.send(text, 'progress', coalesce)
  }

  /** Rejects when the editor is gone, refuses, or takes longer than it may. */
  request(method: string, params: object, limitMs: number | undefined): Promise<JsonObject> {
    if (this.#isClosed) return Promise.reject(new PeerError(FAILED, 'The editor is gone', { code: 'closed' }))
    const id = ++this.#lastId
    let timer: ReturnType<typeof setTimeout> | undefined
    return new Promise<JsonObject>((resolve, reject) => {
      const late = (): void => reject(new PeerError(FAILED, 'The editor does not answer', { code: 'timeout' }))
      if (limitMs !== undefined) timer = setTimeout(late, limitMs)
      this.#waiting.set(id, { resolve, reject })
      this.#channel.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    }).finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(id)
    })
  }

  cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#open.get(id)?.abort(new DOMException('The editor cancelled it', 'AbortError'))
  }

  async close(): Promise<void> {
    await this.#channel.flush()
    this.#end()
    await this.#channel.close()
  }

  #take(value: unknown): void {
    const { kind, ...found } = classify(value)
    if (kind === 'invalid') {
      const { id, reason } = found as { readonly id: Id | null; readonly reason: string }
      this.#fault(id, INVALID_REQUEST, reason)
      return
    }
    // `classify` has said of what kind the message is.
    const { message } = found as unknown as {
      readonly message: { readonly id: Id; readonly method: string } & JsonObject
    }
    if (kind === 'response') this.#settle(message)
    else if (kind === 'notification') this.#handlers.notified(message.method, (message.params ?? {}) as JsonObject)
    else void this.#answer(message)
  }

  async #answer({ id, method, params }: { readonly id: Id; readonly method: string } & JsonObject): Promise<void> {
    if (this.#open.has(id)) return this.#fault(id, INVALID_REQUEST, 'A request with this id is under way')
    if (this.#open.size >= EDITOR_LIMITS.maxRequests) {
      return this.#reply({
        id,
        error: { code: FAILED, message: 'Too many requests are under way', data: { code: 'busy' } },
      })
    }
    const controller = new AbortController()
    this.#open.set(id, controller)
    try {
      const result = await this.#handlers.answer(method, (params ?? {}) as JsonObject, {
        id,
        signal: controller.signal,
      })
      this.#reply({ id, result })
    } catch (error) {
      const { rpcCode, message, data } = this.#handlers.toError(error)
      this.#reply({ id, error: { code: rpcCode, message, ...(data !== undefined && { data }) } })
    } finally {
      this.#open.delete(id)
    }
  }

  #reply(message: { readonly id: Id | null } & JsonObject): void {
    if (this.#isClosed) return
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    if (text.length <= EDITOR_LIMITS.maxAnswerChars) {
      this.#channel.send(text)
      return
    }
    const error = { code: FAILED, message: 'The answer is too large for an editor', data: { code: 'too-large' } }
    this.#channel.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
  }

  #settle({ id, result, error }: { readonly id: Id } & JsonObject): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    // An answer that nobody waits for any more.
    if (waiting === undefined) return
    if (error === undefined) waiting.resolve(result as JsonObject)
    else waiting.reject(new PeerError(FAILED, 'The editor refused', { code: 'refused' }))
  }

  #refuse({ kind, reason, found }: Malformed): void {
    const id = found?.isRequest === true && isId(found.id) ? found.id : null
    this.#fault(id, kind === 'limit' ? INVALID_REQUEST : PARSE_ERROR, reason)
  }

  /** Somebody who only ever sends what is no message is no editor. */
  #fault(id: Id | null, code: number, message: string): void {
    this.#reply({ id, error: { code, message } })
    if (++this.#faults >= EDITOR_LIMITS.maxFaults) this.#end(new Error('Too much came that is no message'))
  }

  #end(reason?: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const gone = new DOMException('The editor is gone', 'AbortError')
    for (const controller of this.#open.values()) controller.abort(gone)
    for (const { reject } of this.#waiting.values())
      reject(new PeerError(FAILED, 'The editor is gone', { code: 'closed' }))
    this.#handlers.closed(reason)
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
