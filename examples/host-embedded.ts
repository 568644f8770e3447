// Teaches: a host in your own program: servers, a person who decides, a model that uses the tools.
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { createScriptedModel, Models } from '@portico/host/model'

const args = [...process.execArgv, fileURLToPath(new URL('hello.ts', import.meta.url))]
const greeter = defineServer('greeter', { kind: 'stdio', command: 'node', args, env: {} })

// Follows a script, so that no key is needed; `new Models()` alone uses the keys in your environment.
const script = createScriptedModel({
  replies: [{ calls: [{ name: 'greeter_greet', arguments: { name: 'Ada' } }] }, { text: 'Ada has been greeted.' }],
})
const models = new Models({ env: {}, ollama: false })
models.add({ id: 'demo', provider: 'openai-compatible', model: 'demo', baseUrl: 'http://demo.invalid' }, script.fetch)

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const host = await createHost({
  models,
  servers: [greeter],
  // Nothing is started or called before somebody has said yes.
  async ask({ server, body }) {
    if (body.kind !== 'approval') return { action: 'deny' }
    const reply = await terminal.question(`${server} wants: ${JSON.stringify(body.effect)}\nAllow? [y/n] `)
    return { action: reply.startsWith('y') ? 'allow' : 'deny', remember: 'session' }
  },
})
await host.upstreams.client('greeter')
await host.catalogue.list()
await host.converse({ session: 'terminal' }).send('Greet Ada, please.', (event) => {
  if (event.type === 'text') process.stdout.write(event.delta)
  if (event.type === 'call' && event.call.result) console.log(JSON.stringify(event.call.result.content))
  if (event.type === 'end') console.log(`\n(${event.reason})`)
})
terminal.close()
await host.close()
