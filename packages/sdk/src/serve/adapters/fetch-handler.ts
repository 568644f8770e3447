/**
 * An endpoint behind the web's own `Request` and `Response`: how a body is read and a reply written, and nothing else.
 * What is answered is decided in `streamable.ts`. Nothing of Node is used.
 */

import { RECEIVE_SHARE, type Receiving } from '../../framing/receiving.ts'
import { Sending } from '../../framing/sending.ts'
import { decodeUtf8 } from '../../framing/utf8.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { PeerCertificate, RequestHead } from '../../session/exchange.ts'
import type { HeaderList, Reply, ReplyLimits, ReplyWatcher, StreamWriter } from '../../transport/http-reply.ts'
import type { Body, HttpRequest } from '../streamable/http-request.ts'
import { Streamable } from '../streamable/streamable.ts'
import { STREAMABLE_OPTIONS, type StreamableOptions } from '../streamable/streamable-options.ts'
import { WebStreamWriter } from './fetch-stream.ts'

/** Answers web requests, and can be closed. */
export interface FetchHandler {
  fetch(request: Request, info?: FetchInfo): Promise<Response>
  /** Refuses new requests, lets those under way finish within `graceMs` (10 s), then ends sessions and streams. */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What the platform knows of a request beyond the request itself. */
interface FetchInfo {
  readonly peerCertificate?: PeerCertificate
}

export function createFetchHandler(endpoint: Endpoint, options: StreamableOptions = {}): FetchHandler {
  requireOptions('serveFetch', options, STREAMABLE_OPTIONS)
  const streamable = new Streamable(endpoint, options)
  return {
    fetch: (request, info) =>
      new Promise((resolve) => streamable.handle(new WebExchange(request, info?.peerCertificate, resolve))),
    close: (graceMs = 10_000) => streamable.close(graceMs),
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

export class WebExchange implements HttpRequest, RequestHead, Reply {
  limits: ReplyLimits | undefined
  reader: string | undefined
  readonly method: string
  readonly url: string
  readonly peerCertificate: PeerCertificate | undefined
  readonly head: RequestHead = this
  readonly reply: Reply = this
  readonly #request: Request
  readonly #respond: (response: Response) => void
  readonly #host: string
  #always: HeaderList = []
  #finished = false

  constructor(request: Request, certificate: PeerCertificate | undefined, respond: (response: Response) => void) {
    const { target, host } = addressOf(request.url)
    this.method = request.method
    this.url = target
    this.peerCertificate = certificate
    this.#request = request
    this.#respond = respond
    this.#host = host
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name)
    if (value !== null) return value
    // Some platforms leave Host out of the headers, since the URL says it.
    return name.toLowerCase() === 'host' ? this.#host : undefined
  }

  headerNames(): readonly string[] {
    return [...this.#request.headers.keys()]
  }

  read(maxBytes: number, count: () => Receiving, done: (body: Body) => void): void {
    readBody(this.#request, maxBytes, count).then(done, () => done({ kind: 'text', text: '' }))
  }

  always(headers: HeaderList): void {
    this.#always = headers
  }

  json(status: number, text: string, headers: HeaderList = []): void {
    this.#answer(status, text, headers, JSON_TYPE)
  }

  empty(status: number, headers: HeaderList = []): void {
    this.#answer(status, null, headers)
  }

  stream(headers: HeaderList = []): StreamWriter {
    const { limits, reader } = this
    const bounds = limits && { sending: new Sending(limits, reader), stalledMs: limits.stalledMs }
    const writer = new WebStreamWriter(() => {
      this.#finished = true
    }, bounds)
    this.watch({ gone: () => writer.abandon() })
    this.#respond(new Response(writer.readable, { status: 200, headers: toHeaders({}, headers, this.#always) }))
    writer.onCancel(this.#gone)
    return writer
  }

  readonly #watchers: ReplyWatcher[] = []

  readonly #gone = (): void => {
    if (this.#finished) return
    this.#finished = true
    for (const watcher of this.#watchers.splice(0)) watcher.gone()
  }

  watch(watcher: ReplyWatcher): void {
    const { signal } = this.#request
    if (this.#watchers.length === 0) signal.addEventListener('abort', this.#gone, { once: true })
    this.#watchers.push(watcher)
    if (signal.aborted) this.#gone()
  }

  #answer(status: number, body: string | null, headers: HeaderList, type: HeaderRecord = {}): void {
    this.#finished = true
    // Platforms make the signal for whoever asks for it.
    if (this.#watchers.length > 0) this.#request.signal.removeEventListener('abort', this.#gone)
    this.#respond(new Response(body, { status, headers: toHeaders(type, headers, this.#always) }))
  }
}

interface Address {
  /** Path and query. */
  readonly target: string
  readonly host: string
}

/** Clients of one server nearly always spell its address alike. */
let lastUrl: string | undefined
let lastAddress: Address | undefined

function addressOf(url: string): Address {
  if (url === lastUrl && lastAddress !== undefined) return lastAddress
  const { pathname, search, host } = new URL(url)
  lastUrl = url
  lastAddress = { target: pathname + search, host }
  return lastAddress
}

async function readBody(request: Request, maxBytes: number, count: () => Receiving): Promise<Body> {
  const length = Number(request.headers.get('content-length') || Number.NaN)
  if (length > maxBytes) return { kind: 'too-large' }
  // A server holds a body to the length that it was announced with, unless it comes in chunks.
  const isSmall = length >= 0 && length <= RECEIVE_SHARE && request.headers.get('transfer-encoding') === null
  if (!isSmall) {
    const receiving = count()
    return readStream(request, maxBytes, receiving).finally(() => receiving.done())
  }
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > maxBytes ? { kind: 'too-large' } : toBody(bytes)
}

async function readStream(request: Request, maxBytes: number, receiving: Receiving): Promise<Body> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > maxBytes) {
      await reader.cancel()
      return { kind: 'too-large' }
    }
    const reason = receiving.add(value.length)
    if (reason !== undefined) {
      await reader.cancel()
      return { kind: 'busy', reason }
    }
    chunks.push(value)
  }
  return toBody(join(chunks, size))
}

function toBody(bytes: Uint8Array): Body {
  const text = decodeUtf8(bytes)
  return text === undefined ? { kind: 'not-utf8' } : { kind: 'text', text }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

interface HeaderRecord {
  readonly [name: string]: string
}

const JSON_TYPE: HeaderRecord = { 'content-type': 'application/json' }

/** A plain record, since a `Headers` would be copied by every `Response`. Names are lower case: the last of two counts. */
function toHeaders(first: HeaderRecord, own: HeaderList, always: HeaderList): HeaderRecord {
  if (own.length + always.length === 0) return first
  const headers: { [name: string]: string } = { ...first }
  for (const list of [own, always]) {
    for (let at = 0; at < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? ''
  }
  return headers
}
