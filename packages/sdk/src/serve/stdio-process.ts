/**
 * Serves an endpoint over this process's standard streams and ends the process with the conversation: at the end of
 * input, on SIGTERM and SIGINT, and when nobody reads any more. `serve/stdio.ts` is its public face. Node only.
 */

import type { Readable, Writable } from 'node:stream'
import type { Endpoint } from '../session/endpoint.ts'
import type { ByteStreamLimits } from '../transport/byte-stream.ts'
import { createStdioChannel } from '../transport/stdio.ts'
import { CONNECTION_LIMITS, type Connection, serveChannel } from './connection.ts'
import { divertStrayOutput } from './stray-output.ts'

export interface StdioOptions {
  /** Whether the process exits when the conversation is over: true unless given. */
  readonly exit?: boolean
  readonly stdin?: Readable
  readonly stdout?: Writable
  /** How long requests under way may still take when the conversation ends: 5 s unless given. */
  readonly graceMs?: number
  readonly limits?: ByteStreamLimits & { readonly maxBatch?: number; readonly maxInFlight?: number }
}

export function serveOverStdio(endpoint: Endpoint, options: StdioOptions = {}): Connection {
  const { exit = true, stdin, stdout, limits, graceMs = CONNECTION_LIMITS.graceMs } = options
  const stray = divertStrayOutput(stdout)
  const channel = createStdioChannel({ stdin, stdout, limits, write: stray.write, closeMs: graceMs })
  const connection = serveChannel(endpoint, channel, { ...limits, graceMs, ownsEndpoint: true })

  let signalled = false
  const onSignal = (): void => {
    // Whoever asks twice does not want to wait.
    if (signalled) process.exit(1)
    signalled = true
    void connection.drain()
  }
  if (exit) for (const signal of SIGNALS) process.on(signal, onSignal)
  void connection.closed.then(() => {
    stray.restore()
    if (!exit) return
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.exit(0)
  })
  return connection
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
