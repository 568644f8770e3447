// Teaches: MCP as a route of Next's app router, in the file app/mcp/route.ts.
import { serveFetch } from '@portico/sdk/fetch'
import { server } from '../../server'

// Host and Origin are checked and the body is read by the handler, within its limits.
const mcp = serveFetch(server, {
  path: '/mcp',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
  limits: { maxBodyBytes: 65_536 },
})
const handle = (request: Request): Promise<Response> => mcp.fetch(request)

export const { GET, POST, DELETE, OPTIONS } = { GET: handle, POST: handle, DELETE: handle, OPTIONS: handle }
