/** Limits of time that a busy machine does not pass by itself: what is slow here is the fault, not its neighbours. */

import { Server } from 'node:http'

export const PATIENT = { headersTimeoutMs: 120_000, requestTimeoutMs: 240_000 } as const

const { listen } = Server.prototype

/** Idle connections are kept for longer than any run takes; how a server ends them is another suite's matter. */
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.keepAliveTimeout = 120_000
  // The overloads of `listen` differ only in what may be left out.
  return (listen as (...args: unknown[]) => Server).apply(this, args)
} as typeof listen
