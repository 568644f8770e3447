// Teaches: serving by `Request` and `Response`, for Workers, Deno, Bun and the frameworks that take such a handler.
import { serveFetch } from '@portico/sdk/fetch'
import { createServer, tool } from '@portico/sdk/server'

const server = createServer({
  name: 'clock',
  version: '1.0.0',
  tools: { now: tool({ description: 'The time in UTC' }, () => new Date().toISOString()) },
})

// Platforms that look for a default export with `fetch` need nothing more; elsewhere, pass requests to its `fetch`.
// The names under which it is reached have to be listed, since any other is refused; loopback names always work.
export default serveFetch(server, { path: '/mcp', allowedHosts: ['mcp.example.com'] })
