/**
 * The path of a request through the client: is the server able to, is there a connection, what goes into `_meta`, and
 * may it be sent again after a failure. Features call `send`, which starts an `Attempt`; everything that can be said
 * about a failed request in general is judged here, once.
 */

import { PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../protocol/errors.ts'
import type { LogLevel } from '../protocol/logging.ts'
import { methodOf } from '../protocol/methods.ts'
import { omit } from '../protocol/revisions/omission.ts'
import { Attempt, type AttemptHost, type Attempts, type RequestSpec, type Tried } from './attempt.ts'
import { type ClientProfile, type Connection, createEnvelope } from './connection.ts'
import { type Envelope, httpFault } from './link.ts'
import type { RequestOptions } from './options.ts'
import type { Reconnector } from './reconnector.ts'
import { signalOf } from './relay.ts'

export class Requests implements AttemptHost {
  readonly #reconnector: Reconnector
  readonly #profile: ClientProfile
  readonly #resultTypes: readonly unknown[]
  #logLevel: LogLevel | undefined
  #envelope: Envelope | undefined
  #taskEnvelope: Envelope | undefined
  #envelopeOf: Connection | undefined

  constructor(reconnector: Reconnector, profile: ClientProfile, resultTypes: readonly string[] = []) {
    this.#reconnector = reconnector
    this.#profile = profile
    this.#resultTypes = ['complete', ...resultTypes]
  }

  /** The level that modern requests carry. */
  set logLevel(level: LogLevel | undefined) {
    this.#logLevel = level
    this.#envelopeOf = undefined
  }

  send<Answer = JsonObject>(spec: RequestSpec<Answer>, options: RequestOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => new Attempt(this, spec, options, { resolve, reject }).begin())
  }

  get current(): Connection | undefined {
    return this.#reconnector.current
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const connection = this.#reconnector.current ?? (await this.connected(undefined))
    await connection.peer.notify(method, params)
  }

  async judge(error: unknown, request: Tried, attempts: Attempts): Promise<number | undefined> {
    const { spec, options, connection } = request
    if (signalOf(options)?.aborted || this.#reconnector.closed) return undefined
    const left = attempts.deadline - performance.now()
    const fault = httpFault(error)
    if (fault?.sessionLost && connection !== undefined) {
      // The server has certainly not processed it: it did not know whose it was.
      this.#reconnector.retire(connection)
      return once(attempts, 'newSession')
    }
    if (fault !== undefined && (fault.status === 429 || fault.status === 503) && fault.retryAfterMs !== undefined) {
      return fault.retryAfterMs < left && attempts.count < MAX_RESENDS ? fault.retryAfterMs : undefined
    }
    if (error instanceof RpcError && connection !== undefined) {
      if (error.rpcCode === UNSUPPORTED_VERSION && connection.revision.era === 'modern') {
        this.#reconnector.retire(connection)
        return once(attempts, 'newVersion')
      }
      if (error.rpcCode === HEADER_MISMATCH && spec.refreshHeaders !== undefined && !attempts.newHeaders) {
        await spec.refreshHeaders()
        return once(attempts, 'newHeaders')
      }
      if (options.idempotent !== true || !isLossBeyond(error)) return undefined
      return resendWait(attempts.count, left)
    }
    if (!isLoss(error)) return undefined
    const { idempotent = this.#resends(request, attempts) && !isUnreachable(error) } = options
    if (!idempotent) return undefined
    // A connection of HTTP is no sign of its server's health: the first new one is made at once.
    const atOnce = attempts.count === 0 && connection?.peer.link.kind === 'http' && !isUnreachable(error)
    return atOnce && left > 0 ? 0 : resendWait(attempts.count, left)
  }

  /**
   * What does no harm twice may be sent again after a loss, but is not made to wait for a server that is not there. The
   * call of a tool may be what ended the process on the other side of a pipe.
   */
  #resends({ spec, connection }: Tried, { count }: Attempts): boolean {
    if (spec.method !== 'tools/call') return READS.has(spec.method) && count < READ_RESENDS
    return spec.repeatable === true && count < CALL_RESENDS && connection?.negotiated.transport !== 'channel'
  }

  admit(connection: Connection, { method, tasks }: RequestSpec<unknown>): Envelope | undefined {
    requireCapability(connection, method)
    const { revision } = connection
    if (revision.era === 'legacy') return undefined
    if (this.#envelopeOf !== connection) {
      this.#envelope = createEnvelope(revision, this.#profile, this.#logLevel)
      this.#taskEnvelope = createEnvelope(revision, this.#profile, this.#logLevel, true)
      this.#envelopeOf = connection
    }
    return tasks ? this.#taskEnvelope : this.#envelope
  }

  /** Absent means complete; `input_required` is for the methods that may ask, `task` for tools; anything else nobody here understands. */
  check({ revision }: Connection, { method, tasks }: RequestSpec<unknown>, result: JsonObject): JsonObject {
    const type = result.resultType
    if (type === undefined) return result
    // An older revision knows no types: there the member means nothing, and asks for nothing.
    if (revision.era === 'legacy') return type === 'input_required' ? omit(result, ['resultType']) : result
    if (this.#resultTypes.includes(type)) return result
    if (type === 'input_required' && methodOf(method)?.asks) return result
    if (type === 'task' && tasks && method === 'tools/call') return result
    throw new PorticoError('invalid-message', `The result of ${method} has the unknown type ${JSON.stringify(type)}`, {
      delivery: 'unknown',
    })
  }

  connected(signal: AbortSignal | undefined): Promise<Connection> {
    const ready = this.#reconnector.ready()
    if (signal === undefined) return ready
    return new Promise((resolve, reject) => {
      const aborted = () =>
        reject(new PorticoError('aborted', 'The call was cancelled', { cause: signal.reason, delivery: 'not-sent' }))
      if (signal.aborted) aborted()
      signal.addEventListener('abort', aborted, { once: true })
      ready.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
    })
  }
}

/** Fails locally for what the server did not declare (2025-11-25, lifecycle, "Operation"). */
function requireCapability({ server, revision }: Connection, method: string): void {
  const missing = missingCapability(server.capabilities, revision.traits.completionContext, method)
  if (missing === undefined) return
  throw new PorticoError('capability-missing', `The server did not declare "${missing}", which ${method} needs`, {
    delivery: 'not-sent',
    data: { capability: missing },
  })
}

const FIRST_RESEND_MS = 100
const READ_RESENDS = 2
/** What a server says of its own tool is believed so far: that a call which was lost may be sent once more (sec-126). */
const CALL_RESENDS = 1
/** Methods that change nothing: to send one twice does no harm, whether or not the first was processed. */
const READS: ReadonlySet<string> = new Set([
  'completion/complete',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'server/discover',
  'tools/list',
])
const MAX_RESENDS = 5

function missingCapability(capabilities: ServerCapabilities, knowsCompletions: boolean, method: string) {
  const needed = methodOf(method)?.capability
  if (needed === undefined || capabilities[needed] !== undefined) {
    const unsubscribed = method === 'resources/subscribe' && capabilities.resources?.subscribe !== true
    return unsubscribed ? 'resources.subscribe' : undefined
  }
  // `completions` became a capability after completion itself; before that there is nothing to look at.
  return needed === 'completions' && !knowsCompletions ? undefined : needed
}

function once(attempts: Attempts, what: 'newSession' | 'newVersion' | 'newHeaders'): number | undefined {
  if (attempts[what]) return undefined
  attempts[what] = true
  return 0
}

function isUnreachable(error: unknown): boolean {
  return error instanceof PorticoError && (error.code === 'connect-failed' || error.delivery === 'not-sent')
}

/** How long the next attempt waits, if there is time for it. */
function resendWait(count: number, left: number): number | undefined {
  const waitMs = Math.min(FIRST_RESEND_MS * 1.6 ** count, 5_000)
  return waitMs < left ? waitMs : undefined
}

/** A gateway had the request and lost it on the way to its server, and says what it knows of that. */
function isLossBeyond({ data }: RpcError): boolean {
  const { delivery } = (data ?? {}) as { delivery?: unknown }
  return delivery === 'unknown' || delivery === 'not-sent'
}

/** The connection failed, not the request. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof PorticoError)) return false
  const fault = httpFault(error)
  if (fault !== undefined) return fault.status === 502 || fault.status === 503 || fault.status === 504
  return error.code === 'closed' || error.code === 'connect-failed'
}
