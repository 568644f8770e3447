/** `@portico/sdk/socket`: serve on a Unix socket or a TCP port of this machine. */

export { type SocketListener, type SocketOptions, serveSocket } from '../serve/socket/socket.ts'
export type { ByteStreamChannel, ByteStreamLimits, ByteStreamOptions } from '../transport/byte-stream.ts'
export { createByteStreamChannel } from '../transport/byte-stream.ts'
