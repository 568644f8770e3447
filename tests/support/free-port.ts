/**
 * A port of this machine that was free a moment ago, for programs that must be told theirs. It is none of those that systems
 * give to connections going out (from 32768 on Linux, 49152 elsewhere), which another process may get in between.
 */

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(16_000, 32_000)
    if (await isFree(port)) return port
  }
  throw new Error('no port between 16000 and 32000 is free')
}

async function isFree(port: number): Promise<boolean> {
  const socket = createServer()
  return await new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.listen(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })
}
