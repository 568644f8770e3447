/** A `Channel` to a server on a TCP or Unix socket: the framing of stdio without the process. Node only; loaded on demand. */

import { connect, type Socket } from 'node:net'
import type { Channel } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { type ByteStreamLimits, createByteStreamChannel } from './byte-stream.ts'

/** Opens `tcp://host:port` or `unix:/path/to/socket`. */
export async function openSocketChannel(url: URL, signal: AbortSignal, limits?: ByteStreamLimits): Promise<Channel> {
  const socket = await dial(url, signal)
  const label = url.protocol === 'unix:' ? `unix:${url.pathname}` : `tcp://${url.host}`
  return createByteStreamChannel({ readable: socket, writable: socket, label, limits })
}

function dial(url: URL, signal: AbortSignal): Promise<Socket> {
  const path = decodeURIComponent(url.pathname)
  const socket =
    url.protocol === 'unix:'
      ? connect({ path })
      : connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port), noDelay: true, keepAlive: true })
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown) => {
      signal.removeEventListener('abort', aborted)
      socket.destroy()
      const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'cancelled'
      const label = url.protocol === 'unix:' ? `unix:${path}` : url.host
      reject(new PorticoError('connect-failed', `No connection to ${label}: ${code}`, { cause, delivery: 'not-sent' }))
    }
    const aborted = () => failed(signal.reason)
    if (signal.aborted) {
      aborted()
      return
    }
    signal.addEventListener('abort', aborted, { once: true })
    socket.once('error', failed)
    socket.once('connect', () => {
      signal.removeEventListener('abort', aborted)
      socket.removeListener('error', failed)
      resolve(socket)
    })
  })
}
