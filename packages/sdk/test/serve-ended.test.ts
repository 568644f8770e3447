/** What a server holds of connections that have ended: nothing, also before the next one comes. */

import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import v8, { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { createServer } from '../src/server/server.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** How many connections this process holds, after what nobody needs was collected. */
function countSockets(): number {
  collect()
  // In Node since 20.13; the types of the oldest supported version do not have it.
  const { queryObjects } = v8 as unknown as { queryObjects(kind: unknown, options: { format: 'count' }): number }
  return queryObjects(Socket, { format: 'count' })
}

it.runIf('queryObjects' in v8)(
  'reliability: a connection that has ended is not held, with its request and its answer, until others come',
  async () => {
    const served = await serveHttp(createServer({ name: 'x', version: '1' }), { port: 0 })
    try {
      const before = countSockets()
      for (let at = 0; at < 20; at++) {
        const socket = connect(served.port, '127.0.0.1')
        socket.end('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}')
        socket.resume()
        await once(socket, 'close')
      }
      await vi.waitFor(() => expect(countSockets()).toBeLessThan(before + 5), { timeout: 60_000, interval: 100 })
    } finally {
      await served.close()
    }
  },
)
