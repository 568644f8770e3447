/**
 * The server's end of stdio: a channel on this process's own streams. The streams outlive the channel, so they are
 * flushed but never ended; keeping other output off the wire is the business of `serve/stray-output.ts`, which hands in
 * the true `write`.
 */

import type { Readable, Writable } from 'node:stream'
import { type ByteStreamChannel, type ByteStreamLimits, createByteStreamChannel } from './byte-stream.ts'

interface StdioChannelOptions {
  readonly stdin?: Readable
  readonly stdout?: Writable
  readonly limits?: ByteStreamLimits
  readonly write?: (text: string, done?: () => void) => boolean
  /** How long `close` waits for the client to take what is queued. */
  readonly closeMs?: number
}

export function createStdioChannel(options: StdioChannelOptions = {}): ByteStreamChannel {
  return createByteStreamChannel({
    readable: options.stdin ?? process.stdin,
    writable: options.stdout ?? process.stdout,
    label: 'stdio',
    owned: false,
    limits: options.limits,
    write: options.write,
    closeMs: options.closeMs,
  })
}
