/**
 * One try of a request by a client's user. It is the call that `peer.ts` waits on, so that a request which goes well
 * costs one object and one promise; what happens after a failure (wait, connect anew, try again) is kept apart and made
 * only then. What may be sent again is judged in `requests.ts`.
 */

import { PorticoError, withDoubt } from '../jsonrpc/errors.ts'
import type { JsonObject, RequestId } from '../jsonrpc/message.ts'
import { abortError } from '../jsonrpc/pending.ts'
import type { Connection } from './connection.ts'
import type { Envelope, Outgoing } from './link.ts'
import { CLIENT_TIMEOUTS, type RequestOptions } from './options.ts'
import { PeerCall } from './peer.ts'
import { type Cancellable, signalOf } from './relay.ts'
import { pause } from './with-deadline.ts'

export interface RequestSpec<Answer = JsonObject> {
  readonly method: string
  readonly params: JsonObject
  readonly timeoutMs: number
  /** The most that progress, or a question to this side, can extend the time allowed to. */
  readonly ceilingMs?: number
  /** Declares tasks with the request; a call of a tool may then be answered by one (2026-07-28). */
  readonly tasks?: boolean | undefined
  /** The parameters where they depend on who is asked. */
  paramsOn?(connection: Connection): JsonObject
  /** For the call of a tool: to send it twice does no harm. */
  readonly repeatable?: boolean
  headers?(connection: Connection): Outgoing['headers']
  /** Called after the server found the headers wrong; the request is then sent once more. */
  refreshHeaders?(): Promise<void>
  onId?(id: RequestId, connection: Connection): void
  /** What the caller gets for a result: the result itself unless given. */
  read?(result: JsonObject, sent: SentCall): Answer | Promise<Answer>
  /** The last word on a failure that stands: an answer after all, or a rejection. */
  rescue?(error: unknown): Promise<Answer>
}

/** A request that went out over a connection. */
export type SentCall = PeerCall & { readonly connection: Connection | undefined }

/** What has been tried for a request so far. */
export interface Attempts {
  count: number
  newSession: boolean
  newVersion: boolean
  newHeaders: boolean
  /** An earlier attempt may have reached the server, whatever becomes of this one. */
  mayHaveArrived: boolean
  readonly deadline: number
}

/** A request that has failed, as far as the failure is judged by it. */
export interface Tried {
  readonly spec: RequestSpec<unknown>
  readonly options: RequestOptions
  /** The connection that it went to. */
  readonly connection: Connection | undefined
}

/** What an attempt needs of `requests.ts`. */
export interface AttemptHost {
  readonly current: Connection | undefined
  connected(signal: AbortSignal | undefined): Promise<Connection>
  /** Fails locally what the connection cannot carry, and gives what its requests say of themselves. */
  admit(connection: Connection, spec: RequestSpec<unknown>): Envelope | undefined
  check(connection: Connection, spec: RequestSpec<unknown>, result: JsonObject): JsonObject
  /** How long to wait before the request is sent again, or undefined when the failure stands. */
  judge(error: unknown, request: Tried, attempts: Attempts): Promise<number | undefined>
}

/** Where a call ends. */
interface Settle<Answer> {
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

export class Attempt<Answer> extends PeerCall implements Tried, Cancellable {
  readonly method: string
  params: JsonObject
  readonly spec: RequestSpec<Answer>
  readonly options: RequestOptions
  connection: Connection | undefined
  readonly #host: AttemptHost
  readonly #settle: Settle<Answer>
  /** In whole milliseconds, as all times of a call. */
  readonly #startedAt = Math.ceil(performance.now())
  /** What is remembered of earlier tries of the same call. */
  #attempts: Attempts | undefined

