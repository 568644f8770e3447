/** Listening on Node, with the outcome as a promise. WebSocket and plain sockets begin here. */

import type { ListenOptions, Server } from 'node:net'
import { PorticoError } from '../../jsonrpc/errors.ts'

/** Errors after the start, such as too many open files, concern single connections: they are told to `report`. */
export function startListening(node: Server, where: ListenOptions, report: (error: Error) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      reject(cannotListen(where.path ?? `${where.host}:${where.port}`, where.port, cause))
    }
    node.once('error', failed)
    node.listen(where, () => {
      node.off('error', failed)
      node.on('error', report)
      resolve()
    })
  })
}

/** Says in its first words what is wrong, then what can be done about it. `port` is undefined for a socket's path. */
export function cannotListen(where: string, port: number | undefined, cause: Error): PorticoError {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  const advice = ADVICE.get(code)
  const taken = code === 'EADDRINUSE' && port !== undefined
  const what = taken ? `Port ${port} is in use: cannot listen on ${where}` : `Cannot listen on ${where}`
  return withoutFrames(
    () => new PorticoError('connect-failed', `${what}: ${code}${advice ? ` (${advice})` : ''}`, { cause }),
  )
}

/** The frames would be of this package alone, and a program that does not catch it would print its minified lines. */
function withoutFrames(make: () => PorticoError): PorticoError {
  const limit = Error.stackTraceLimit
  // Not to be written to where a program has frozen what the language brings.
  const isSet = Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return make()
  } finally {
    if (isSet) Error.stackTraceLimit = limit
  }
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program listens there; stop it, or choose another port, 0 for any that is free'],
  ['EACCES', 'this user may not; choose a port from 1024 on, or a folder that the user can write to'],
  ['EADDRNOTAVAIL', 'this machine has no such address; choose one of its own, such as 127.0.0.1'],
  ['ENOTFOUND', 'no address has this name; choose an address of this machine, such as 127.0.0.1'],
])

export function stopListening(node: Server): Promise<void> {
  return new Promise((resolve) => node.close(() => resolve()))
}
