// Teaches: MCP under Fastify. A hook gives the handler its requests before Fastify parses their bodies.
import { createHttpHandler } from '@portico/sdk/http'
import Fastify from 'fastify'
import { server } from './server.ts'

const mcp = createHttpHandler(server, {
  path: '/mcp',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
  limits: { maxBodyBytes: 65_536 },
})

const app = Fastify()

// The handler checks Host and Origin and holds bodies to its own limits; other paths go on to Fastify's routes.
app.addHook('onRequest', (request, reply, next) => mcp(request.raw, reply.raw, next))

app.get('/', () => 'MCP is at /mcp')

const origin = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${origin}`)
