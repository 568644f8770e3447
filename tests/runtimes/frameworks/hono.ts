// Teaches: MCP under Hono, on any runtime that Hono runs on; here on Node.
import { serve } from '@hono/node-server'
import { serveFetch } from '@portico/sdk/fetch'
import { Hono } from 'hono'
import { server } from './server.ts'

const mcp = serveFetch(server, {
  path: '/mcp',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
  limits: { maxBodyBytes: 65_536 },
})

const app = new Hono()

// The request as it came: Host and Origin are checked and the body is read by the handler, within its limits.
app.all('/mcp', (c) => mcp.fetch(c.req.raw))

app.get('/', (c) => c.text('MCP is at /mcp'))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
