/**
 * Passes a request to another replica and its answer back to the caller, both as they come: a caller that leaves ends the
 * request there, one that reads slowly slows the other replica down.
 */

import { connect, type Socket } from 'node:net'
import type { HttpRequest, Reply, StreamWriter } from '@portico/sdk/internal'
import type { Principal } from '@portico/sdk/server'
import { type Hop, toHop, withChallenge } from './hop.ts'
import { greet, type HopConnection, type HopUser, NOT_KNOWN } from './hop-connection.ts'
import type { Frame } from './hop-frames.ts'
import type { Seal } from './seal.ts'

/**
 * What came of it: the caller has its answer; the replica says that it is elsewhere; nobody listens there; it could not be
 * reached, or not in time, and nothing was done; the connection was closed before it was taken, and nothing was done; it was
 * taken, and nobody knows what came of it.
 */
export type Passed = 'answered' | 'moved' | 'refused' | 'unreachable' | 'dropped' | 'lost'

interface Passing {
  readonly request: HttpRequest
  readonly principal: Principal | undefined
  readonly body: string | undefined
}

const CONNECT_MS = 3_000
/** The kernel connects for a replica that is busy; it greets when it comes to it. */
const GREET_MS = 15_000
const MAX_IDLE = 256
const IDLE_MS = 30_000
const DEAD = new Set(['ECONNREFUSED', 'ENOENT'])
const CLOSED = new Set(['ECONNRESET', 'EPIPE'])

export class Forwarder {
  readonly #seal: Seal
  /** Connections that nobody uses, by the name of the replica and its address. */
  readonly #idle = new Map<string, HopConnection[]>()
  readonly #opening = new Set<Socket>()
  readonly #exchanges = new Set<Exchange>()
  #closed = false

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** Passes a request to the replica of this name at this address. */
  pass({ request, principal, body }: Passing, to: string, url: string, isThere: IsThere): Promise<Passed> {
    const place = `${to} ${url}`
    const keep = (connection: HopConnection): void => this.#keep(place, connection)
    const exchange = new Exchange(toHop(request, principal, body), request.reply, principal, keep)
    const stop = watch(isThere, () => exchange.abandon())
    this.#exchanges.add(exchange)
    const kept = this.#takeIdle(place)
    if (this.#closed) exchange.abandon()
    else if (kept !== undefined) exchange.begin(kept)
    else this.#open(to, url, exchange)
    return exchange.outcome.finally(() => {
      stop()
      this.#exchanges.delete(exchange)
    })
  }

  /** Ends the connections, those in use too. */
  close(): void {
    this.#closed = true
    for (const exchange of this.#exchanges) exchange.abandon()
    for (const socket of this.#opening) socket.destroy()
    for (const connections of this.#idle.values()) for (const connection of connections) connection.destroy()
  }

  #open(to: string, url: string, exchange: Exchange): void {
    const socket = connect(toAddress(url))
    this.#opening.add(socket)
    const giveUp = (): void => void socket.destroy(Object.assign(new Error('No answer'), { code: 'ETIMEDOUT' }))
    let timer = setTimeout(giveUp, CONNECT_MS)
    exchange.opens(socket)
    const opened = new Promise<HopConnection>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => reject(Object.assign(new Error('Closed'), { code: 'ECONNRESET' })))
      socket.once('connect', () => {
        clearTimeout(timer)
        timer = setTimeout(giveUp, GREET_MS)
        greet(socket, this.#seal, to).then(resolve, reject)
      })
    })
    opened
      .then(
        (connection) => exchange.begin(connection),
        ({ code }: NodeJS.ErrnoException) => exchange.notOpened(code),
      )
      .finally(() => {
        clearTimeout(timer)
        this.#opening.delete(socket)
      })
  }

  /** The one that was used last, so that those which are too many come to their end. */
  #takeIdle(place: string): HopConnection | undefined {
    const connection = this.#idle.get(place)?.at(-1)
    if (connection !== undefined) this.#forget(place, connection)
    return connection
  }

  /** Those that are idle for long are closed: their replica may be gone. */
  #keep(place: string, connection: HopConnection): void {
    const connections = this.#idle.get(place) ?? []
    if (this.#closed || connections.length >= MAX_IDLE || connection.isClosed) {
      connection.destroy()
      return
    }
    connections.push(connection)
    this.#idle.set(place, connections)
    connection.rest(IDLE_MS, () => this.#forget(place, connection))
  }

  #forget(place: string, connection: HopConnection): void {
    const connections = this.#idle.get(place) ?? []
    const at = connections.lastIndexOf(connection)
    if (at >= 0) connections.splice(at, 1)
    if (connections.length === 0) this.#idle.delete(place)
  }
}

