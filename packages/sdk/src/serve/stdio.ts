/**
 * Serves a server over this process's standard streams and ends the process with the conversation: at the end of
 * input, on SIGTERM and SIGINT, and when nobody reads any more (sec-44). `serveStdio(server)` is all that a program
 * started by a client needs. Node only.
 */

import type { Readable, Writable } from 'node:stream'
import { type OptionTable, requireOptions } from '../jsonrpc/option-table.ts'
import { endpointOf, type Server } from '../server/server.ts'
import { CONNECTION_LIMITS, type Connection, serveChannel } from '../session/connection.ts'
import { createStdioChannel } from '../transport/stdio.ts'
import { Load } from './rules/http-load.ts'
import { LIMIT_OPTIONS, type PipeLimits, withDefaults } from './rules/limits.ts'
import { divertStrayOutput } from './stray-output.ts'

/** Which streams are served, and what happens when they end. */
export interface StdioOptions {
  /** Whether the process exits when the conversation is over: true unless given. */
  readonly exit?: boolean
  readonly stdin?: Readable
  readonly stdout?: Writable
  /** How long requests under way may still take when the conversation ends: 5 s unless given. */
  readonly graceMs?: number
  readonly limits?: PipeLimits
}

const STDIO_OPTIONS: OptionTable<StdioOptions> = {
  exit: 'flag',
  stdin: 'record',
  stdout: 'record',
  graceMs: 'time',
  limits: LIMIT_OPTIONS,
}

/**
 * Serves over standard input and output, and ends the process when the client has gone. What the program prints by
 * `console.log` meanwhile goes to standard error.
 *
 * @example
 * ```ts
 * import { serveStdio } from '@portico/sdk/stdio'
 * import { createServer, tool } from '@portico/sdk/server'
 *
 * const time = tool({ description: 'The time of day' }, () => new Date().toISOString())
 * serveStdio(createServer({ name: 'clock', version: '1.0.0', tools: { time } }))
 * ```
 */
export function serveStdio(server: Server, options: StdioOptions = {}): Connection {
  requireOptions('serveStdio', options, STDIO_OPTIONS)
  const { exit = true, stdin, stdout, limits, graceMs = CONNECTION_LIMITS.graceMs } = options
  const stray = divertStrayOutput(stdout)
  const channel = createStdioChannel({ stdin, stdout, limits, write: stray.write, closeMs: graceMs })
  const endpoint = endpointOf(server)
  const bounds = withDefaults(limits)
  const load = new Load(bounds, endpoint)
  const connection = serveChannel(endpoint, channel, { ...bounds, graceMs, load })

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
    exitAfterStderr()
  })
  return connection
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const STDERR_MS = 200

/** What was logged last is often what somebody needs, but a stderr that nobody reads keeps no process. */
function exitAfterStderr(): void {
  const leave = (): never => process.exit()
  if (process.stderr.writableLength === 0) leave()
  process.stderr.write('', leave)
  setTimeout(leave, STDERR_MS)
}
