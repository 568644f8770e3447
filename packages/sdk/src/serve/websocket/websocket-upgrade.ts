/**
 * Answers a request to upgrade to WebSocket: checks where it comes from, who is asking, whether there is room, and makes
 * the handshake only then. A request that is turned down gets an HTTP answer and no handler runs. `websocket.ts`
 * attaches this to a listening server; the conversation itself is served like any other channel. Node only.
 */

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { JsonLimits } from '../../framing/json.ts'
import { Receiving } from '../../framing/receiving.ts'
import { Sending } from '../../framing/sending.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { OptionTable } from '../../jsonrpc/option-table.ts'
import { serveChannel } from '../../session/connection.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { RequestHead } from '../../session/exchange.ts'
import { createWebSocketChannel } from '../../transport/websocket/websocket-channel.ts'
import { KeepAlive, type KeepAliveOptions } from '../../transport/websocket/websocket-keep-alive.ts'
import { answerPings } from '../../transport/websocket/websocket-pongs.ts'
import { NodeExchange } from '../adapters/http-node.ts'
import { toAdmission } from '../rules/authorization.ts'
import { isPath } from '../rules/http-headers.ts'
import { Load } from '../rules/http-load.ts'
import { isRefusal, type Refusal, refuse } from '../rules/http-refusal.ts'
import { type AllLimits, JSON_OPTIONS, LIMIT_OPTIONS, type UpgradeLimits, withDefaults } from '../rules/limits.ts'
import {
  createOriginCheck,
  ORIGIN_CHECK_OPTIONS,
  type OriginCheck,
  type OriginCheckOptions,
} from '../rules/origin-check.ts'
import { DRAINING, INTERNAL, NOT_FOUND, NOT_WEBSOCKET, OTHER_SUBPROTOCOL } from '../rules/refusals.ts'
import { Connections, type Place } from '../socket/socket-connections.ts'
import type { Authentication } from '../streamable/streamable-options.ts'

/** How connections over WebSocket are let in and bounded. */
export interface UpgradeOptions extends OriginCheckOptions, KeepAliveOptions {
  /** The path of the MCP endpoint: `/mcp` unless given. */
  readonly path?: string
  /** Says who a connection comes from, once, before it is made. Undefined lets it pass as anonymous. */
  readonly authenticate?: (head: RequestHead) => Authentication | Promise<Authentication>
  readonly limits?: UpgradeLimits
  /** Bounds on the JSON of a message. */
  readonly json?: JsonLimits
  /** Time that requests under way have to finish when the server closes: 10 s unless given. */
  readonly graceMs?: number
  /** Failures that no client may see; by default they go to the server's own error hook. */
  readonly onError?: (error: unknown) => void
}

export const UPGRADE_OPTIONS: OptionTable<UpgradeOptions> = {
  ...ORIGIN_CHECK_OPTIONS,
  pingMs: 'time',
  pongMs: 'time',
  path: 'path',
  authenticate: 'function',
  limits: LIMIT_OPTIONS,
  json: JSON_OPTIONS,
  graceMs: 'time',
  onError: 'function',
}

const SUBPROTOCOL = 'mcp'
const GOING_AWAY = 1001
/** The server cannot take it now (RFC 6455's registry, 1013). */
const TRY_LATER = 1013
const CLOSE_MS = 5000
/** Bytes of a client's ping or pong before its payload: they come between the parts of a message, and are none of it. */
const CONTROL_HEAD = 6

export class WebSocketUpgrades {
  readonly path: string
  readonly #endpoint: Endpoint
  readonly #options: UpgradeOptions
  readonly #sockets: WebSocketServer
  readonly #keepAlive: KeepAlive
  readonly #limits: AllLimits
  readonly #load: Load
  readonly #connections: Connections
  readonly #boundHost: () => string | undefined
  #originCheck: OriginCheck | undefined
  #draining = false

