/** `@portico/sdk/websocket`: serve over WebSocket on Node, and a channel over any WebSocket that is open. */

export type { WebSocketAttachment, WebSocketListener, WebSocketOptions } from '../serve/websocket/websocket.ts'
export { attachWebSocket, serveWebSocket } from '../serve/websocket/websocket.ts'
export type { UpgradeOptions } from '../serve/websocket/websocket-upgrade.ts'
export type {
  WebSocketChannelOptions,
  WebSocketLike,
  WebSocketLimits,
} from '../transport/websocket/websocket-channel.ts'
export { createWebSocketChannel, WEBSOCKET_LIMITS } from '../transport/websocket/websocket-channel.ts'
export { KeepAlive, type KeepAliveOptions } from '../transport/websocket/websocket-keep-alive.ts'
