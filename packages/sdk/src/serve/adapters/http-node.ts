/**
 * Node's `req` and `res` as the endpoint sees them: how a body is read and a reply written, and nothing else. Kept
 * free of promises and copies, since every request passes through here.
 */

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RECEIVE_SHARE, type Receiving } from '../../framing/receiving.ts'
import { Sending } from '../../framing/sending.ts'
import type { PeerCertificate, RequestHead } from '../../session/exchange.ts'
import type {
  HeaderList,
  Reply,
  ReplyLimits,
  ReplyWatcher,
  StreamEvents,
  StreamWriter,
} from '../../transport/http-reply.ts'
import { isAmbiguous } from '../rules/http-headers.ts'
import type { Body, HttpRequest } from '../streamable/http-request.ts'
import { peerCertificateOf } from './http-certificate.ts'

/** A request as frameworks pass it on: Express keeps the full URL aside and may have parsed the body. */
export type NodeRequest = IncomingMessage & {
  readonly originalUrl?: string
  readonly body?: unknown
  [READING]?: BodyReading
}

/** Where a request has the body that is being read, and an answer the exchange that hears of it. */
const READING = Symbol('reading')
const EXCHANGE = Symbol('exchange')

type NodeResponse = ServerResponse & { [EXCHANGE]?: NodeExchange }

export class NodeExchange implements HttpRequest, RequestHead, Reply, StreamWriter {
  limits: ReplyLimits | undefined
  reader: string | undefined
  readonly method: string
  readonly url: string
  // One object plays all parts, so that a request costs one allocation here.
  readonly head: RequestHead = this
  readonly reply: Reply = this
  readonly #req: NodeRequest
  readonly #res: NodeResponse
  #always: HeaderList | undefined
  #watcher: ReplyWatcher | undefined
  #events: StreamEvents | undefined
  #sending: Sending | undefined
  #listening = false

  constructor(req: NodeRequest, res: ServerResponse) {
    this.method = req.method ?? 'GET'
    this.url = req.originalUrl ?? req.url ?? '/'
    this.#req = req
    this.#res = res
    // On every answer and not only on those that are listened to: V8 keeps a member within the object if the first few
    // of its kind have it, and beside it otherwise.
    this.#res[EXCHANGE] = this
  }

