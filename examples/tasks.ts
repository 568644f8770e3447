// Teaches: work that outlives its request. Steps happen once, a question and a sleep take no memory, any client can follow it.
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { createTasks } from '@portico/sdk/tasks'
import { z } from 'zod'

const order = tool(
  {
    description: 'Orders a book and waits until it is on its way',
    input: z.object({ title: z.string(), packingMs: z.number().default(2_000) }),
    task: { mode: 'auto', after: 500 },
  },
  async ({ title, packingMs }, ctx) => {
    const price = await ctx.step('price', () => 12)
    ctx.progress(1, 3, `found for ${price} euros`)
    const { content } = await ctx.elicit('agree', {
      message: `${title} costs ${price} euros. Order it?`,
      form: z.object({ yes: z.boolean() }),
    })
    if (!content?.yes) return 'Not ordered'
    await ctx.step('pay', ({ interrupted }) => {
      console.error(interrupted ? 'pay: looking whether it was paid' : 'pay: paying')
    })
    ctx.progress(2, 3, 'paid')
    // The handler is put down here, and runs again from its log when the time has come.
    await ctx.sleep(packingMs)
    return `${title} is on its way`
  },
)

// `openState` of @portico/host/state gives a store that outlives the process: createTasks({ store, bus }).
const tasks = createTasks({
  onTask: ({ type, taskId }) => console.error(`task ${taskId}: ${type}`),
})

serveStdio(createServer({ name: 'books', version: '1.0.0', tasks, tools: { order } }))
