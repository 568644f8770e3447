/** A way to a port that can be cut, be silent, and be mended. */

import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

export interface Breaker {
  readonly port: number
  /** Ends all connections and takes no more. */
  cut(): void
  /** Passes nothing on any more, and ends nothing. */
  silence(): void
  mend(): void
  stop(): void
}

export async function startBreaker(target: number): Promise<Breaker> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'silent' = 'open'
  const follow = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    follow(near)
    if (state === 'cut') {
      near.destroy()
      return
    }
    if (state === 'silent') return
    const far = follow(connect(target, '127.0.0.1'))
    near.on('data', (bytes) => state === 'open' && far.write(bytes))
    far.on('data', (bytes) => state === 'open' && near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    cut() {
      state = 'cut'
      endAll()
    },
    silence() {
      state = 'silent'
    },
    mend() {
      state = 'open'
    },
    stop() {
      endAll()
      server.close()
    },
  }
}
