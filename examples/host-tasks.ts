// Teaches: tasks in a host: the model's call goes on by itself, and its result comes to the conversation later.
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { createScriptedModel, Models } from '@portico/host/model'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'

const task = { mode: 'required', pollIntervalMs: 100 } as const
const count = tool({ description: 'Counts all books', task }, async (_args, ctx) => {
  ctx.progress(1, 2, 'walking along the shelves')
  await ctx.sleep(300)
  return '4,711 books'
})
const library = createServer({ name: 'library', version: '1.0.0', tasks: createTasks(), tools: { count } })

// Follows a script, so that no key is needed; `new Models()` alone uses the keys in your environment.
const replies = [{ calls: [{ name: 'library_count', arguments: {} }] }, { text: 'I am having them counted.' }]
const script = createScriptedModel({ replies, afterwards: 'There are 4,711 books.' })
const models = new Models({ env: {}, ollama: false })
models.add({ id: 'demo', provider: 'openai-compatible', model: 'demo', baseUrl: 'http://demo.invalid' }, script.fetch)

const host = await createHost({
  models,
  inProcess: new Map([['library', async () => ({ server: library })]]),
  servers: [defineServer('library', { kind: 'in-process', module: 'library', options: {} })],
  ask: () => ({ action: 'allow' }),
  tasks: { attendMs: 50 },
})
host.on('task', ({ label, status, message = '' }) => console.error(`task ${label}: ${status} ${message}`))
await host.catalogue.list()

const say = (event: { type: string; delta?: string }) => {
  if (event.type === 'text') process.stdout.write(event.delta ?? '')
  if (event.type === 'text-end') console.log()
}
await new Promise<void>((done) => {
  const conversation = host.converse({ session: 'desk', onTask: () => conversation.proceed(say).then(done) })
  void conversation.send('How many books do we have?', say)
})
await host.close()
