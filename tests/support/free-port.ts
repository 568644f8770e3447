/** A port of this machine that was free a moment ago, for programs that must be told theirs. */

import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const socket = createServer()
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve))
  const address = socket.address()
  await new Promise((resolve) => socket.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
