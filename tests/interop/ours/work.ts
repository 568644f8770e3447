/** Tools of the server under test that take time or look at their request: progress, logs, cancellation, context. */

import { setTimeout as delay } from 'node:timers/promises'
import { tool } from '@portico/sdk/server'
import { z } from 'zod'
import type { Counts } from './counts.ts'

export function createWorkTools(counts: Counts) {
  return {
    count: tool(
      { description: 'Counts and tells how far it is', input: z.object({ to: z.int() }) },
      async ({ to }, ctx) => {
        for (let at = 1; at <= to; at += 1) {
          ctx.progress(at, to, `at ${at}`)
          // The official clients forget who asked for progress when the result is in the same read as the news.
          await delay(10)
        }
        return `counted to ${to}`
      },
    ),
    burst: tool({ description: 'Tells five times how far it is, without a pause' }, (_, ctx) => {
      for (let at = 1; at <= 5; at += 1) ctx.progress(at, 5)
      return 'done'
    }),
    chat: tool({ description: 'Writes a log message at four levels' }, (_, ctx) => {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) ctx.log(level, { about: level }, 'chatter')
      return 'said it'
    }),
    wait: tool({ description: 'Waits until it is cancelled' }, async (_, ctx) => {
      ctx.progress(1)
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }))
      await counts.add('cancelled')
      return 'waited'
    }),
    waited: tool({ description: 'How many waits were cancelled' }, async () => String(await counts.get('cancelled'))),
    nap: tool({ description: 'Lets go of the connection and comes back' }, async (_, ctx) => {
      ctx.progress(1)
      ctx.pause(50)
      await delay(150)
      return 'rested'
    }),
    context: tool({ description: 'What the request says of itself' }, (_, ctx) => ({
      version: ctx.version,
      client: ctx.client.info?.name,
      traceparent: ctx.meta.traceparent,
    })),
    route: tool(
      {
        description: 'Reads an argument from its header as well',
        input: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          required: ['region'],
        },
      },
      ({ region }, ctx) => JSON.stringify({ region, header: ctx.head?.header('mcp-param-region') ?? null }),
    ),
  }
}
