/** What `connect` can be told besides what a client can, and what it can connect to. */

import type { Authorizer } from '../auth/client/authorization.ts'
import type { OAuthOptions } from '../auth/client/token-source.ts'
import type { TlsIdentity } from '../auth/tls-identity.ts'
import type { Link, ProcessView } from '../client/link.ts'
import type { Negotiated } from '../client/negotiated.ts'
import type { ClientOptions } from '../client/options.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import type { Connectable } from '../session/connectable.ts'
import type { FetchFunction } from '../transport/http-client/http-client.ts'
import type { WebSocketConstructor } from '../transport/websocket/websocket-client.ts'
import type { KeepAliveOptions } from '../transport/websocket/websocket-keep-alive.ts'
import type { HeaderSource, HttpLinkOptions } from './http-link.ts'

/** A program that speaks MCP on its standard streams. */
export interface CommandTarget {
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Variables for the program, besides a short list of what every program needs. Nothing else of this process's
   * environment is passed on.
   */
  readonly env?: { readonly [name: string]: string | undefined }
  readonly cwd?: string
}

/**
 * A URL (`http:`, `https:`, `ws:`, `wss:`, `tcp://host:port`, `unix:/path`), a program, a server in this process, or a
 * channel that somebody else has opened.
 */
export type Target = string | URL | CommandTarget | Connectable | Channel

/** What `connect` can be told, besides where to. */
export interface ConnectOptions extends ClientOptions {
  /** The revisions that may be settled on; one pins it. All unless given. */
  readonly versions?: ProtocolVersion | readonly ProtocolVersion[]
  /** What an earlier connection found out (`client.negotiated`): saves the probing, and is corrected when wrong. */
  readonly prior?: Negotiated
  /** Where outcomes of negotiation are kept between connections of this process. `false` keeps none, as does `cache: false`. */
  readonly negotiations?: Map<string, Negotiated> | false
  /** How long a server may be silent on discovery before the older handshake is tried beside it. */
  readonly discoverMs?: number
  /** Headers for every HTTP request, and for the one that opens a WebSocket, such as `authorization`. */
  readonly headers?: HeaderSource
  readonly onRefused?: HttpLinkOptions['onRefused']
  /** For the methods of extensions: the parameter that the `Mcp-Name` header mirrors. */
  readonly nameSources?: { readonly [method: string]: string }
  /** Signs in to protected servers, over HTTP and WebSocket: how tokens are got, or an authorizer of your own. */
  readonly auth?: OAuthOptions | Authorizer
  /** A client certificate, and whom to trust. On Node, for `https:` and `wss:` targets. */
  readonly tls?: TlsIdentity
  /** Used in place of the runtime's own HTTP. */
  readonly fetch?: FetchFunction
  /** Used in place of the package `ws` and the runtime's own. The web's kind sends no headers: `headers`, `tls` and `auth` are then refused. */
  readonly webSocket?: WebSocketConstructor
  /**
   * When a server that is gone without a word is noticed: WebSocket connections are pinged, and event streams that have
   * a heartbeat may be silent for both times together.
   */
  readonly keepAlive?: KeepAliveOptions
  /**
   * Puts something between the client and every link it opens, to watch or to bound what passes. For packages that are
   * released together with this one: what a link is may change. A transport of your own is a `Channel`.
   */
  readonly wrapLink?: (link: Link) => Link
  /** Told of every program that is started for this client, before it has said a word. */
  readonly onProcess?: (process: ProcessView) => void
  /**
   * How messages cross to a server in this process: as JSON `text`, as over any other transport, unless given. By
   * `reference`, both sides get copies of what the text would have said: quicker, and just as separate.
   */
  readonly transfer?: 'text' | 'reference'
  /** Cancels connecting. */
  readonly signal?: AbortSignal
}
