// Teaches: MCP under Express. The handler takes its own path and passes every other request on.
import { createHttpHandler } from '@portico/sdk/http'
import express from 'express'
import { server } from './server.ts'

const app = express()

// Before any body parser, so that the handler's own limits apply; it checks Host and Origin itself.
const mcp = createHttpHandler(server, {
  path: '/mcp',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
  limits: { maxBodyBytes: 65_536 },
})
app.use(mcp)

app.use(express.json())
app.get('/', (_req, res) => {
  res.send('MCP is at /mcp')
})

const http = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = http.address()
  console.log(`listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`)
})
