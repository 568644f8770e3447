// Teaches: long work. Progress and log messages on the way, and stopping when the client cancels.
import { setTimeout as delay } from 'node:timers/promises'
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const count = tool(
  {
    description: 'Counts slowly',
    input: z.object({ to: z.number().int().min(1).max(1000), pauseMs: z.number().min(0).max(1000).default(10) }),
  },
  async ({ to, pauseMs }, ctx) => {
    ctx.log('info', { starting: to })
    try {
      for (let done = 1; done <= to; done++) {
        // Waiting with `ctx.signal` ends at once when the request is cancelled.
        await delay(pauseMs, undefined, { signal: ctx.signal })
        ctx.progress(done, to, `counted ${done}`)
      }
    } finally {
      if (ctx.signal.aborted) console.error('count: cancelled')
    }
    return `Counted to ${to}.`
  },
)

serveStdio(createServer({ name: 'counter', version: '1.0.0', tools: { count } }))
