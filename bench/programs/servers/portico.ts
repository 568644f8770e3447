/** Portico, every feature and check on, default settings. */

import { createServer, tool } from '@portico/sdk/server'
import { announce } from '../control.ts'
import { ADD, add, COUNT, fillers, INFO, NUMBERS, QUERY, SIZE, STEPS, TEXT, textOf } from '../work.ts'

const server = createServer({
  ...INFO,
  tools: {
    add: tool({ description: ADD, input: NUMBERS }, ({ a, b }) => add(a, b)),
    text: tool({ description: TEXT, input: SIZE }, ({ size }) => textOf(size)),
    steps: tool({ description: STEPS, input: COUNT }, ({ count }, ctx) => {
      for (let step = 1; step <= count; step++) ctx.progress(step, count)
      return 'done'
    }),
  },
})
for (const { name, description } of fillers())
  server.tool(
    name,
    tool({ description, input: QUERY }, () => name),
  )

if (process.argv[2] === 'stdio') {
  const { serveStdio } = await import('@portico/sdk/stdio')
  serveStdio(server)
  announce()
} else if (process.argv[2] === 'websocket') {
  const { serveWebSocket } = await import('@portico/sdk/websocket')
  const { port } = await serveWebSocket(server, { port: 0 })
  announce(port)
} else {
  const { serveHttp } = await import('@portico/sdk/http')
  // One setting is not the default, and only where ten thousand notifications are what is measured.
  const limits = process.env.BENCH_UNLIMITED ? { notificationsPerSecond: Number.POSITIVE_INFINITY } : {}
  const { port } = await serveHttp(server, { port: 0, limits })
  announce(port)
}
