/** Tools of the server under test that ask the client: forms, URLs, the client's model, its roots. */

import { ToolError, tool } from '@portico/sdk/server'
import { z } from 'zod'
import { choicesForm, clock, defaultsForm, question, SIGN_IN, thought } from '../vocabulary.ts'
import type { Counts } from './counts.ts'

const person = z.object({
  name: z.string().min(1).max(40).describe('What to call you'),
  age: z.int().min(0).max(150),
  height: z.number().min(0.1),
  email: z.email(),
  born: z.iso.date(),
  subscribed: z.boolean().default(true),
})

export function createAskingTools(counts: Counts) {
  return {
    ask_person: tool({ description: 'Asks for every simple field' }, async (_, ctx) => {
      return JSON.stringify(await ctx.elicit({ message: 'Who are you?', form: person }))
    }),
    ask_choices: tool({ description: 'Asks with every form of choice' }, async (_, ctx) => {
      return JSON.stringify(await ctx.elicit('choices', { message: 'What do you like?', form: choicesForm }))
    }),
    ask_defaults: tool({ description: 'Asks with defaults' }, async (_, ctx) => {
      return JSON.stringify(await ctx.elicit('defaults', { message: 'Anything to change?', form: defaultsForm }))
    }),
    ask_url: tool({ description: 'Sends the user to a page' }, async (_, ctx) => {
      return (await ctx.elicit({ message: 'Please sign in', url: SIGN_IN })).action
    }),
    ask_visit: tool(
      { description: 'Sends the user to a page until it was seen', input: z.object({ ticket: z.string() }) },
      async ({ ticket }, ctx) => {
        const done = async () => (await counts.add(`looks/${ticket}`)) >= 4
        return (await ctx.elicit({ message: 'Please pay', url: `https://example.com/pay/${ticket}`, done })).action
      },
    ),
    ask_model: tool({ description: 'Asks the client’s model' }, async (_, ctx) => {
      const { content, model, stopReason } = await ctx.sample({ ...thought, prompt: 'Think of something' })
      return JSON.stringify({ content, model, stopReason })
    }),
    ask_model_tools: tool({ description: 'Lets the client’s model use a tool' }, async (_, ctx) => {
      const asked = question('What time is it?')
      const shared = { tools: [clock], maxTokens: 100 }
      const first = await ctx.sample('first', { ...shared, messages: [asked], toolChoice: { mode: 'required' } })
      const blocks = Array.isArray(first.content) ? first.content : [first.content]
      const use = blocks.find((block) => block.type === 'tool_use')
      if (use === undefined) throw new ToolError('The model used no tool')
      const second = await ctx.sample('second', {
        ...shared,
        messages: [
          asked,
          { role: 'assistant', content: blocks },
          {
            role: 'user',
            content: [{ type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text: 'noon' }] }],
          },
        ],
      })
      return JSON.stringify({ used: use.name, input: use.input, answer: second.content })
    }),
    ask_roots: tool({ description: 'Asks for the client’s roots' }, async (_, ctx) =>
      JSON.stringify(await ctx.roots()),
    ),
    ask_together: tool({ description: 'Three questions at once' }, async (_, ctx) => {
      const [name, thought, roots] = await Promise.all([
        ctx.elicit('name', { message: 'Your name?', form: z.object({ name: z.string() }) }),
        ctx.sample('thought', { prompt: 'A thought?' }),
        ctx.roots('roots'),
      ])
      return JSON.stringify({ name, thought: thought.content, roots })
    }),
    ask_in_turn: tool({ description: 'Charges once, asks twice' }, async (_, ctx) => {
      const charge = await ctx.step('charge', () => counts.add('charges'))
      const first = await ctx.elicit('first', { message: 'First?', form: z.object({ first: z.string() }) })
      const second = await ctx.elicit('second', { message: 'Second?', form: z.object({ second: z.string() }) })
      return JSON.stringify({ charge, charges: await counts.get('charges'), first, second })
    }),
  }
}
