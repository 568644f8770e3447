/**
 * A client made of exact JSON for tests: it opens a line to a server in either era, sends requests word for word, answers
 * the server's questions from `answers` (live on the older revisions, by retries on the newest) and shows everything it
 * saw. Every message it receives is held against the official schema (`wire-judge.ts`).
 */

import type { Principal } from '../src/auth/principal.ts'
import { isObject, type JsonObject, type RequestId } from '../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import type { Server } from '../src/server/server.ts'
import { judge } from './wire-judge.ts'
import {
  type Delivery,
  type HttpTarget,
  type Line,
  openHttpLine,
  openMemoryLine,
  openStdioLine,
  toHttpPlace,
} from './wire-lines.ts'

export const TRANSPORTS = ['memory', 'stdio', 'http', 'fetch'] as const
export type TransportName = (typeof TRANSPORTS)[number]

/** Answers a question of the server: a result, or `{ error }`. Undefined leaves it unanswered. */
export type Answer = (
  params: JsonObject,
  request: JsonObject,
) => JsonObject | undefined | Promise<JsonObject | undefined>
export type Answers = { readonly [method: string]: Answer }

export interface OpenOptions {
  readonly capabilities?: JsonObject
  readonly answers?: Answers
  /** False leaves out `initialize` and `initialized`. */
  readonly handshake?: boolean
  readonly principal?: Principal
  readonly headers?: { [name: string]: string }
  /** Arguments of the stdio fixture. */
  readonly args?: readonly string[]
}

export interface RequestOptions {
  /** Added to `_meta`. */
  readonly meta?: JsonObject
  readonly id?: RequestId
  readonly headers?: { [name: string]: string }
  readonly capabilities?: JsonObject
  /** False shows `input_required` results instead of answering them. */
  readonly rounds?: boolean
  /** Called with each message that arrives while the request is open. */
  readonly seen?: (message: JsonObject) => void
}

/** How a request ended and what was seen meanwhile. */
export interface Outcome {
  readonly response: JsonObject
  readonly result: JsonObject
  readonly error: { code: number; message: string; data?: JsonObject } | undefined
  readonly notifications: JsonObject[]
  /** Questions of the server, live or within `input_required`. */
  readonly questions: JsonObject[]
  readonly rounds: number
  /** The HTTP status, where there is one. */
  readonly status: number | undefined
}

export interface RawOptions {
  readonly headers?: { [name: string]: string }
  /** Answers of another revision are expected: they are not judged. */
  readonly foreign?: boolean
}

export interface Wire {
  readonly transport: TransportName
  readonly version: ProtocolVersion
  readonly modern: boolean
  /** The answer to `initialize`, where there was one. */
  readonly opening: JsonObject | undefined
  /** Everything received, in order. */
  readonly log: JsonObject[]
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Outcome>
  /** A request whose end is awaited elsewhere; `abort` goes away, as HTTP clients do. */
  start(
    method: string,
    params?: JsonObject,
    options?: RequestOptions,
  ): { id: RequestId; outcome: Promise<Outcome>; abort: () => void }
  notify(method: string, params?: JsonObject): Promise<void>
  /** Sends a text as it is and returns what came before the answer to a later, harmless request. */
  raw(text: string, options?: RawOptions): Promise<{ messages: unknown[]; status: number | undefined }>
  /** Resolves with the first message, past or future, that passes. */
  find(test: (message: JsonObject) => boolean): Promise<JsonObject>
  /** Resolves once the server has worked off what was sent before. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface Target extends HttpTarget {
  readonly transport: TransportName
  /** Served in memory. */
  readonly server?: Server
  /** The program of a stdio line. */
  readonly fixture?: string
}

export async function open(target: Target, version: ProtocolVersion, options: OpenOptions = {}): Promise<Wire> {
  const wire = new RawWire(target, version, options)
  if (options.handshake !== false && !wire.modern) await wire.initialize()
  return wire
}

const META = 'io.modelcontextprotocol/'
const CLIENT_INFO = { name: 'wire', version: '1.0.0' }

interface Waiter {
  readonly method: string
  resolve(message: JsonObject): void
}

class RawWire implements Wire {
  readonly transport: TransportName
  readonly version: ProtocolVersion
  readonly modern: boolean
  readonly log: JsonObject[] = []
  opening: JsonObject | undefined
  readonly #options: OpenOptions
  readonly #line: Line
  readonly #duplex: boolean
  readonly #waiting = new Map<RequestId, Waiter>()
  readonly #watchers = new Set<(message: JsonObject, batched: boolean) => void>()
  readonly #faults: string[] = []
  readonly #batches: unknown[] = []
  #session: { [name: string]: string } = {}
  #nextId = 1
  /** The revision that the server speaks, which `initialize` may have settled otherwise. */
  #judged: ProtocolVersion
  #foreign = false