  constructor(host: AttemptHost, spec: RequestSpec<Answer>, options: RequestOptions, settle: Settle<Answer>) {
    super()
    this.#host = host
    this.method = spec.method
    this.params = spec.params
    this.spec = spec
    this.options = options
    this.#settle = settle
    // A relay cancels the call itself: a signal for each would cost more than the rest of it.
    this.signal = options.relay?.begins === undefined ? options.signal : undefined
    this.meta = options.meta
    this.onProgress = options.onProgress
    this.relay = options.relay
    const { onProgress, timeoutMs, resetOnProgress = timeoutMs === undefined && onProgress !== undefined } = options
    this.resets = resetOnProgress
    this.ceilingMs = spec.ceilingMs ?? (resetOnProgress ? CLIENT_TIMEOUTS.ceilingMs : undefined)
    this.progress = resetOnProgress || onProgress !== undefined
  }

  /** Begins another try of a call. */
  again(attempts: Attempts): void {
    this.#attempts = attempts
    // Every other one: a server may have no room for a new connection as long as this client keeps idle ones.
    this.fresh = attempts.count % 2 === 1
    this.begin()
  }

  /** Sends it over the connection there is, or over the next. */
  begin(): void {
    const connection = this.#host.current
    if (connection !== undefined) {
      this.#sendOn(connection, this.#attempts !== undefined)
      return
    }
    this.#host.connected(signalOf(this.options)).then(
      (made) => this.#sendOn(made, true),
      (error) => this.failed(error),
    )
  }

  override answered(result: JsonObject): void {
    const { spec, connection } = this
    try {
      // Whoever is answered was sent, over this connection.
      const checked = this.#host.check(connection as Connection, spec, result)
      // Without `read`, an answer is the result itself.
      this.#settle.resolve(spec.read === undefined ? (checked as Answer) : spec.read(checked, this))
    } catch (error) {
      this.#settle.reject(error)
    }
  }

  override failed(error: unknown): void {
    void this.#afterFailure(error)
  }

  cancel(reason: unknown): void {
    this.connection?.peer.cancel(this, reason)
  }

  #sendOn(connection: Connection, waited: boolean): void {
    this.connection = connection
    const { spec, options } = this
    const { peer } = connection
    try {
      this.envelope = this.#host.admit(connection, spec)
      if (spec.paramsOn !== undefined) this.params = spec.paramsOn(connection)
      const own = spec.headers?.(connection)
      this.headers = options.headers === undefined ? own : [...options.headers, ...(own ?? [])]
    } catch (error) {
      this.failed(error)
      return
    }
    if (this.relay?.begins?.(this) === false) {
      this.failed(abortError({ reason: this.relay.signal?.reason }, 'not-sent'))
      return
    }
    const allowed = options.timeoutMs ?? spec.timeoutMs
    const now = waited ? Math.ceil(performance.now()) : this.#startedAt
    const timeoutMs = this.#attempts === undefined ? allowed : Math.max(1, this.#attempts.deadline - now)
    const onId = spec.onId && ((id: RequestId) => spec.onId?.(id, connection))
    if (peer.start(this, timeoutMs, now, onId)) peer.link.request(this)
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { spec, options } = this
    const attempts = this.#attempts ?? {
      count: 0,
      newSession: false,
      newVersion: false,
      newHeaders: false,
      mayHaveArrived: false,
      deadline: this.#startedAt + (options.timeoutMs ?? spec.timeoutMs),
    }
    try {
      const waitMs = await this.#host.judge(error, this, attempts)
      if (waitMs === undefined) throw error
      attempts.count++
      attempts.mayHaveArrived ||= !(error instanceof PorticoError) || error.delivery === 'unknown'
      if (waitMs > 0) await pause(waitMs, signalOf(options))
    } catch (final) {
      const told = attempts.mayHaveArrived ? withDoubt(final) : final
      if (spec.rescue === undefined) this.#settle.reject(told)
      else this.#settle.resolve(spec.rescue(told))
      return
    }
    // A new call: whoever still holds this one, under its id, must not find it changed.
    new Attempt(this.#host, spec, options, this.#settle).again(attempts)
  }
}
