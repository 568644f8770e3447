/** A request that another replica passed on, as the endpoint sees it: its head and body are in the hop, its reply is frames. */

import type { ServerResponse } from 'node:http'
import type {
  HttpBody,
  HttpRequest,
  PeerCertificate,
  Reply,
  ReplyWatcher,
  RequestHead,
  StreamEvents,
  StreamWriter,
} from '@portico/sdk/internal'
import type { Hop } from './hop.ts'
import { type Frame, FrameWriter } from './hop-frames.ts'

export class HopRequest implements HttpRequest, RequestHead, Reply, StreamWriter {
  readonly head: RequestHead = this
  readonly reply: Reply = this
  readonly #hop: Hop
  readonly #res: ServerResponse
  readonly #frames: FrameWriter
  #watcher: ReplyWatcher | undefined
  #events: StreamEvents | undefined
  #over = false

  constructor(hop: Hop, key: Buffer, res: ServerResponse) {
    this.#hop = hop
    this.#res = res
    this.#frames = new FrameWriter(key)
    res.on('close', () => this.#closed())
    res.on('drain', () => this.#events?.drained())
    res.on('error', () => undefined)
  }

  get method(): string {
    return this.#hop.method
  }

  get url(): string {
    return this.#hop.url
  }

  get peer(): string | undefined {
    return this.#hop.peer
  }

  get peerCertificate(): PeerCertificate | undefined {
    return this.#hop.certificate
  }

  header(name: string): string | undefined {
    const { headers } = this.#hop
    const lower = name.toLowerCase()
    return Object.hasOwn(headers, lower) ? headers[lower] : undefined
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#hop.headers)
  }

  read(_maxBytes: number, _count: unknown, done: (body: HttpBody) => void): void {
    done({ kind: 'text', text: this.#hop.body ?? '' })
  }

  /** Says that it is not for this replica. */
  moved(): void {
    this.#end({ kind: 'moved' })
  }

  /** Says, before anything is done, that it will be: whoever did not hear that knows that nothing was. */
  taken(serve: () => void): void {
    this.#res.write(this.#frames.write({ kind: 'taken' }), () => serve())
  }

  /** Those of the process that the caller is connected to. */
  always(): void {}

  json(status: number, text: string, headers?: readonly string[]): void {
    this.#end({ kind: 'json', status, text, ...(headers && { headers }) })
  }

  empty(status: number, headers?: readonly string[]): void {
    this.#end({ kind: 'empty', status, ...(headers && { headers }) })
  }

  stream(headers?: readonly string[]): StreamWriter {
    this.#frame({ kind: 'stream', ...(headers && { headers }) })
    return this
  }

  watch(watcher: ReplyWatcher): void {
    if (this.#res.closed) watcher.gone()
    else this.#watcher = watcher
  }

  open(events: StreamEvents): void {
    if (this.#res.closed) queueMicrotask(() => events.closed())
    this.#events = events
  }

  write(text: string): boolean {
    return this.#frame({ kind: 'write', text })
  }

  end(): void {
    this.#end({ kind: 'end' })
  }

  abort(): void {
    this.#res.destroy()
  }

  #closed(): void {
    if (!this.#over) this.#watcher?.gone()
    this.#events?.closed()
  }

  #end(frame: Frame): void {
    if (this.#over) return
    this.#frame(frame)
    this.#over = true
    this.#res.end()
  }

  #frame(frame: Frame): boolean {
    if (this.#over || this.#res.destroyed) return true
    return this.#res.write(this.#frames.write(frame))
  }
}
