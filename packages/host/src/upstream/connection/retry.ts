/**
 * What follows when a connection to a server cannot be made, is lost or no longer answers: the failure is counted and
 * shown, the next attempt is timed, and who may not try before is told so. The attempts themselves are made by
 * `attempts.ts`.
 */

import type { ServerConfig } from '../../config/server-config.ts'
import { HostError } from '../../errors.ts'
import { type PlainState, type ServerStatus, toUnavailable } from '../server-status.ts'
import type { SupervisionOptions } from '../supervision.ts'
import type { ConnectionRequest } from '../upstream.ts'
import { Breaker } from './breaker.ts'
import { isOwn, type UpstreamConnection } from './connection.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { explainFailure, explainLoop, type Failure } from './failure.ts'
import { steadyNow } from './steady-clock.ts'
import { UserLoops } from './user-loops.ts'
import { pause } from './waiting.ts'

/** A caller waits this long for the next attempt; when it is further away, the call fails at once. */
const PATIENCE_MS = 2_000
/** What will not get better by itself is not tried more often than this. */
const HOPELESS_MS = 5_000
const PING_MS = 5_000
const ELSEWHERE: PlainState = {
  state: 'failed',
  reason: 'Other replicas of this gateway could not reach it.',
  remedy: 'It is tried again by itself.',
}

interface RetryParts {
  readonly options: SupervisionOptions
  readonly status: ServerStatus
  readonly pool: ConnectionPool
  config(): ServerConfig
  /** The last lines the server's program wrote. */
  stderr(): string
  /** Whether the server is to be connected without being asked for. */
  startsItself(): boolean
  start(): void
  /** Shows the state of a server that nobody is connected to. */
  rest(): void
}

export class Retry {
  readonly #parts: RetryParts
  readonly #status: ServerStatus
  readonly #pool: ConnectionPool
  readonly #breaker: Breaker
  readonly #loops: UserLoops
  #hopelessUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #probing = false

  constructor(parts: RetryParts) {
    this.#parts = parts
    this.#status = parts.status
    this.#pool = parts.pool
    this.#breaker = new Breaker(parts.options.breaker)
    this.#loops = new UserLoops(parts.options.breaker, (words) => this.#status.degrade('loop', words))
  }

