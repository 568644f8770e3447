// Teaches: a port. The elicitation server of the official examples, on every revision and transport by one definition.
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

const account = z.object({
  username: z.string().min(3).max(20),
  email: z.email(),
  newsletter: z.boolean().default(false),
})
const event = z.object({ title: z.string().min(1), description: z.string().optional() })
const times = z.object({ date: z.iso.date(), minutes: z.number().int().min(15).max(480).default(60) })

export default createServer({
  name: 'elicitation',
  version: '1.0.0',
  tools: {
    register_user: tool({ description: 'Asks for what an account needs' }, async (_, ctx) => {
      const answer = await ctx.elicit({ message: 'Your new account', form: account })
      if (answer.action !== 'accept')
        return `No account: the form was ${answer.action === 'cancel' ? 'closed' : 'declined'}.`
      const { username, email, newsletter } = answer.content
      return `${username} <${email}>, ${newsletter ? 'with' : 'without'} newsletter`
    }),
    create_event: tool({ description: 'Asks in two steps for an event' }, async (_, ctx) => {
      const what = await ctx.elicit({ message: 'Step 1: what is it?', form: event })
      if (what.action !== 'accept') return 'No event.'
      const when = await ctx.elicit({ message: `Step 2: when is “${what.content.title}”?`, form: times })
      if (when.action !== 'accept') return 'No event.'
      return `${what.content.title} on ${when.content.date}, ${when.content.minutes} minutes`
    }),
    pay: tool({ description: 'Sends the user to a page for the payment' }, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: 'Please pay on this page', url: 'https://shop.example/pay/17' })
      return action === 'accept' ? 'The user went to pay.' : 'Not paid.'
    }),
  },
})
