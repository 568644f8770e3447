/** A request that another replica passed on, as the endpoint sees it: its head and body are in the hop, its reply is frames. */

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
import type { HopConnection, HopUser } from './hop-connection.ts'
import type { Frame } from './hop-frames.ts'

export class HopRequest implements HttpRequest, RequestHead, Reply, StreamWriter, HopUser {
  readonly head: RequestHead = this
  readonly reply: Reply = this
  readonly #hop: Hop
  readonly #connection: HopConnection
  readonly #ended: () => void
  #watcher: ReplyWatcher | undefined
  #events: StreamEvents | undefined
  #over = false

  /** `ended` is told when the connection is free for the next one. */
  constructor(hop: Hop, connection: HopConnection, ended: () => void) {
    this.#hop = hop
    this.#connection = connection
    this.#ended = ended
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
    this.#connection.send({ kind: 'taken' }, serve)
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
    if (this.#connection.isClosed) watcher.gone()
    else this.#watcher = watcher
  }

  open(events: StreamEvents): void {
    if (this.#connection.isClosed) queueMicrotask(() => events.closed())
    this.#events = events
  }

  write(text: string): boolean {
    return this.#frame({ kind: 'write', text })
  }

  end(): void {
    this.#end({ kind: 'end' })
  }

  abort(): void {
    this.#connection.destroy()
  }

  /** A replica asks nothing more before it has its answer. */
  received(): void {
    this.#connection.destroy()
  }

  drained(): void {
    this.#events?.drained()
  }

  closed(): void {
    if (!this.#over) this.#watcher?.gone()
    this.#streamClosed()
  }

  #streamClosed(): void {
    this.#events?.closed()
    this.#events = undefined
  }

  #end(frame: Frame): void {
    if (this.#over) return
    this.#frame(frame)
    this.#over = true
    this.#ended()
    queueMicrotask(() => this.#streamClosed())
  }

  #frame(frame: Frame): boolean {
    return this.#over || this.#connection.send(frame)
  }
}
