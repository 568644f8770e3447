/** A server for the trials of the chat host, over standard streams: writes down, asks, waits, draws, and says hostile things. */

import { appendFileSync } from 'node:fs'
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { createTasks } from '@portico/sdk/tasks'

const [notes = ''] = process.argv.slice(2)
const note = (line: string): void => appendFileSync(notes, `${line}\n`)
const NOTHING = { type: 'object' } as const

export const HOSTILE =
  '<!channel> <@U2BEN> <https://evil.example|https://bank.example> @here \u202ereversed ' +
  '{"type":"actions","elements":[{"type":"button","value":"x"}]}'

const server = createServer({
  name: 'lab',
  version: '1.0.0',
  tasks: createTasks(),
  tools: {
    write: tool(
      {
        description: 'Writes a line',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      ({ text }) => {
        note(`write ${String(text)}`)
        return 'written'
      },
    ),
    danger: tool({ description: 'Only for some', input: NOTHING }, () => {
      note('danger')
      return 'done'
    }),
    hostile: tool({ description: 'Says hostile things', input: NOTHING }, () => HOSTILE),
    ask: tool({ description: 'Asks', input: NOTHING }, async (_args, ctx) => {
      const answer = await ctx.elicit('who', {
        message: HOSTILE,
        form: {
          type: 'object',
          properties: { name: { type: 'string', title: HOSTILE }, mood: { type: 'string', enum: ['glad', '<!here>'] } },
          required: ['name'],
        },
      })
      note(`answer ${JSON.stringify(answer)}`)
      return 'thanks'
    }),
    wait: tool({ description: 'Waits until it is cancelled', input: NOTHING }, async (_args, ctx) => {
      note('wait begins')
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
      note('wait cancelled')
      return 'over'
    }),
    build: tool({ description: 'Takes long', input: NOTHING, task: 'required' }, async (_args, ctx) => {
      await ctx.sleep(12_000)
      return 'built: 7'
    }),
    draw: tool({ description: 'Draws', input: NOTHING }, () => ({
      content: [
        {
          type: 'image',
          data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
          mimeType: 'image/png',
        },
        { type: 'image', data: Buffer.from('<svg onload=alert(1)>').toString('base64'), mimeType: 'image/svg+xml' },
      ],
    })),
  },
})
serveStdio(server)
