/**
 * An endpoint behind the web's own `Request` and `Response`: how a body is read and a reply written, and nothing else.
 * What is answered is decided in `streamable.ts`. Nothing of Node is used.
 */

import type { Receiving } from '../../framing/receiving.ts'
import { decodeUtf8 } from '../../framing/utf8.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { PeerCertificate, RequestHead } from '../../session/exchange.ts'
import type { HeaderList, Reply, ReplyWatcher, StreamWriter } from '../../transport/http-reply.ts'
import { Streamable } from '../streamable/streamable.ts'
import {
  type Body,
  type HttpRequest,
  STREAMABLE_OPTIONS,
  type StreamableOptions,
} from '../streamable/streamable-options.ts'
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

class WebExchange implements HttpRequest, RequestHead, Reply {
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
    const url = new URL(request.url)
    this.method = request.method
    this.url = url.pathname + url.search
    this.peerCertificate = certificate
    this.#request = request
    this.#respond = respond
    this.#host = url.host
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

  read(maxBytes: number, receiving: Receiving, done: (body: Body) => void): void {
    readBody(this.#request, maxBytes, receiving).then(done, () => done({ kind: 'text', text: '' }))
  }

  always(headers: HeaderList): void {
    this.#always = headers
  }

  json(status: number, text: string, headers: HeaderList = []): void {
    this.#answer(status, text, ['content-type', 'application/json', ...headers])
  }

  empty(status: number, headers: HeaderList = []): void {
    this.#answer(status, null, headers)
  }

  stream(headers: HeaderList = []): StreamWriter {
    const writer = new WebStreamWriter(() => {
      this.#finished = true
    })
    this.watch({ gone: () => writer.abandon() })
    this.#respond(new Response(writer.readable, { status: 200, headers: toHeaders(headers, this.#always) }))
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

  #answer(status: number, body: string | null, headers: HeaderList): void {
    this.#finished = true
    this.#request.signal.removeEventListener('abort', this.#gone)
    this.#respond(new Response(body, { status, headers: toHeaders(headers, this.#always) }))
  }
}

async function readBody(request: Request, maxBytes: number, receiving: Receiving): Promise<Body> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return { kind: 'too-large' }
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
  const text = decodeUtf8(join(chunks, size))
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

function toHeaders(own: HeaderList, always: HeaderList): Headers {
  const headers = new Headers()
  for (const list of [own, always]) {
    for (let at = 0; at < list.length; at += 2) headers.set(list[at] ?? '', list[at + 1] ?? '')
  }
  return headers
}
