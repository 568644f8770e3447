// Teaches: a program with three servers: typed calls, questions it answers itself, a server that dies and one that changes.
import { fileURLToPath } from 'node:url'
import { type ConnectOptions, connect } from '@portico/sdk/client'
import type archive from './archive.ts'
import type order from './order.ts'
import type shop from './shop.ts'

const serve = fileURLToPath(new URL('serve.ts', import.meta.url))
const program = (name: string) => ({ command: process.execPath, args: [...process.execArgv, serve, name] })

const asked: string[] = []
const options: ConnectOptions = {
  info: { name: 'concierge', version: '1.0.0' },
  elicitation: {
    form: ({ message }) => {
      asked.push(message)
      const content = message.startsWith('What') ? { size: 'large', coffees: 2 } : { street: 'Main Street 1' }
      return { action: 'accept', content }
    },
  },
}

const [goods, papers, coffee] = await Promise.all([
  connect<typeof shop>(program('shop'), options),
  connect<typeof archive>(program('archive'), options),
  connect<typeof order>(program('order'), options),
])

// The type of each server gives its tools names, arguments and results.
const { found } = await goods.tools.search({ word: 'e', sort: 'price' })
const { euros } = await goods.tools.total({ basket: found.map(({ id }) => [id, 1] as [string, number]) })
console.log(`${found.map(({ name }) => name).join(', ')}: ${euros}`)

// A server asks for something in the middle of a call.
console.log(await coffee.tools.order({}))
console.log(asked.join(' '))

// What changed on a server is told to whoever subscribed.
const changed = new Promise<string>((resolve) => {
  void papers
    .subscribe({ resourceSubscriptions: ['archive://pages/letters/thanks'] }, (change) => {
      if (change.kind === 'resource' && !change.synthetic) resolve(change.uri)
    })
    .then(() => papers.tools.write({ section: 'letters', name: 'thanks', text: 'Dear Ada!' }))
})
console.log('changed:', await changed)

// A program that dies is started again by the next call.
const gone = new Promise((resolve) => goods.on('disconnect', resolve))
process.kill(goods.process?.pid ?? 0, 'SIGKILL')
await gone
console.log('after the crash:', await goods.tools.weigh({ grams: 1_200 }))

await Promise.all([goods, papers, coffee].map((client) => client.close()))
