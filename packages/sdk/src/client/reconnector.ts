/**
 * Keeps a client connected: holds the connection in use, makes a new one when it is lost, waits between attempts, and
 * gives up on a server that keeps crashing until the crashes lie far enough back. `client/requests.ts` asks it for a
 * connection before every request; subscriptions keep it at work even when nobody calls.
 */

import { PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { LONGEST_TIMER_MS } from '../jsonrpc/longest-timer.ts'
import { ownLackOf } from '../jsonrpc/own-lack.ts'
import { timeLimit, wait } from '../jsonrpc/time-limit.ts'
import type { ClientProfile, Connection, Connector } from './connection.ts'
import { httpFault } from './link.ts'
import type { PeerEvents } from './peer.ts'
import { pause } from './with-deadline.ts'

interface ReconnectorEvents {
  /** A connection stands and is in use from now on. `again` is false for the first. */
  connected(connection: Connection, again: boolean): void
  lost(error: PorticoError): void
  /** What a connection tells from now on; `closed` is called when it has ended. */
  peer(closed: (error: PorticoError) => void): PeerEvents
}

interface ReconnectorOptions {
  readonly connectMs: number
  /** Random numbers in [0, 1), for the jitter. */
  readonly random?: () => number
}

export class Reconnector {
  readonly #connector: Connector
  readonly #profile: ClientProfile
  readonly #events: ReconnectorEvents
  readonly #options: ReconnectorOptions
  /** Connections out of use on which calls may still be waiting. */
  readonly #retired = new Set<Connection>()
  readonly #ending = new AbortController()
  #current: Connection | undefined
  #opening: Promise<Connection> | undefined
  #failures = 0
  #notBefore = 0
  #crashes: number[] = []
  #opened = false

  constructor(connector: Connector, profile: ClientProfile, events: ReconnectorEvents, options: ReconnectorOptions) {
    this.#connector = connector
    this.#profile = profile
    this.#events = events
    this.#options = options
  }

  get current(): Connection | undefined {
    return this.#current
  }

  get closed(): boolean {
    return this.#ending.signal.aborted
  }

  /** Whether there is no connection and will be none. */
  get over(): boolean {
    return this.closed || (this.#opened && this.#current === undefined && !this.#connector.reopens)
  }

  /** The connection in use, or a new one. Fails with `not-sent`: nothing was asked of the server yet. */
  ready(): Promise<Connection> {
    if (this.#current !== undefined) return Promise.resolve(this.#current)
    if (this.closed) return Promise.reject(closedError())
    if (this.#opened && !this.#connector.reopens) {
      return Promise.reject(new PorticoError('closed', 'The connection has ended', { delivery: 'not-sent' }))
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Tries until there is a connection again or the client is closed. */
  async restore(): Promise<void> {
    while (!this.closed && this.#current === undefined && (this.#connector.reopens || !this.#opened)) {
      const made = await this.ready().then(
        () => true,
        () => false,
      )
      if (made) return
      // A budget that is used up makes `ready` fail at once; the next attempt waits until a crash is forgotten.
      await wait(Math.max(50, this.#notBefore - performance.now()), this.#ending.signal)
    }
  }

  /** Takes a connection out of use although its link stands: the server has forgotten the session. */
  retire(connection: Connection): void {
    const inUse = this.#current === connection
    if (inUse) {
      this.#current = undefined
      this.#retired.add(connection)
    }
    // Calls that still wait on an old link keep it; it goes when the last of them is over and somebody looks.
    for (const old of this.#retired) {
      if (old.peer.pending > 0) continue
      this.#retired.delete(old)
      void old.peer.close()
    }
    if (inUse) {
      this.#events.lost(new PorticoError('closed', 'The server has forgotten the session', { delivery: 'unknown' }))
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.#ending.abort()
    const connections = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current])]
    this.#current = undefined
    this.#retired.clear()
    await Promise.all(connections.map(({ peer }) => peer.close()))
    await this.#opening?.catch(() => {})
  }

  async #open(): Promise<Connection> {
    const again = this.#opened
    await this.#pause()
    const connectMs = Math.min(this.#options.connectMs, LONGEST_TIMER_MS)
    const limit = timeLimit(connectMs, this.#ending.signal)
    let connection: Connection | undefined
    let lost: PorticoError | undefined
    const events = this.#events.peer((error) => {
      lost = error
      if (connection !== undefined) this.#lost(connection, error)
    })
    try {
      connection = await this.#patiently(() => this.#connector.open(this.#profile, events, limit), limit)
    } catch (error) {
      this.#failed(ownLackOf(error) !== undefined)
      const late = limit.aborted && error instanceof PorticoError && error.code === 'aborted'
      throw toConnectError(late ? tooLate(connectMs, error) : error, this.closed)
    }
    if (this.closed) {
      await connection.peer.close()
      throw closedError()
    }
    if (lost !== undefined) {
      this.#failed()
      throw new PorticoError('closed', lost.message, { cause: lost, delivery: 'not-sent' })
    }
    this.#failures = 0
    this.#opened = true
    this.#current = connection
    this.#events.connected(connection, again)
    return connection
  }

  /** A server that is there and asks for a little time gets it, as far as connecting may take. */
  async #patiently(open: () => Promise<Connection>, limit: AbortSignal): Promise<Connection> {
    const deadline = performance.now() + this.#options.connectMs
    for (;;) {
      try {
        return await open()
      } catch (error) {
        const waitMs = Math.max(FIRST_WAIT_MS, httpFault(error)?.retryAfterMs ?? Number.POSITIVE_INFINITY)
        if (limit.aborted || performance.now() + waitMs >= deadline) throw error
        await pause(waitMs, limit)
      }
    }
  }

  #lost(connection: Connection, error: PorticoError): void {
    this.#retired.delete(connection)
    if (this.#current !== connection) return
    this.#current = undefined
    this.#failed()
    this.#events.lost(error)
  }

  /** A start that failed for what this process lacks (`isOurs`) is no crash of the server. */
  #failed(isOurs = false): void {
    const step = Math.min(FIRST_WAIT_MS * GROWTH ** this.#failures, LONGEST_WAIT_MS)
    this.#failures++
    this.#notBefore = performance.now() + step * (1 - JITTER + 2 * JITTER * (this.#options.random ?? Math.random)())
    if (this.#connector.restarts && !isOurs) this.#crashes.push(performance.now())
  }

  async #pause(): Promise<void> {
    const now = performance.now()
    this.#crashes = this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS)
    const oldest = this.#crashes.at(-CRASH_BUDGET - 1)
    if (oldest !== undefined) {
      this.#notBefore = oldest + CRASH_WINDOW_MS
      const text = `The server ended more than ${CRASH_BUDGET} times within ${CRASH_WINDOW_MS / 60_000} minutes`
      throw new PorticoError('closed', `${text}; it is not started again for now`, { delivery: 'not-sent' })
    }
    if (this.#notBefore > now) await pause(this.#notBefore - now, this.#ending.signal)
  }
}

const FIRST_WAIT_MS = 100
const GROWTH = 1.6
const JITTER = 0.2
const LONGEST_WAIT_MS = 30_000
const CRASH_BUDGET = 4
const CRASH_WINDOW_MS = 180_000

/** Nobody cancelled anything: the server has been silent for too long. */
function tooLate(connectMs: number, cause: unknown): PorticoError {
  const message = `No connection within ${connectMs} ms (connectMs)`
  return new PorticoError('connect-failed', message, { cause, delivery: 'not-sent' })
}

function closedError(): PorticoError {
  return new PorticoError('closed', 'The client was closed', { delivery: 'not-sent' })
}

/** Whatever went wrong, the caller's request was not sent. */
function toConnectError(error: unknown, closed: boolean): PorticoError {
  if (closed) return closedError()
  if (error instanceof RpcError) return new RpcError(error.rpcCode, error.message, error.data, error)
  if (error instanceof PorticoError) {
    const { code, message, data } = error
    return new PorticoError(code === 'aborted' ? 'connect-failed' : code, message, {
      cause: error,
      data,
      delivery: 'not-sent',
    })
  }
  return new PorticoError('connect-failed', String(error), { cause: error, delivery: 'not-sent' })
}
