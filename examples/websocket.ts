// Teaches: WebSocket beside HTTP. Both share one port and one path, and a connection speaks every revision.
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { attachWebSocket } from '@portico/sdk/websocket'

const server = createServer({
  name: 'counter',
  version: '1.0.0',
  tools: {
    count: tool({ description: 'Counts to three, a step at a time' }, async (_, ctx) => {
      for (const step of [1, 2, 3]) await ctx.progress(step, 3)
      return `Counted to three for ${ctx.version}`
    }),
  },
})

const http = await serveHttp(server, { port: Number(process.env.PORT ?? 3000) })
// Web pages may connect only if their origin is named here; programs send none.
const sockets = attachWebSocket(server, http.node, { allowedOrigins: ['https://app.example.com'] })

const stop = (): void => void Promise.all([sockets.close(), http.close()])
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

console.log(`Serving on ${http.url} and ${http.url.replace('http:', 'ws:')}`)