  /** `boundHost` is asked at the first request: a server may be attached to before it listens. */
  constructor(endpoint: Endpoint, options: UpgradeOptions, boundHost: () => string | undefined) {
    this.path = options.path ?? '/mcp'
    this.#endpoint = endpoint
    this.#options = options
    this.#boundHost = boundHost
    this.#keepAlive = new KeepAlive(options)
    this.#limits = withDefaults(options.limits)
    const named = options.authenticate !== undefined
    this.#load = new Load(this.#limits, endpoint, named)
    this.#connections = new Connections(this.#limits, named)
    // The type of the package does not know `closeTimeout` yet: how long the peer may take to answer a close.
    const settings: ConstructorParameters<typeof WebSocketServer>[0] & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: this.#limits.maxFrameBytes,
      handleProtocols: () => SUBPROTOCOL,
      closeTimeout: CLOSE_MS,
    }
    this.#sockets = new WebSocketServer(settings)
  }

  owns(req: IncomingMessage): boolean {
    return isPath(req.url ?? '/', this.path)
  }

  async handle(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const res = new ServerResponse(req)
    const exchange = new NodeExchange(req, res)
    const turnDown = (refusal: Refusal): void => {
      attachResponse(res, socket)
      refuse(exchange, refusal)
    }
    // Unheard, a client that goes away meanwhile would end the process.
    socket.on('error', ignore)
    try {
      const place = this.#check(req, exchange.head) ?? this.#connections.enter()
      if (isRefusal(place)) {
        turnDown(place)
        return
      }
      socket.once('close', () => place.leave())
      const found = await this.#options.authenticate?.(exchange.head)
      const refusal = this.#admit(place, toAdmission(found))
      if (refusal !== undefined) turnDown(refusal)
      else this.#upgrade(req, socket, head, place)
    } catch (error) {
      const { onError } = this.#options
      if (onError === undefined) this.#endpoint.report(error, 'websocket')
      else tellObserver(() => onError(error))
      turnDown(INTERNAL)
    }
  }

  /** Refuses new connections, and lets requests under way finish before the open ones are closed. */
  async drain(): Promise<void> {
    this.#draining = true
    await this.#connections.drain(this.#options.graceMs ?? 10_000)
  }

  #check(req: IncomingMessage, head: RequestHead): Refusal | undefined {
    if (!this.owns(req)) return NOT_FOUND
    this.#originCheck ??= createOriginCheck(this.#options, this.#boundHost())
    const refusal = this.#originCheck.check(head)
    if (refusal !== undefined) return refusal
    if (this.#draining) return DRAINING
    if (head.header('upgrade')?.toLowerCase() !== 'websocket') return NOT_WEBSOCKET
    const offered = head.header('sec-websocket-protocol')
    // Early clients offer none (`docs/decisions/early-forms.md`); one that wants another protocol would not understand us.
    if (offered === undefined || offered.split(',').some((name) => name.trim() === SUBPROTOCOL)) return undefined
    return OTHER_SUBPROTOCOL
  }

  #admit(place: Place, found: Authentication): Refusal | undefined {
    if (found !== undefined && isRefusal(found)) return found
    return this.#draining ? DRAINING : place.claim(found)
  }

  /** The package answers a faulty handshake itself; the place is given back when the socket closes. */
  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, place: Place): void {
    const { json, graceMs } = this.#options
    const limits = this.#limits
    this.#sockets.handleUpgrade(req, socket, head, (webSocket) => {
      // What Node hands over at an upgrade is the connection's own socket, plain or TLS.
      const raw = socket as Socket
      const peer = place.principal?.id ?? raw.remoteAddress
      const receiving = new Receiving(limits, peer)
      boundReceiving(webSocket, raw, receiving)
      place.watch(receiving, () => webSocket.terminate())
      answerPings(webSocket, limits.stalledMs)
      const channel = createWebSocketChannel(webSocket, {
        raw,
        limits: { ...limits, ...json },
        sending: new Sending(limits, peer),
        keepAlive: this.#keepAlive,
        closeCode: GOING_AWAY,
        closeMs: CLOSE_MS,
      })
      place.connection = serveChannel(this.#endpoint, channel, {
        ...limits,
        graceMs,
        load: this.#load,
        principal: place.principal,
      })
    })
  }
}

/** Counts what has arrived since the last whole message, before the package takes it. */
function boundReceiving(webSocket: WebSocket, raw: Socket, receiving: Receiving): void {
  raw.prependListener('data', (chunk: Buffer) => {
    if (receiving.add(chunk.length) !== undefined) webSocket.close(TRY_LATER)
  })
  webSocket.on('message', () => receiving.done())
  const control = (payload: Buffer): void => receiving.remove(payload.length + CONTROL_HEAD)
  webSocket.on('ping', control).on('pong', control)
  raw.once('close', () => receiving.done())
}

/** Node's server has let go of the connection, so an answer has to be given it, and is the last there is. */
function attachResponse(res: ServerResponse, socket: Duplex): void {
  // What Node hands over at an upgrade is the connection's own socket.
  const raw = socket as Socket
  res.shouldKeepAlive = false
  res.assignSocket(raw)
  res.once('finish', () => raw.destroySoon())
}

function ignore(): void {}
