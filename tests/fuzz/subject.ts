/** The server that messages and requests are thrown at: every feature, handlers that end by themselves. */

import { z } from 'zod'
import { prompt, resource, tool } from '../../packages/sdk/src/server/items/definition.ts'
import { createServer, type Server } from '../../packages/sdk/src/server/server.ts'

export function createSubject(): Server {
  return createServer({
    name: 'subject',
    version: '1.0.0',
    onError: () => {},
    pageSize: 2,
    tools: {
      echo: tool({ input: z.object({ text: z.string().max(5000) }) }, ({ text }) => text),
      any: tool({ input: { type: 'object' } }, (args) => JSON.stringify(args).slice(0, 100)),
      later: tool({}, async (_args, ctx) => {
        await ctx.progress(1, 2)
        await new Promise((resolve) => setImmediate(resolve))
        ctx.log('info', 'later')
        return { done: true }
      }),
      ask: tool({}, async (_args, ctx) => {
        const answer = await ctx.elicit({ message: 'Who?', form: z.object({ name: z.string() }) })
        return answer.action
      }),
      roots: tool({}, async (_args, ctx) => `${(await ctx.roots()).length} roots`),
      broken: tool({}, () => {
        throw new Error('broken')
      }),
    },
    resources: {
      one: resource({ uri: 'mem://one' }, () => 'one'),
      many: resource({ uri: 'mem://many/{+path}', complete: { path: (value) => [value] } }, ({ path }) => String(path)),
    },
    prompts: { greet: prompt({ input: z.object({ who: z.string() }) }, ({ who }) => `Hello ${who}`) },
  })
}

export const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'elicitation/create',
  '__proto__',
  'constructor',
  'toString',
  '',
] as const

export const VERSIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '2099-01-01',
  'x',
] as const
