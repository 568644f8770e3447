/** A TCP proxy that breaks connections in every way a network can: cut, reset, silent, slow, or with other bytes. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where a proxy passes connections on to. */
export interface ProxyTarget {
  readonly port: number
  /** This machine unless given. */
  readonly host?: string
  /** Whether the other side speaks TLS; the side of the proxy's callers never does. */
  readonly tls?: boolean
}

/** One connection through the proxy, as hooks see it. */
export interface Passage {
  /** Sends bytes to the client as if they came from the server. */
  answer(bytes: string | Buffer): void
  /** RST to both sides. */
  reset(): void
  /** FIN to the client, after what was sent. */
  end(): void
}

/** What a proxy does to the bytes that pass. */
export interface ProxyHooks {
  /** Sees what the client sends; gives what is passed on, or undefined for nothing. */
  request?(bytes: Buffer, passage: Passage): Buffer | undefined
  /** The same for what the server sends. */
  response?(bytes: Buffer, passage: Passage): Buffer | undefined
}

/** So many bytes at a time, and how long it takes until the next. */
export interface Pace {
  readonly bytes: number
  readonly everyMs: number
}

/**
 * A proxy on this machine that stands before a server and breaks what passes, as it is told.
 *
 * @example
 * ```ts
 * import { connect } from '@portico/sdk/client'
 * import { FaultProxy } from '@portico/sdk/testing/faults'
 *
 * const proxy = await FaultProxy.open({ port: 3000 })
 * const client = await connect(`http://127.0.0.1:${proxy.port}/mcp`)
 * // From here on every answer is a reset connection.
 * proxy.hooks = { response: (_bytes, passage) => void passage.reset() }
 * await client.callTool('search', { query: 'tea' }).catch((error) => console.log(error.code, error.delivery))
 * ```
 */
export class FaultProxy {
  hooks: ProxyHooks = {}
  /** Changes every piece that callers send, before anything else sees it; for names that the other side must read. */
  rewrite: ((bytes: Buffer) => Buffer) | undefined
  /** How fast bytes pass; at once unless set. */
  pace: Pace | undefined
  readonly #pairs = new Set<Pair>()
  readonly #server: Server
  readonly #targets: readonly ProxyTarget[]
  #next = 0
  #held = false

  private constructor(targets: readonly ProxyTarget[]) {
    this.#targets = targets
    this.#server = createServer({ allowHalfOpen: true }, (client) => void this.#accept(client))
  }

  /** Starts to listen. Of several targets each connection gets the next that takes it, as before a set of replicas. */
  static async open(...targets: readonly ProxyTarget[]): Promise<FaultProxy> {
    const proxy = new FaultProxy(targets)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  /** Where it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections that the client has not closed. */
  get open(): number {
    return this.#pairs.size
  }

  /** Lets nothing through in either direction, and drops nothing either: as if the cable were out. */
  hold(): void {
    this.#held = true
  }

  /** Lets everything through again, what was held back first. */
  release(): void {
    this.#held = false
    for (const pair of this.#pairs) pair.pump()
  }

  /** Whether nothing passes for now. */
  get held(): boolean {
    return this.#held
  }

  /** Ends every connection: by RST, or by FIN after what was sent. */
  cut(how: 'reset' | 'end'): void {
    for (const pair of this.#pairs) pair[how]()
  }

  /** Resets every connection and stops listening. */
  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #accept(client: Socket): Promise<void> {
    // What arrives before there is somebody to pass it on to waits in the socket.
    const gone = new Promise<undefined>((resolve) => client.once('close', () => resolve(undefined)))
    client.on('error', () => client.destroy())
    const reaching = this.#reach()
    const server = await Promise.race([reaching, gone])
    if (client.destroyed) {
      void reaching.then((late) => late?.destroy())
      return
    }
    if (server === undefined) {
      reset(client)
      return
    }
    const pair = new Pair(this, client, server)
    this.#pairs.add(pair)
    client.once('close', () => this.#pairs.delete(pair))
  }

  /** The next target that takes a connection. */
  async #reach(): Promise<Socket | undefined> {
    const from = this.#next++
    for (const index of this.#targets.keys()) {
      const target = this.#targets[(from + index) % this.#targets.length]
      const socket = target && (await open(target))
      if (socket !== undefined) return socket
    }
    return undefined
  }
}

function open({ port, host = '127.0.0.1', tls = false }: ProxyTarget): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = tls ? connectTls({ port, host, servername: host }) : connect(port, host)
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

class Pair implements Passage {
  readonly #client: Socket
  readonly #server: Socket
  readonly #toServer: Lane
  readonly #toClient: Lane

  constructor(proxy: FaultProxy, client: Socket, server: Socket) {
    this.#client = client
    this.#server = server
    this.#toServer = new Lane(proxy, server)
    this.#toClient = new Lane(proxy, client)
    client.on('data', (given) => {
      const bytes = proxy.rewrite?.(given) ?? given
      const passed = proxy.hooks.request ? proxy.hooks.request(bytes, this) : bytes
      if (passed !== undefined) this.#toServer.push(passed)
    })
    server.on('data', (bytes) => {
      const passed = proxy.hooks.response ? proxy.hooks.response(bytes, this) : bytes
      if (passed !== undefined) this.#toClient.push(passed)
    })
    client.on('end', () => this.#toServer.push(END))
    server.on('end', () => this.#toClient.push(END))
    client.on('error', () => reset(server))
    server.on('error', () => reset(client))
    client.on('close', () => this.#stop())
    server.on('close', () => {
      if (!proxy.held) client.destroySoon()
    })
  }

  pump(): void {
    this.#toServer.pump()
    this.#toClient.pump()
  }

  answer(bytes: string | Buffer): void {
    this.#toClient.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
  }

  reset(): void {
    reset(this.#client)
    reset(this.#server)
  }

  end(): void {
    this.#toClient.push(END)
    this.#server.destroy()
  }

  #stop(): void {
    this.#toServer.stop()
    this.#toClient.stop()
    this.#server.destroy()
  }
}

const END = Symbol('end')

/** A socket that has said its end can no longer be reset, and would stay open for having been asked. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** One direction of a connection: a queue that lets bytes through at the proxy's pace. */
class Lane {
  readonly #proxy: FaultProxy
  readonly #out: Socket
  #waiting: (Buffer | typeof END)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(proxy: FaultProxy, out: Socket) {
    this.#proxy = proxy
    this.#out = out
  }

  push(piece: Buffer | typeof END): void {
    this.#waiting.push(piece)
    this.pump()
  }

  pump(): void {
    while (!this.#proxy.held && this.#timer === undefined && this.#waiting.length > 0) {
      const piece = this.#waiting[0]
      const { pace } = this.#proxy
      if (piece === undefined) return
      if (piece === END) {
        this.#waiting.shift()
        this.#out.end()
      } else if (pace === undefined || piece.length <= pace.bytes) {
        this.#waiting.shift()
        this.#out.write(piece)
      } else {
        this.#waiting[0] = piece.subarray(pace.bytes)
        this.#out.write(piece.subarray(0, pace.bytes))
      }
      if (pace === undefined || piece === END) continue
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.pump()
      }, pace.everyMs)
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting = []
  }
}
