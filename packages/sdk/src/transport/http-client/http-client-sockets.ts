/**
 * Which kept-alive socket carries the next request on Node. A server may end an idle connection at any moment, and what
 * is written before its end is noticed is lost. So a request waits until the event loop has looked at the sockets once,
 * takes one that was idle by then, and none that its server is about to end (`Keep-Alive: timeout`). What is lost all
 * the same is for `http-client-repeat.ts`.
 */

import type { Agent, ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** What is known of a socket between two requests. */
interface Kept {
  /** The turn of the loop in which it became idle. */
  turn: number
  /** When it is too old to be used again. */
  until: number
  /** Bytes written before the request that has it now. */
  written: number
  idleMs: number
}

export class KeptSockets {
  readonly #agent: Agent
  readonly #kept = new WeakMap<Socket, Kept>()
  #waiting: Waiting[] = []
  #turn = 0
  #turning = false
  #hint = ''
  #hintMs = IDLE_MS

  constructor(agent: Agent) {
    this.#agent = agent
    const keep = agent.keepSocketAlive.bind(agent)
    const reuse = agent.reuseSocket.bind(agent)
    agent.keepSocketAlive = (socket) => {
      // Node's types say that nothing is returned; false means that the socket is not kept.
      const isKept = (keep(socket as Socket) as unknown) !== false
      if (isKept) this.#idle(socket as Socket)
      return isKept
    }
    agent.reuseSocket = (socket, request) => {
      const kept = this.#kept.get(socket as Socket)
      if (kept !== undefined) kept.written = (socket as Socket).bytesWritten
      reuse(socket, request)
    }
  }

  /** Calls `send` when the socket that the agent would give it is fit: at once where there is none, so that one is made. */
  whenFit(waiting: Waiting): void {
    if (!this.#hasIdle()) {
      waiting.send()
      return
    }
    waiting.turn = this.#turn + TURNS
    this.#waiting.push(waiting)
    this.#startTurning()
  }

  /** Takes note of how long the server keeps an idle connection. */
  answered(socket: Socket, keepAlive: string | undefined): void {
    if (keepAlive !== this.#hint) {
      this.#hint = keepAlive ?? ''
      const seconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d{1,9})/i.exec(this.#hint)?.[1]
      this.#hintMs = seconds === undefined ? IDLE_MS : Math.max(0, Number(seconds) * 1_000 - MARGIN_MS)
    }
    const kept = this.#kept.get(socket)
    if (kept === undefined) this.#kept.set(socket, { turn: 0, until: 0, written: 0, idleMs: this.#hintMs })
    else kept.idleMs = this.#hintMs
  }

  /** Whether nothing of a request was written to the socket that it was given. */
  wroteNothing(request: ClientRequest): boolean {
    const { socket } = request
    if (socket === null || !request.reusedSocket) return false
    return this.#kept.get(socket)?.written === socket.bytesWritten
  }

  #idle(socket: Socket): void {
    const kept = this.#kept.get(socket)
    if (kept === undefined) return
    kept.turn = this.#turn
    kept.until = performance.now() + kept.idleMs
  }

  #hasIdle(): boolean {
    for (const _ in this.#agent.freeSockets) return true
    return false
  }

  /** Puts a fit socket where the agent takes the next one from. False when there are sockets, and none is fit yet. */
  #isFit(): boolean {
    for (const name in this.#agent.freeSockets) {
      const idle = this.#agent.freeSockets[name] as Socket[]
      for (let at = idle.length - 1; at >= 0; at--) {
        const socket = idle[at]!
        if (!this.#isUsable(socket)) continue
        const last = idle.length - 1
        idle[at] = idle[last]!
        idle[last] = socket
        return true
      }
      // A client has one server: there is no other name.
      return idle.length === 0
    }
    return true
  }

  #isUsable(socket: Socket): boolean {
    const kept = this.#kept.get(socket)
    if (socket.destroyed || kept === undefined) return false
    if (performance.now() >= kept.until) {
      socket.destroy()
      return false
    }
    return this.#turn - kept.turn >= TURNS
  }

  #startTurning(): void {
    if (this.#turning) return
    this.#turning = true
    setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#turn++
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) {
      // Others may take what was about to be fit; that must not go on for ever.
      if (this.#turn >= one.turn && (this.#isFit() || this.#turn >= one.turn + MOST_TURNS)) one.send()
      else this.#waiting.push(one)
    }
    if (this.#waiting.length > 0) setImmediate(this.#next)
    else this.#turning = false
  }
}

/** A request that is yet to be sent. */
export interface Waiting {
  /** The turn of the loop that it waits for. */
  turn: number
  send(): void
}

/**
 * `setImmediate` runs right after the poll for events, so the second one comes after a poll that began later than now.
 * That poll costs a call about a tenth of its processor time. Nothing known beforehand can stand in for it: a server may
 * promise to keep a connection, or have kept it for many answers, and still end it with the next.
 */
const TURNS = 2
const MOST_TURNS = 8
/** How long a socket is kept for a server that does not say how long it does: most keep theirs for five seconds or more. */
const IDLE_MS = 4_000
/** What is on its way when the server's clock runs out would be lost. */
const MARGIN_MS = 1_000
