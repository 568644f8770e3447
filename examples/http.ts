// Teaches: serving over HTTP. One URL answers every revision, with sessions for the older ones and none for the newest.

import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

const server = createServer({
  name: 'dice',
  version: '1.0.0',
  tools: {
    roll: tool({ description: 'Rolls dice', input: z.object({ sides: z.number().int().min(2) }) }, ({ sides }, ctx) => {
      const value = 1 + Math.floor(Math.random() * sides)
      return `${value} (asked by ${ctx.version})`
    }),
  },
})

const http = await serveHttp(server, { port: Number(process.env.PORT ?? 3000) })

// Requests under way may finish; then the process has nothing left to do and ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void http.close())

console.log(`Serving on ${http.url}`)
