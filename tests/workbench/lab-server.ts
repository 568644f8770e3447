/** A server for the lab, over standard streams: waits with progress, delivers and orders as tasks, publishes, greets, keeps a secret, takes words. */

import { createServer, prompt, resource, type Server, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { createTasks } from '@portico/sdk/tasks'

const NOTHING = { type: 'object' } as const
const COPIES = {
  type: 'object',
  properties: { copies: { type: 'integer', title: 'Copies', minimum: 1, maximum: 10 } },
  required: ['copies'],
} as const
export const SECRET = 'the vault opens with 7731-hyacinth'

let issue = 1
const server: Server = createServer({
  name: 'lab',
  title: 'The lab',
  version: '1.0.0',
  tasks: createTasks(),
  tools: {
    deliver: tool(
      { description: 'Delivers, as a task that takes its time', input: NOTHING, task: 'required' },
      async (_, ctx) => {
        ctx.progress(1, 2, 'on the way')
        await ctx.sleep(600_000)
        return 'Delivered.'
      },
    ),
    order: tool(
      { description: 'Orders a book, as a task that asks before it does', input: NOTHING, task: 'required' },
      async (_, ctx) => {
        ctx.progress(1, 3, 'looking up the price')
        const { content } = await ctx.elicit('copies', { message: 'It costs 12 euros. How many copies?', form: COPIES })
        return `Ordered: ${content?.copies}`
      },
    ),
    say: tool(
      {
        description: 'Says it again',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      ({ text }) => `said: ${text}`,
    ),
    vault: tool({ description: 'Tells the secret', input: NOTHING }, () => SECRET),
    publish: tool({ description: 'Brings out the next issue of the bulletin', input: NOTHING }, () => {
      issue++
      server.changed('note://bulletin')
      return `Issue ${issue} is out.`
    }),
    wait: tool({ description: 'Takes the first of three steps, and waits', input: NOTHING }, async (_args, ctx) => {
      await ctx.progress(1, 3, 'first step')
      return new Promise<string>((_, reject) =>
        ctx.signal.addEventListener('abort', () => reject(new Error('cancelled'))),
      )
    }),
  },
  resources: {
    bulletin: resource(
      { uri: 'note://bulletin', title: 'Bulletin', description: 'Changes with every issue' },
      () => `Issue ${issue} of the bulletin`,
    ),
  },
  prompts: {
    greet: prompt(
      {
        description: 'Greets somebody',
        arguments: [{ name: 'who', required: true }],
        complete: { who: (value) => ['ada', 'alan', 'grace'].filter((name) => name.startsWith(value)) },
      },
      ({ who }) => `Hello, ${who}!`,
    ),
  },
})

await serveStdio(server)