/** Whether the replica is still one, as far as the others know. */
type IsThere = () => Promise<boolean>

const WATCH_MS = 2_000

/**
 * Looks now and then whether the replica that a request waits for is still there. One that stands still holds its connections open,
 * and nobody would ever hear of them again.
 */
function watch(isThere: IsThere, gone: () => void): () => void {
  const look = (): void => {
    isThere().then(
      (there) => there || gone(),
      // Nobody can know while the store is away.
      () => undefined,
    )
  }
  const timer = setInterval(look, WATCH_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function toAddress(url: string): { readonly path: string } | { readonly host: string; readonly port: number } {
  if (url.startsWith('unix:')) return { path: url.slice(5) }
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** One request on its way, until the caller has all of its answer. */
class Exchange implements HopUser {
  readonly outcome: Promise<Passed>
  readonly #hop: Hop
  readonly #reply: Reply
  readonly #principal: Principal | undefined
  /** Takes the connection back once it is free. */
  readonly #keep: (connection: HopConnection) => void
  #settle: (passed: Passed) => void = () => undefined
  #connection: HopConnection | undefined
  #socket: Socket | undefined
  #writer: StreamWriter | undefined
  #state: 'opening' | 'sent' | 'taken' | 'streaming' | 'over' = 'opening'

  constructor(hop: Hop, reply: Reply, principal: Principal | undefined, keep: (connection: HopConnection) => void) {
    this.#hop = hop
    this.#reply = reply
    this.#principal = principal
    this.#keep = keep
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve
    })
    reply.watch({ gone: () => this.#gone() })
  }

  /** The socket that becomes its connection. */
  opens(socket: Socket): void {
    this.#socket = socket
  }

  /** `code` says why there is no connection; nothing was sent. */
  notOpened(code: string | undefined): void {
    if (this.#state === 'over') return
    if (code === NOT_KNOWN) this.#over('moved')
    else if (code !== undefined && CLOSED.has(code)) this.#over('dropped')
    else this.#over(code !== undefined && DEAD.has(code) ? 'refused' : 'unreachable')
  }

  begin(connection: HopConnection): void {
    if (this.#state === 'over') {
      this.#keep(connection)
      return
    }
    this.#connection = connection
    this.#state = 'sent'
    connection.use(this)
    connection.send(this.#hop)
  }

  received(value: unknown): void {
    // Only a replica writes what opens on this connection.
    const frame = value as Frame
    const { kind } = frame
    if (kind === 'taken') this.#state = 'taken'
    else if (kind === 'stream') this.#stream(frame.headers)
    else if (kind === 'write') {
      if (this.#writer?.write(frame.text) === false) this.#connection?.pause()
    } else this.#last(frame)
  }

  drained(): void {}

  closed(code: string | undefined): void {
    if (this.#state === 'over') return
    if (this.#state === 'streaming') {
      this.#over('answered')
      // Broken off, not ended: the caller knows that there was more to come.
      this.#writer?.abort()
    } else this.#over(this.#state === 'sent' && (code === undefined || CLOSED.has(code)) ? 'dropped' : 'lost')
  }

  /** Nobody is there any more who could answer; whether it was done is not known. */
  abandon(): void {
    if (this.#state === 'opening') this.#over('unreachable')
    else if (this.#state === 'sent' || this.#state === 'taken') this.#over('lost')
    else this.closed(undefined)
    this.#end()
  }

  #last(frame: Frame): void {
    const { kind } = frame
    const connection = this.#connection
    this.#over(kind === 'moved' ? 'moved' : 'answered')
    if (kind === 'json') this.#reply.json(frame.status, frame.text, withChallenge(frame.headers, this.#principal))
    else if (kind === 'empty') this.#reply.empty(frame.status, frame.headers)
    else if (kind === 'end') this.#writer?.end()
    if (connection !== undefined) this.#keep(connection)
  }

  #stream(headers: readonly string[] | undefined): void {
    this.#state = 'streaming'
    this.#writer = this.#reply.stream(headers)
    this.#writer.open({ drained: () => this.#connection?.resume(), closed: () => this.#gone() })
  }

  #gone(): void {
    if (this.#state === 'over') return
    this.#over('answered')
    this.#end()
  }

  /** What the other replica still does for this request is given up there when the connection ends. */
  #end(): void {
    this.#socket?.destroy()
    this.#connection?.destroy()
  }

  #over(passed: Passed): void {
    this.#state = 'over'
    this.#settle(passed)
  }
}
