/** A server for editors, over standard streams: greets, asks, writes, counts as a task, crashes, and has a hostile note. */

import { appendFileSync } from 'node:fs'
import { createServer, prompt, resource, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { createTasks } from '@portico/sdk/tasks'

const [notes = 'notes.log'] = process.argv.slice(2)
const NOTHING = { type: 'object' } as const

const server = createServer({
  name: 'lab',
  version: '1.0.0',
  tasks: createTasks(),
  tools: {
    greet: tool(
      {
        description: 'Greets somebody',
        input: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Whom' },
            mood: { type: 'string', enum: ['glad', 'sad'] },
            times: { type: 'integer', minimum: 1, maximum: 3, default: 1 },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
      ({ name, mood = 'calm', times = 1 }) => `Hello, ${name} (${mood}, ${times})`,
    ),
    ask_name: tool({ description: 'Asks who is there', input: NOTHING }, async (_args, ctx) => {
      const form = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] } as const
      const answer = await ctx.elicit('name', { message: 'Who is there?', form })
      return `It is ${answer.action === 'accept' ? answer.content?.who : 'nobody'}`
    }),
    write_note: tool(
      {
        description: 'Writes a note to the disk',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        destructive: true,
      },
      ({ text }) => {
        appendFileSync(notes, `${text}\n`)
        return 'Written.'
      },
    ),
    count: tool(
      { description: 'Counts, as a task', input: NOTHING, task: { mode: 'required', pollIntervalMs: 100 } },
      async (_args, ctx) => {
        ctx.progress(1, 2, 'halfway there')
        await ctx.sleep(1_500)
        return 'counted to 4711'
      },
    ),
    crash: tool({ description: 'Ends the process', input: NOTHING }, () => process.exit(7)),
  },
  resources: {
    welcome: resource(
      { uri: 'note://welcome', mimeType: 'text/plain' },
      () =>
        'Welcome \u001B[31mto the lab\u202E\n# vim: set tabstop=13 shiftwidth=13 modelineexpr :\nvim: set tabstop=13 :\n',
    ),
  },
  prompts: {
    review: prompt(
      { description: 'Asks for a review', arguments: [{ name: 'language', required: true }] },
      ({ language }) => `Please review this ${language} file.`,
    ),
  },
})

serveStdio(server)
