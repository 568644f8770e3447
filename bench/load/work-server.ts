/** A server whose tools wait, as those do that ask a database or a service: it is full long before the processor is. */

import { createServer, type Server, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'

/** How long every piece of work takes. */
export const WORK_MS = 100

const FORM = { type: 'object', properties: { word: { type: 'string' } } } as const

export function createWorkServer(name: string): Server {
  return createServer({
    name,
    version: '1.0.0',
    tasks: createTasks(),
    tools: {
      work: tool({}, async () => {
        await work()
        return 'done'
      }),
      ask: tool({}, async (_args, ctx) => {
        const { action } = await ctx.elicit('word', { message: 'A word?', form: FORM })
        await work()
        return action
      }),
      order: tool({ task: 'required' }, async () => {
        await work()
        return 'done'
      }),
    },
  })
}

function work(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WORK_MS))
}
