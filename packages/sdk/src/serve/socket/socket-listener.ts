/** Listening on Node, with the outcome as a promise. WebSocket and plain sockets begin here. */

import type { ListenOptions, Server } from 'node:net'
import { PorticoError } from '../../jsonrpc/errors.ts'

/** Errors after the start, such as too many open files, concern single connections: they are told to `report`. */
export function startListening(node: Server, where: ListenOptions, report: (error: Error) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      reject(cannotListen(where.path ?? `${where.host}:${where.port}`, cause))
    }
    node.once('error', failed)
    node.listen(where, () => {
      node.off('error', failed)
      node.on('error', report)
      resolve()
    })
  })
}

/** Says where, why, and what can be done about it. */
export function cannotListen(where: string, cause: Error): PorticoError {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  const advice = ADVICE.get(code)
  return new PorticoError('connect-failed', `Cannot listen on ${where}: ${code}${advice ? ` (${advice})` : ''}`, {
    cause,
  })
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
