/** Tools of the server under test that ask the client: forms, URLs, the client's model, its roots. */

import { ToolError, tool } from '@portico/sdk/server'
import { z } from 'zod'

const person = z.object({
  name: z.string().min(1).max(40).describe('What to call you'),
  age: z.int().min(0).max(150),
  height: z.number().min(0.1),
  email: z.email(),
  born: z.iso.date(),
  subscribed: z.boolean().default(true),
})

/** Every way to offer choices: plain, titled, several, several with titles. */
const choices = {
  type: 'object',
  properties: {
    size: { type: 'string', enum: ['small', 'large'] },
    shade: {
      type: 'string',
      oneOf: [
        { const: 'd', title: 'Dark' },
        { const: 'l', title: 'Light' },
      ],
    },
    colours: { type: 'array', minItems: 1, items: { type: 'string', enum: ['red', 'green', 'blue'] } },
    sides: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'red', title: 'Left' },
          { const: 'green', title: 'Right' },
        ],
      },
    },
  },
  required: ['size', 'shade', 'colours'],
} as const

const defaults = {
  type: 'object',
  properties: {
    city: { type: 'string', default: 'Delft' },
    seats: { type: 'integer', default: 4 },
    window: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
    extras: { type: 'array', items: { type: 'string', enum: ['tea', 'cake'] }, default: ['cake'] },
  },
} as const

const clock = {
  name: 'clock',
  description: 'Tells the time',
  inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
}

let charges = 0
const looks = new Map<string, number>()

export const askingTools = {
  ask_person: tool({ description: 'Asks for every simple field' }, async (_, ctx) => {
    return JSON.stringify(await ctx.elicit({ message: 'Who are you?', form: person }))
  }),
  ask_choices: tool({ description: 'Asks with every form of choice' }, async (_, ctx) => {
    return JSON.stringify(await ctx.elicit('choices', { message: 'What do you like?', form: choices }))
  }),
  ask_defaults: tool({ description: 'Asks with defaults' }, async (_, ctx) => {
    return JSON.stringify(await ctx.elicit('defaults', { message: 'Anything to change?', form: defaults }))
  }),
  ask_url: tool({ description: 'Sends the user to a page' }, async (_, ctx) => {
    return (await ctx.elicit({ message: 'Please sign in', url: 'https://example.com/sign-in?id=7' })).action
  }),
  ask_visit: tool(
    { description: 'Sends the user to a page until it was seen', input: z.object({ ticket: z.string() }) },
    async ({ ticket }, ctx) => {
      const done = () => {
        looks.set(ticket, (looks.get(ticket) ?? 0) + 1)
        return (looks.get(ticket) ?? 0) >= 4
      }
      return (await ctx.elicit({ message: 'Please pay', url: `https://example.com/pay/${ticket}`, done })).action
    },
  ),
  ask_model: tool({ description: 'Asks the client’s model' }, async (_, ctx) => {
    const { content, model, stopReason } = await ctx.sample({
      prompt: 'Think of something',
      systemPrompt: 'Be brief',
      maxTokens: 50,
      temperature: 0.2,
      stopSequences: ['END'],
      modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
    })
    return JSON.stringify({ content, model, stopReason })
  }),
  ask_model_tools: tool({ description: 'Lets the client’s model use a tool' }, async (_, ctx) => {
    const question = { role: 'user' as const, content: { type: 'text' as const, text: 'What time is it?' } }
    const shared = { tools: [clock], maxTokens: 100 }
    const first = await ctx.sample('first', { ...shared, messages: [question], toolChoice: { mode: 'required' } })
    const blocks = Array.isArray(first.content) ? first.content : [first.content]
    const use = blocks.find((block) => block.type === 'tool_use')
    if (use === undefined) throw new ToolError('The model used no tool')
    const second = await ctx.sample('second', {
      ...shared,
      messages: [
        question,
        { role: 'assistant', content: blocks },
        {
          role: 'user',
          content: [{ type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text: 'noon' }] }],
        },
      ],
    })
    return JSON.stringify({ used: use.name, input: use.input, answer: second.content })
  }),
  ask_roots: tool({ description: 'Asks for the client’s roots' }, async (_, ctx) => JSON.stringify(await ctx.roots())),
  ask_together: tool({ description: 'Three questions at once' }, async (_, ctx) => {
    const [name, thought, roots] = await Promise.all([
      ctx.elicit('name', { message: 'Your name?', form: z.object({ name: z.string() }) }),
      ctx.sample('thought', { prompt: 'A thought?' }),
      ctx.roots('roots'),
    ])
    return JSON.stringify({ name, thought: thought.content, roots })
  }),
  ask_in_turn: tool({ description: 'Charges once, asks twice' }, async (_, ctx) => {
    const charge = await ctx.step('charge', () => {
      charges += 1
      return charges
    })
    const first = await ctx.elicit('first', { message: 'First?', form: z.object({ first: z.string() }) })
    const second = await ctx.elicit('second', { message: 'Second?', form: z.object({ second: z.string() }) })
    return JSON.stringify({ charge, charges, first, second })
  }),
}
