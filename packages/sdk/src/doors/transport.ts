/** `@portico/sdk/transport`: what a transport of your own is made of. Runs on every runtime. */

export { type JsonLimits, type JsonParsed, parseJson } from '../framing/json.ts'
export type { Channel, ChannelEvents, Malformed, Urgency } from '../jsonrpc/channel.ts'
export { PorticoError } from '../jsonrpc/errors.ts'
export { serveChannel } from '../serve/channel.ts'
export type { Connection, ConnectionOptions } from '../session/connection.ts'
export { createMemoryChannels } from '../transport/memory.ts'
export { type SendLimits, SendQueue, type SendQueueOptions } from '../transport/send-queue.ts'
