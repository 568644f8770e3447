// Teaches: answering a server's questions. A form is filled in at the terminal; a page opens only if the person agrees.
import { createInterface } from 'node:readline/promises'
import { connect, type ElicitationHandlers } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

const form = z.object({ count: z.number().int().min(1).max(9), size: z.enum(['S', 'M', 'L']).default('M') })

const order = tool({ description: 'Orders shirts' }, async (_, ctx) => {
  const wish = await ctx.elicit('wish', { message: 'Which shirts?', form })
  if (wish.action !== 'accept') return 'Nothing was ordered.'
  const page = await ctx.elicit('page', { message: 'Please pay', url: 'https://shop.example/pay/17' })
  return `${wish.content.count} of size ${wish.content.size}, ${page.action === 'accept' ? 'on its way' : 'unpaid'}`
})

const terminal = createInterface({ input: process.stdin, output: process.stdout })

const elicitation: ElicitationHandlers = {
  async form({ message, requestedSchema }, { server, signal }) {
    console.log(`${server?.name}: ${message}`)
    const answers = new Map<string, string | number>()
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const typed = await terminal.question(`${field.title ?? name}? `, { signal })
      // What is left out takes the server's default; then the whole is held against the form's schema.
      if (typed !== '') answers.set(name, field.type === 'string' ? typed : Number(typed))
    }
    return { action: 'accept', content: Object.fromEntries(answers) }
  },
  async url({ message, url }, { server, signal }) {
    const typed = await terminal.question(`${server?.name}: ${message}. Open ${url}? `, { signal })
    if (typed === 'yes') console.log(`(here a browser would show ${new URL(url).host})`)
    return { action: typed === 'yes' ? 'accept' : 'decline' }
  },
}

const shop = createServer({ name: 'shop', version: '1.0.0', tools: { order } })
const client = await connect<typeof shop>(shop, { elicitation })
console.log(await client.tools.order())
await client.close()
terminal.close()