  get peerCertificate(): PeerCertificate | undefined {
    return peerCertificateOf(this.#req.socket)
  }

  header(name: string): string | undefined {
    const { headers } = this.#req
    let value = headers[name]
    if (value === undefined) {
      const lower = name.toLowerCase()
      if (lower !== name) value = headers[lower]
      else if (name === 'host') return authorityOf(headers)
    }
    return typeof value === 'object' ? value.join(', ') : value
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#req.headers)
  }

  get ambiguous(): boolean {
    return isAmbiguous(this.#req)
  }

  get peer(): string | undefined {
    return this.#req.socket?.remoteAddress
  }

  read(maxBytes: number, count: () => Receiving, done: (body: Body) => void): void {
    const req = this.#req
    // A parser in front that does not know the content type may leave an empty object and the stream unread.
    if (req.body !== undefined && req.readableEnded) {
      done(toBody(req.body))
      return
    }
    const reading = new BodyReading(maxBytes, count, done)
    req[READING] = reading
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) reading.refuse(TOO_LARGE)
    req.on('data', onData)
    req.on('end', onEnd)
    // Without a listener, a client that goes away while it sends would end the process.
    req.on('error', ignore)
  }

  always(headers: HeaderList): void {
    this.#always = headers
  }

  json(status: number, text: string, headers?: HeaderList): void {
    if (this.#res.headersSent) return
    // Node writes a short text in one piece with the head; a long one is cheaper to encode than to count first.
    const body = text.length > LONG_TEXT ? Buffer.from(text) : text
    const list = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]
    this.#begin(status, list, headers)
    this.#res.end(body)
    if (this.#res.writableLength > 0) this.#watchAnswer()
  }

  empty(status: number, headers?: HeaderList): void {
    if (this.#res.headersSent) return
    this.#begin(status, status === 204 ? [] : ['content-length', '0'], headers)
    this.#res.end()
    if (this.#res.writableLength > 0) this.#watchAnswer()
  }

  stream(headers?: HeaderList): StreamWriter {
    this.#begin(200, [], headers)
    this.#res.flushHeaders()
    return this
  }

  /** Made when something waits for the first time. */
  get sending(): Sending | undefined {
    if (this.limits !== undefined) this.#sending ??= new Sending(this.limits, this.reader ?? this.peer)
    return this.#sending
  }

  watch(watcher: ReplyWatcher): void {
    if (this.#res.closed) {
      watcher.gone()
      return
    }
    this.#listen()
    this.#watcher = watcher
  }

  open(events: StreamEvents): void {
    if (this.#res.closed) queueMicrotask(() => events.closed())
    else this.#listen()
    this.#events = events
  }

  write(text: string): boolean {
    if (this.#res.destroyed || this.#res.write(text)) return true
    this.#res.once('drain', onDrain)
    this.#watchReader()
    return false
  }

  /** Called by Node's `drain` event. */
  drained(): void {
    this.#res.setTimeout(0)
    this.#events?.drained()
  }

  /** Called by Node's `close` event. */
  closed(): void {
    this.#sending?.waits(0)
    if (!this.#res.writableEnded) this.#watcher?.gone()
    this.#events?.closed()
  }

  end(): void {
    this.#res.end()
    if (this.#res.writableLength > 0) this.#watchAnswer()
  }

  abort(): void {
    this.#res.destroy()
  }

  /** Node waits for ever for a client that does not read, and keeps the answer meanwhile. It sees when some was taken. */
  #watchReader(): void {
    if (this.limits === undefined) return
    this.#res.setTimeout(this.limits.stalledMs)
    if (this.#res.listenerCount('timeout') === 0) this.#res.on('timeout', onStalled)
  }

  /** What the system did not take of an answer at once waits with all else that does, however short: there may be many. */
  #watchAnswer(): void {
    this.#watchReader()
    if (this.sending?.waits(this.#res.writableLength) !== undefined) this.#res.destroy()
    else this.#listen()
  }

  #listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#res.on('close', onClose)
  }

  #begin(status: number, own: string[], headers: HeaderList | undefined): void {
    const res = this.#res
    res.on('error', ignore)
    if (headers !== undefined) own.push(...headers)
    if (this.#always !== undefined) own.push(...this.#always)
    // A framework in front may have set headers of its own; only then does Node have to merge the two.
    if (res.getHeaderNames().length > 0) {
      for (let at = 0; at < own.length; at += 2) res.setHeader(own[at] ?? '', own[at + 1] ?? '')
      res.writeHead(status)
    } else res.writeHead(status, own)
  }
}

/** A body on its way in. The listeners find it by its request, so that nothing of it is left when it is read. */
class BodyReading {
  readonly #maxBytes: number
  readonly #count: () => Receiving
  readonly #done: (body: Body) => void
  #receiving: Receiving | undefined
  #first: Buffer | undefined
  #rest: Buffer[] | undefined
  #size = 0
  #refused = false

  constructor(maxBytes: number, count: () => Receiving, done: (body: Body) => void) {
    this.#maxBytes = maxBytes
    this.#count = count
    this.#done = done
  }

  refuse(body: Body): void {
    this.#refused = true
    this.#first = undefined
    this.#rest = undefined
    this.#receiving?.done()
    this.#done(body)
  }

  /** The client went away before the body was complete. */
  abandon(): void {
    this.#receiving?.done()
  }

  take(chunk: Buffer, req: IncomingMessage): void {
    this.#size += chunk.length
    if (this.#refused) {
      // The rest is read and thrown away, so that the client gets to see the answer, but not without end.
      if (this.#size > LINGER * this.#maxBytes) req.destroy()
      return
    }
    if (this.#size > this.#maxBytes) {
      this.refuse(TOO_LARGE)
      return
    }
    const reason = this.#size > RECEIVE_SHARE ? this.#counted(chunk.length) : undefined
    if (reason !== undefined) this.refuse({ kind: 'busy', reason })
    else if (this.#first === undefined) this.#first = chunk
    else {
      // Only what comes in pieces can be left incomplete with something counted.
      if (this.#rest === undefined) {
        this.#rest = []
        req.once('close', onRequestClose)
      }
      this.#rest.push(chunk)
    }
  }

  /** Why there is no room for more of the body, if so. What came before it counted is counted with it. */
  #counted(bytes: number): string | undefined {
    const more = this.#receiving === undefined ? this.#size : bytes
    this.#receiving ??= this.#count()
    return this.#receiving.add(more)
  }

  end(): void {
    if (this.#refused) return
    this.#receiving?.done()
    const first = this.#first ?? EMPTY
    this.#done(decode(this.#rest === undefined ? first : Buffer.concat([first, ...this.#rest], this.#size)))
  }
}

const EMPTY = Buffer.alloc(0)
const TOO_LARGE: Body = { kind: 'too-large' }

function onRequestClose(this: NodeRequest): void {
  this[READING]?.abandon()
}

function onData(this: NodeRequest, chunk: Buffer): void {
  this[READING]?.take(chunk, this)
}

function onEnd(this: NodeRequest): void {
  const reading = this[READING]
  this[READING] = undefined
  reading?.end()
}

function onDrain(this: NodeResponse): void {
  this[EXCHANGE]?.drained()
}

function onStalled(this: NodeResponse): void {
  this.destroy()
}

function onClose(this: NodeResponse): void {
  this[EXCHANGE]?.closed()
}

const LONG_TEXT = 16 * 1024

/** How many times the bound is read in all before the connection is cut. */
const LINGER = 4

function ignore(): void {}

function toBody(body: unknown): Body {
  if (typeof body === 'string') return { kind: 'text', text: body }
  return body instanceof Uint8Array
    ? decode(Buffer.from(body.buffer, body.byteOffset, body.length))
    : { kind: 'value', value: body }
}

function decode(bytes: Buffer): Body {
  return isUtf8(bytes) ? { kind: 'text', text: bytes.toString('utf8') } : { kind: 'not-utf8' }
}

/** HTTP/2 names the host in a pseudo-header. */
function authorityOf(headers: IncomingMessage['headers']): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : undefined
}
