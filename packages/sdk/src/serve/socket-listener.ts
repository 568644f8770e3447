/** Listening on Node, with the outcome as a promise. WebSocket and plain sockets begin here. */

import type { ListenOptions, Server } from 'node:net'
import { PorticoError } from '../jsonrpc/errors.ts'

/** Errors after the start, such as too many open files, concern single connections: they are told to `report`. */
export function startListening(node: Server, where: ListenOptions, report: (error: Error) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      const at = where.path ?? `${where.host}:${where.port}`
      reject(new PorticoError('connect-failed', `Cannot listen on ${at}`, { cause }))
    }
    node.once('error', failed)
    node.listen(where, () => {
      node.off('error', failed)
      node.on('error', report)
      resolve()
    })
  })
}

export function stopListening(node: Server): Promise<void> {
  return new Promise((resolve) => node.close(() => resolve()))
}
