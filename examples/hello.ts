// Teaches: the smallest server. Plain JSON Schema in, text out, over standard input and output.
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'

const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

const greet = tool({ description: 'Greets somebody by name', input }, ({ name }) => `Hello, ${name}!`)

serveStdio(createServer({ name: 'hello', version: '1.0.0', tools: { greet } }))