  /** A program of this machine says nothing about the same program elsewhere. */
  get #shared(): SupervisionOptions['shared'] {
    const { kind } = this.#parts.config().target
    return kind === 'http' || kind === 'sse' ? this.#parts.options.shared : undefined
  }

  /** How long the next attempt has to wait; none when it is not above 0. */
  get waitMs(): number {
    return this.#breaker.retryAt - steadyNow()
  }

  /** Why no attempt may be made now, for anybody or for this caller. */
  refusal(request: ConnectionRequest): PlainState | undefined {
    const isHopeless = steadyNow() < this.#hopelessUntil
    // With the circuit open everything was ended: what is there now is the probe, and one is enough.
    const isProbed = this.#breaker.isHalfOpen && this.#pool.size > 0
    if (isHopeless || this.waitMs > PATIENCE_MS || isProbed) return this.#status.shown
    const elsewhere = this.#shared?.openUntil(this.#parts.config().name) ?? 0
    if (elsewhere - Date.now() > PATIENCE_MS) return { ...ELSEWHERE, retryAt: elsewhere }
    return isOwn(request) ? undefined : this.#loops.refusal(request)
  }

  /** A connection is there, for the first time or again. */
  succeeded(request: ConnectionRequest): void {
    this.#breaker.succeeded()
    this.#shared?.succeeded(this.#parts.config().name)
    this.#hopelessUntil = 0
    if (!isOwn(request)) this.#loops.stands(request)
  }

  /** Why an attempt failed, in one line that may be shown and written down. */
  reasonOf(error: unknown): string {
    const { reason } = this.#explain(error)
    return this.#parts.options.hide?.(reason) ?? reason
  }

  /** Making a connection failed. Returns what the callers are told. */
  attemptFailed(connection: UpstreamConnection, error: unknown): HostError {
    const { name, settings } = this.#parts.config()
    const wasCurrent = this.#pool.forget(connection)
    if (connection.ending.signal.aborted || !wasCurrent) {
      return new HostError('closed', `The connection to "${name}" was ended`, { cause: error })
    }
    const failure = this.#explain(error)
    if (!failure.retries && !isOwn(connection.request)) {
      // That one user may not use it says nothing about the server.
      if (this.#pool.size === 0 && settings.lazy) this.#parts.rest()
      return toUnavailable(name, failure, error)
    }
    if (failure.retries && !isOwn(connection.request) && this.#pool.best !== undefined) {
      // The server is well for others: only this user cannot connect.
      this.#loops.failed(connection.request, failure)
      return toUnavailable(name, this.#loops.refusal(connection.request) ?? failure, error)
    }
    if (failure.retries) this.#failed(failure, 'failed')
    else this.#giveUp(failure)
    return toUnavailable(name, this.#status.plain, error)
  }

  /** A connection that stood is gone. */
  lost(connection: UpstreamConnection, error: unknown): void {
    const failure = this.#explain(error)
    const reason = `The connection was lost: ${failure.reason}`
    const remedy = 'It is restored by itself.'
    if (isOwn(connection.request)) {
      if (!this.#failed({ ...failure, reason, remedy }, 'degraded')) this.#restoreLater(connection)
      return
    }
    // What one user's calls do to their connection must not end the others'.
    if (this.#loops.failed(connection.request, failure)) void this.#pool.end(connection)
    if (this.#pool.best === undefined) {
      this.#status.show({ state: 'degraded', reason, remedy })
    }
  }

  /** A request failed in a way that says something about the server. */
  faulted(connection: UpstreamConnection, error: unknown): void {
    const failure = this.#explain(error)
    if (failure.state === 'needs-sign-in') {
      if (isOwn(connection.request)) this.#giveUp(failure)
      void this.#pool.end(connection)
    } else if (steadyNow() >= this.#breaker.retryAt) {
      // Many calls at once that meet one fault are one failure, and must not cost those beside them their connection.
      this.#failed(failure, 'degraded')
    }
  }

  /** A request was given up and nothing else came: asks whether anybody is there. */
  async probe(connection: UpstreamConnection): Promise<void> {
    if (this.#probing || !connection.standing) return
    this.#probing = true
    const pingMs = this.#parts.options.pingMs ?? PING_MS
    try {
      await connection.client?.ping({ timeoutMs: pingMs })
    } catch {
      if (!this.#pool.has(connection) || !connection.standing) return
      if (connection.isBusy) {
        // It may be at work on something else; that call's own time will tell.
        const reason = 'It does not answer at the moment, with other calls under way.'
        this.#status.show({ state: 'degraded', reason, remedy: 'Wait, or restart it.' })
        return
      }
      void this.#pool.end(connection)
      if (!isOwn(connection.request)) return
      const reason = `It no longer answers: a call was given up, and a ping got no answer within ${pingMs} ms.`
      this.#failed({ state: 'failed', reason, remedy: 'It is started again by itself.', retries: true }, 'failed')
    } finally {
      this.#probing = false
    }
  }

  /** An attempt is made, or none is wanted any more: the one that was timed is dropped. */
  cancel(): void {
    clearTimeout(this.#timer)
  }

  /** As after a repair: counts and refusals from before are forgotten. */
  reset(): void {
    this.#breaker.reset()
    this.#loops.reset()
    this.#hopelessUntil = 0
  }

  close(): void {
    this.cancel()
    this.#loops.close()
  }

  /** Counts a failure and shows it. True when that was one too many and everything has been ended. */
  #failed(failure: Failure, state: 'failed' | 'degraded'): boolean {
    const opened = this.#breaker.failed(failure.isOurs)
    if (opened) this.#shared?.opened(this.#parts.config().name, this.#breaker.retryAt)
    const { count } = this.#breaker
    const { lazy } = this.#parts.config().settings
    // A lazy server is not connected to before somebody wants it.
    const retryAt = lazy && (opened || state === 'failed') ? undefined : this.#breaker.retryAt
    const { reason, remedy } = opened && count > 1 ? explainLoop(count, failure) : failure
    this.#status.show({ state: opened ? 'failed' : state, reason, remedy, retryAt })
    if (opened) void this.#pool.endAll()
    if (opened || state === 'failed') this.#startLater()
    return opened
  }

  #giveUp({ state, reason, remedy }: Failure): void {
    this.#hopelessUntil = steadyNow() + HOPELESS_MS
    this.#status.show({ state, reason, remedy })
  }

  #startLater(): void {
    this.cancel()
    if (!this.#parts.startsItself()) return
    this.#timer = setTimeout(() => this.#parts.start(), Math.max(0, this.waitMs) + 1)
    this.#timer.unref()
  }

  /** Has the client connect again, after a pause. Its own losses and successes come as events. */
  #restoreLater(connection: UpstreamConnection): void {
    const { signal } = connection.ending
    const restore = async (): Promise<void> => {
      await pause(Math.max(0, this.waitMs), signal)
      await connection.client?.ready()
    }
    void restore().catch((error) => {
      if (signal.aborted || !this.#pool.has(connection)) return
      const failure = this.#explain(error)
      if (!failure.retries) {
        this.#giveUp(failure)
        void this.#pool.end(connection)
      } else if (!this.#failed(failure, 'degraded')) {
        this.#restoreLater(connection)
      }
    })
  }

  #explain(error: unknown): Failure {
    return explainFailure(error, { config: this.#parts.config(), stderr: this.#parts.stderr() })
  }
}
