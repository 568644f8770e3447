/** `record` and `replay` of a session with the reference server that others wrote: the same calls, the same answers. */

import assert from 'node:assert/strict'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import type { Trial } from '../support/suite.ts'
import { inPlace } from './place.ts'
import { EVERYTHING, missingPublished } from './published-servers.ts'

/** Everything that a client can hear of it, without what differs from one connection to the next. */
async function listen(client: Client): Promise<unknown> {
  const tools = await client.listTools()
  const resources = await client.listResources()
  const prompts = await client.listPrompts()
  const first = resources[0]?.uri ?? ''
  const heard = {
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })).sort(byName),
    resources: resources.map(({ uri, name }) => ({ uri, name })).sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    prompts: prompts.map(({ name, arguments: args }) => ({ name, args })).sort(byName),
    echo: await client.callTool('echo', { message: 'recorded' }),
    sum: await client.callTool('get-sum', { a: 2, b: 40 }),
    again: await client.callTool('get-sum', { a: 2, b: 41 }),
    image: await client.callTool('get-tiny-image', {}),
    links: await client.callTool('get-resource-links', { count: 2 }),
    wrong: await client.callTool('get-sum', { a: 'two' }).catch((error: Error) => error.message),
    read: await client.readResource(first),
    prompt: await client.getPrompt('simple-prompt'),
  }
  return JSON.parse(
    JSON.stringify(heard, (key, value) => (key === '_meta' || key === 'resultType' ? undefined : value)),
  )
}

/** The server shows some tools only to clients that can be asked. */
const ABLE: ConnectOptions = {
  elicitation: { form: async () => ({ action: 'decline' }), url: async () => ({ action: 'decline' }) },
  sampling: {
    handler: async () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'none' }),
    tools: true,
    context: true,
  },
  roots: [],
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

export const trials: readonly Trial[] = (['2025-11-25', '2026-07-28'] as const).map((versions) => ({
  name: `record, then replay @modelcontextprotocol/server-everything for a client of ${versions}`,
  missing: missingPublished,
  run: () =>
    inPlace(async ({ folder, env, portico }) => {
      const play = async (...words: string[]): Promise<unknown> => {
        const client = await connect({ ...portico(...words), cwd: folder, env }, { versions, ...ABLE })
        try {
          return await listen(client)
        } finally {
          await client.close()
        }
      }
      const recorded = await play('record', 'everything.jsonl', '--', process.execPath, EVERYTHING)
      assert.deepEqual(await play('replay', 'everything.jsonl'), recorded)
    }),
}))