  constructor(target: Target, version: ProtocolVersion, options: OpenOptions) {
    this.transport = target.transport
    this.version = version
    this.#judged = version
    this.modern = version === '2026-07-28'
    this.#options = options
    this.#duplex = target.transport === 'memory' || target.transport === 'stdio'
    this.#line = this.#openLine(target)
  }

  async initialize(): Promise<void> {
    const params = {
      protocolVersion: this.version,
      capabilities: this.#options.capabilities ?? {},
      clientInfo: CLIENT_INFO,
    }
    const { response, error } = await this.request('initialize', params)
    if (error !== undefined) throw new Error(`initialize failed: ${JSON.stringify(error)}`)
    this.opening = response.result as JsonObject
    await this.notify('notifications/initialized')
    await this.#line.listen?.({ ...this.#session, ...this.#options.headers })
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<Outcome> {
    return this.start(method, params, options).outcome
  }

  start(method: string, params: JsonObject = {}, options: RequestOptions = {}) {
    const id = options.id ?? this.#nextId++
    const going = new AbortController()
    return { id, outcome: this.#run(id, method, params, options, going.signal), abort: () => going.abort() }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const message = params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
    await this.#send(message, {})
  }

  async raw(text: string, { headers = {}, foreign = false }: RawOptions = {}) {
    this.#foreign = foreign
    const messages: unknown[] = []
    const collect = (message: unknown, batched: boolean): void => {
      if (!batched) messages.push(message)
    }
    this.#batches.length = 0
    this.#watchers.add(collect)
    const delivery = await this.#line.send(text, { ...this.#headersFor(undefined, {}), ...headers })
    if (this.#duplex) await this.settle()
    this.#watchers.delete(collect)
    this.#foreign = false
    this.#check()
    const fence = messages.findIndex((message) => isObject(message) && String(message.id).startsWith('fence-'))
    const before = fence >= 0 ? messages.slice(0, fence) : messages
    return { messages: [...this.#batches.splice(0), ...before], status: delivery?.status }
  }

  find(test: (message: JsonObject) => boolean): Promise<JsonObject> {
    const found = this.log.find(test)
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve) => {
      const watch = (message: JsonObject): void => {
        if (!test(message)) return
        this.#watchers.delete(watch)
        resolve(message)
      }
      this.#watchers.add(watch)
    })
  }

  async settle(): Promise<void> {
    const id = `fence-${this.#nextId++}`
    await this.request(this.modern ? 'server/discover' : 'ping', {}, { id })
  }

  async close(): Promise<void> {
    await this.#line.close()
    this.#check()
  }

  async #run(
    id: RequestId,
    method: string,
    params: JsonObject,
    options: RequestOptions,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const notifications: JsonObject[] = []
    const questions: JsonObject[] = []
    const watch = (message: JsonObject): void => {
      if (typeof message.method !== 'string') return
      options.seen?.(message)
      if ('id' in message) questions.push(message)
      else notifications.push(message)
    }
    this.#watchers.add(watch)
    try {
      let rounds = 0
      let sent: JsonObject = params
      for (let at = id; ; at = this.#nextId++) {
        const { response, status } = await this.#exchange(at, method, sent, options, signal)
        this.#check()
        const result = isObject(response.result) ? response.result : {}
        // The specification has the error's shape, and the judge has held the message against it.
        const error = response.error as Outcome['error']
        const asked = isObject(result.inputRequests) ? result.inputRequests : {}
        for (const question of Object.values(asked)) questions.push(question as JsonObject)
        if (result.resultType !== 'input_required' || options.rounds === false || this.#options.answers === undefined) {
          return { response, result, error, notifications, questions, rounds, status }
        }
        rounds++
        const inputResponses = await this.#answerAll(asked)
        sent = { ...params, inputResponses, requestState: result.requestState }
      }
    } finally {
      this.#watchers.delete(watch)
    }
  }

  async #exchange(id: RequestId, method: string, params: JsonObject, options: RequestOptions, signal: AbortSignal) {
    const own = isObject(params._meta) ? params._meta : {}
    const meta = { ...(this.modern && this.#envelope(options.capabilities)), ...own, ...options.meta }
    const full = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
    const message = { jsonrpc: '2.0', id, method, ...(Object.keys(full).length > 0 && { params: full }) }
    const answered = new Promise<JsonObject>((resolve) => this.#waiting.set(id, { method, resolve }))
    const seenBefore = this.log.length
    const delivered = this.#send(message, { ...this.#headersFor(method, full), ...options.headers }, signal)
    if (this.#duplex) return { response: await answered, status: undefined }
    const delivery = await delivered
    const { status, headers } = delivery ?? { status: 0, headers: new Headers() }
    const session = headers.get('mcp-session-id')
    if (session !== null) this.#session = { 'mcp-session-id': session, 'mcp-protocol-version': this.#judged }
    if (this.#waiting.delete(id)) {
      // A refusal by the transport carries no id.
      const refusal = this.log
        .slice(seenBefore)
        .find((one) => 'error' in one && (one.id === undefined || one.id === null))
      return { response: refusal ?? {}, status }
    }
    return { response: await answered, status }
  }

  #envelope(capabilities: JsonObject | undefined): JsonObject {
    return {
      [`${META}protocolVersion`]: this.version,
      [`${META}clientInfo`]: CLIENT_INFO,
      [`${META}clientCapabilities`]: capabilities ?? this.#options.capabilities ?? {},
    }
  }

  #headersFor(method: string | undefined, params: JsonObject): { [name: string]: string } {
    const base = { ...this.#session, ...this.#options.headers }
    if (!this.modern) return base
    const name =
      method === 'resources/read'
        ? params.uri
        : method === 'tools/call' || method === 'prompts/get'
          ? params.name
          : undefined
    return {
      ...base,
      'mcp-protocol-version': this.version,
      ...(method !== undefined && { 'mcp-method': method }),
      ...(typeof name === 'string' && { 'mcp-name': toHeader(name) }),
    }
  }

  #send(message: JsonObject, headers: { [name: string]: string }, signal?: AbortSignal): Promise<Delivery | undefined> {
    const method = typeof message.method === 'string' ? message.method : undefined
    const own = isObject(message.params) ? message.params : {}
    return this.#line.send(JSON.stringify(message), { ...this.#headersFor(method, own), ...headers }, signal)
  }

  #receive(value: unknown): void {
    if (Array.isArray(value)) {
      this.#batches.push(value)
      for (const one of value) this.#receiveOne(one, true)
      return
    }
    this.#receiveOne(value, false)
  }

  #agree(result: unknown): void {
    const agreed = isObject(result)
      ? PROTOCOL_VERSIONS.find((version) => version === result.protocolVersion)
      : undefined
    if (agreed !== undefined && !this.modern) this.#judged = agreed
  }

  #receiveOne(value: unknown, batched: boolean): void {
    const message = isObject(value) ? value : { malformed: value }
    // Only ids that were sent are looked up.
    const id = message.id as RequestId
    const waiter = 'method' in message ? undefined : this.#waiting.get(id)
    if (waiter?.method === 'initialize') this.#agree(message.result)
    if (waiter !== undefined || !this.#foreign) this.#faults.push(...judge(this.#judged, value, waiter?.method))
    this.log.push(message)
    for (const watch of [...this.#watchers]) watch(message, batched)
    if (waiter !== undefined) {
      this.#waiting.delete(id)
      waiter.resolve(message)
    } else if (typeof message.method === 'string' && 'id' in message) {
      void this.#answerLive(message)
    }
  }

  async #answerLive(request: JsonObject): Promise<void> {
    const response = await this.#answer(request)
    if (response === undefined) return
    const body = 'error' in response ? response : { result: response }
    await this.#send({ jsonrpc: '2.0', id: request.id, ...body }, {})
  }

  async #answerAll(requests: JsonObject): Promise<JsonObject> {
    const entries = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [key, await this.#answer(request as JsonObject)] as const),
    )
    return Object.fromEntries(entries.filter(([, answer]) => answer !== undefined))
  }

  async #answer(request: JsonObject): Promise<JsonObject | undefined> {
    const answers = this.#options.answers ?? {}
    const method = String(request.method)
    if (!Object.hasOwn(answers, method)) return { error: { code: -32601, message: 'Method not found' } }
    return answers[method]?.(isObject(request.params) ? request.params : {}, request)
  }

  #openLine(target: Target): Line {
    const receive = (value: unknown): void => this.#receive(value)
    if (target.transport === 'stdio') {
      if (target.fixture === undefined) throw new Error('stdio needs a fixture')
      return openStdioLine(target.fixture, this.#options.args ?? [], receive)
    }
    if (target.transport === 'memory') {
      if (target.server === undefined) throw new Error('memory needs a server')
      return openMemoryLine(target.server, receive, this.#options.principal)
    }
    const { url, fetchLike } = toHttpPlace(target)
    return openHttpLine(url, fetchLike, receive)
  }

  #check(): void {
    const faults = this.#faults.splice(0)
    if (faults.length > 0) throw new Error(`The official schema refuses what the server sent:\n${faults.join('\n')}`)
  }
}

/** Plain where a header can say it, base64 where not (2026-07-28, Streamable HTTP, "Value Encoding"). */
function toHeader(value: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
