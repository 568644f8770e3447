/** Servers in process for the tests of the workbench. */

import { defineServer, type ServerConfig } from '@portico/host/config'
import type { InProcessFactory } from '@portico/host/upstream'
import { createServer, prompt, resource, type Server, tool } from '@portico/sdk/server'
import type { WorkbenchOptions } from '../../src/web/workbench.ts'

/** Does a bit of everything: progress, waiting, questions, resources that change. */
export function createWorker(seen: unknown[] = []): Server {
  const server: Server = createServer({
    name: 'worker',
    version: '1.0.0',
    tools: {
      say: tool(
        {
          description: 'Says it again',
          input: { type: 'object', properties: { text: { type: 'string' } } },
        },
        (args) => {
          seen.push(args)
          return `said: ${JSON.stringify(args)}`
        },
      ),
      fail: tool({ description: 'Fails', input: { type: 'object' } }, () => ({
        content: [{ type: 'text', text: 'no luck' }],
        isError: true,
      })),
      work: tool({ description: 'Works in steps', input: { type: 'object' } }, async (_args, ctx) => {
        await ctx.progress(1, 2, 'half')
        ctx.log('info', 'half done')
        await ctx.progress(2, 2, 'done')
        return 'worked'
      }),
      wait: tool({ description: 'Waits for ever', input: { type: 'object' } }, (_args, ctx) => {
        return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('left'))))
      }),
      ask: tool({ description: 'Asks the user', input: { type: 'object' } }, async (_args, ctx) => {
        const answer = await ctx.elicit('who', {
          message: 'Your name?',
          form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        return `answer: ${JSON.stringify(answer)}`
      }),
      touch: tool({ description: 'Changes the note', input: { type: 'object' } }, () => {
        server.changed('note://today')
        return 'touched'
      }),
    },
    resources: { today: resource({ uri: 'note://today', description: 'A note' }, () => 'the note of today') },
    prompts: {
      greet: prompt(
        {
          description: 'Greets',
          arguments: [{ name: 'who', required: true }],
          complete: { who: (value) => ['ada', 'alan', 'grace'].filter((name) => name.startsWith(value)) },
        },
        ({ who }) => `Hello, ${who}!`,
      ),
    },
  })
  return server
}

export function inProcess(name: string, settings: Parameters<typeof defineServer>[2] = {}): ServerConfig {
  return defineServer(name, { kind: 'in-process', module: `test-${name}`, options: {} }, settings)
}

export function withServers(servers: { readonly [name: string]: () => Server }): WorkbenchOptions {
  const names = Object.entries(servers)
  return {
    servers: names.map(([name]) => inProcess(name)),
    inProcess: new Map<string, InProcessFactory>(
      names.map(([name, make]) => [`test-${name}`, async () => ({ server: make() })]),
    ),
  }
}
