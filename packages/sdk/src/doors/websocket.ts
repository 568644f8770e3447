/** `@portico/sdk/websocket`: serve over WebSocket on Node, and a channel over any WebSocket that is open. */

export type { WebSocketAttachment, WebSocketListener, WebSocketOptions } from '../serve/websocket.ts'
export { attachWebSocket, serveWebSocket } from '../serve/websocket.ts'
export type { UpgradeOptions } from '../serve/websocket-upgrade.ts'
export type { WebSocketChannelOptions, WebSocketLike, WebSocketLimits } from '../transport/websocket-channel.ts'
export { createWebSocketChannel, WEBSOCKET_LIMITS } from '../transport/websocket-channel.ts'
export { KeepAlive, type KeepAliveOptions } from '../transport/websocket-keep-alive.ts'
