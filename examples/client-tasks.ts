// Teaches: calling tools that take long. A call is followed to its end, or started, left and taken up again by its id.
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { z } from 'zod'

const bake = tool(
  { description: 'Bakes a cake', task: { mode: 'required', pollIntervalMs: 100 } },
  async (_args, ctx) => {
    const { content } = await ctx.elicit('kind', { message: 'Which cake?', form: z.object({ kind: z.string() }) })
    ctx.progress(1, 2, 'in the oven')
    await ctx.sleep(200)
    return `One ${content?.kind} cake`
  },
)
const bakery = createServer({ name: 'bakery', version: '1.0.0', tasks: createTasks(), tools: { bake } })

const form = () => ({ action: 'accept' as const, content: { kind: 'lemon' } })
const client = await connect(bakery, { elicitation: { form } })

// To call it is to follow it: the task is asked about, its question answered by the handler above.
const { content } = await client.callTool('bake')
console.log(content[0])

// To start it is to have its id, which a program may keep for the next time it runs.
const { task } = await client.startTool('bake')
await client.close()

const later = await connect(bakery, { elicitation: { form } })
const run = await later.resumeTask(task?.taskId ?? '')
console.log(`Taken up again: ${run.generation}`)
console.log((await run.result()).content[0])
await later.close()
