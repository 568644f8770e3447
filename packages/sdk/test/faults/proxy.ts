/** A TCP proxy that breaks connections in every way a network can: cut, reset, silent, slow, or with other bytes. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** One connection through the proxy, as hooks see it. */
export interface Passage {
  /** Sends bytes to the client as if they came from the server. */
  answer(bytes: string | Buffer): void
  /** RST to both sides. */
  reset(): void
  /** FIN to the client, after what was sent. */
  end(): void
}

export interface ProxyHooks {
  /** Sees what the client sends; gives what is passed on, or undefined for nothing. */
  request?(bytes: Buffer, passage: Passage): Buffer | undefined
  /** The same for what the server sends. */
  response?(bytes: Buffer, passage: Passage): Buffer | undefined
}

export interface Pace {
  readonly bytes: number
  readonly everyMs: number
}

export class FaultProxy {
  hooks: ProxyHooks = {}
  /** How fast bytes pass; at once unless set. */
  pace: Pace | undefined
  readonly #pairs = new Set<Pair>()
  readonly #server: Server
  #targetPort: number
  #held = false

  private constructor(targetPort: number) {
    this.#targetPort = targetPort
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
  }

  static async open(targetPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

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

  release(): void {
    this.#held = false
    for (const pair of this.#pairs) pair.pump()
  }

  get held(): boolean {
    return this.#held
  }

  cut(how: 'reset' | 'end'): void {
    for (const pair of this.#pairs) pair[how]()
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket): void {
    const pair = new Pair(this, client, connect(this.#targetPort, '127.0.0.1'))
    this.#pairs.add(pair)
    client.once('close', () => this.#pairs.delete(pair))
  }
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
    client.on('data', (bytes) => {
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
