/** Tools that take time, talk while they work, and ask: progress, logs, cancellation, forms, links, sampling, roots. */

import { setTimeout as pause } from 'node:timers/promises'
import { textOf, tool } from '@portico/sdk/server'

const NOTHING = { type: 'object', properties: {} } as const
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
const STEP_MS = 20

export const workingTools = {
  count: tool(
    {
      description: 'Counts slowly, with progress and a log line for each step. Can be cancelled.',
      input: {
        type: 'object',
        properties: {
          steps: { type: 'integer', minimum: 1, maximum: 10_000, default: 5 },
          stepMs: { type: 'integer', minimum: 0, maximum: 10_000 },
        },
      },
      readOnly: true,
    },
    async ({ steps = 5, stepMs = STEP_MS }, ctx) => {
      for (let step = 1; step <= steps; step++) {
        await pause(stepMs, undefined, { signal: ctx.signal })
        ctx.progress(step, steps, `Step ${step} of ${steps}`)
        ctx.log('info', { step, steps }, 'count')
      }
      return `Counted to ${steps}.`
    },
  ),
  log: tool(
    {
      description: 'Writes one log line of each level that the client wants to hear.',
      input: { type: 'object', properties: { message: { type: 'string', default: 'Hello' } } },
      readOnly: true,
    },
    ({ message = 'Hello' }, ctx) => {
      for (const level of LEVELS) ctx.log(level, message, 'everything')
      return `Wrote ${LEVELS.length} lines; the client hears those from "${ctx.logLevel ?? 'none'}" on.`
    },
  ),
  who: tool(
    { description: 'What the server knows of who is calling.', input: NOTHING, readOnly: true },
    (_args, ctx) => ({
      revision: ctx.version,
      principal: ctx.principal?.id ?? null,
      client: ctx.client.info?.name ?? null,
      capabilities: Object.keys(ctx.client.capabilities),
    }),
  ),
  ask_form: tool(
    { description: 'Asks the user with a form that has a field of every kind.', input: NOTHING },
    async (_args, ctx) => {
      const answer = await ctx.elicit('details', {
        message: 'Please tell a few things. None of it is kept.',
        form: {
          type: 'object',
          properties: {
            name: { type: 'string', title: 'Name', minLength: 1, maxLength: 80 },
            email: { type: 'string', title: 'Email', format: 'email' },
            born: { type: 'string', title: 'Born on', format: 'date' },
            age: { type: 'integer', title: 'Age', minimum: 0, maximum: 150 },
            height: { type: 'number', title: 'Height in metres', minimum: 0 },
            news: { type: 'boolean', title: 'Send news', default: false },
            colour: { type: 'string', title: 'Colour', enum: ['red', 'green', 'blue'], default: 'green' },
          },
          required: ['name'],
        },
      })
      return { action: answer.action, content: answer.action === 'accept' ? answer.content : null }
    },
  ),
  ask_twice: tool(
    { description: 'Asks two questions, the second depending on the first.', input: NOTHING },
    async (_args, ctx) => {
      const pet = await ctx.elicit('pet', {
        message: 'Cat or dog?',
        form: { type: 'object', properties: { pet: { type: 'string', enum: ['cat', 'dog'] } }, required: ['pet'] },
      })
      if (pet.action !== 'accept') return 'No pet, then.'
      const name = await ctx.elicit('name', {
        message: `What is the ${pet.content.pet} called?`,
        form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      })
      return name.action === 'accept'
        ? `${name.content.name} the ${pet.content.pet}.`
        : `A ${pet.content.pet} without a name.`
    },
  ),
  ask_link: tool({ description: 'Asks the user to visit a page.', input: NOTHING }, async (_args, ctx) => {
    const { action } = await ctx.elicit('visit', {
      message: 'Please visit the example page.',
      url: 'https://example.com/visit?from=everything',
    })
    return `The user chose: ${action}.`
  }),
  sample: tool(
    {
      description: "Asks the client's model a question.",
      input: {
        type: 'object',
        properties: { prompt: { type: 'string' }, maxTokens: { type: 'integer', minimum: 1, maximum: 1_000 } },
        required: ['prompt'],
      },
      openWorld: true,
    },
    async ({ prompt, maxTokens = 100 }, ctx) => {
      const answer = await ctx.sample('answer', {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        systemPrompt: 'Answer in one sentence.',
        maxTokens,
        temperature: 0.2,
        modelPreferences: { hints: [{ name: 'small' }], speedPriority: 0.8 },
      })
      return `${answer.model} says: ${textOf(answer)}`
    },
  ),
  roots: tool(
    { description: 'Which folders the client lets this server work in.', input: NOTHING, readOnly: true },
    async (_args, ctx) => ({
      roots: (await ctx.roots('roots')).map(({ uri, name }) => ({ uri, name: name ?? null })),
    }),
  ),
} as const
