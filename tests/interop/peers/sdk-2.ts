/**
 * The shared vocabulary on the official SDK 2.4.0. Its factories make an instance for each connection, and over modern
 * HTTP for each request; what must outlive an instance is kept in a `World`.
 */

import { completable, McpServer, ResourceTemplate, type ServerNotifier } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  allKinds,
  BYTES,
  completeGreeting,
  completeLanguage,
  completeTab,
  completeUser,
  completeWord,
  greeting,
  INSTRUCTIONS,
  listUsers,
  TEMPLATE,
} from '../vocabulary.ts'
import { registerAsking } from './sdk-2-asking.ts'

export interface World {
  /** Kinds of items that `grow` added. */
  readonly grown: Set<string>
  /** Waits that were cancelled. */
  cancelled: number
  /** Tells those who listen over modern HTTP, where no instance lives long enough to. */
  notify: ServerNotifier | undefined
}

export const createWorld = (): World => ({ grown: new Set(), cancelled: 0, notify: undefined })

/** `lasting` is for an instance that serves a whole connection or session. */
export function createSdk2Server(world: World, lasting: boolean): McpServer {
  const server = new McpServer(
    { name: 'official-2', version: '2.4.0' },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      },
    },
  )
  registerTools(server)
  registerWork(server, world)
  registerChanging(server, world, lasting)
  registerAsking(server)
  registerResources(server)
  registerPrompts(server)
  return server
}

export const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

function registerTools(server: McpServer): void {
  const annotations = { readOnlyHint: true, idempotentHint: true }
  const inputSchema = z.object({ text: z.string() })
  server.registerTool('echo', { title: 'Echo', inputSchema, annotations }, ({ text }) => say(text))
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...say(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool('kinds', {}, () => ({ content: allKinds() }))
  server.registerTool('refuse', {}, () => ({ ...say('The door is closed'), isError: true }))
}

function registerWork(server: McpServer, world: World): void {
  server.registerTool('count', { inputSchema: z.object({ to: z.int() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let at = 1; at <= to && progressToken !== undefined; at += 1) {
      const params = { progressToken, progress: at, total: to, message: `at ${at}` }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return say(`counted to ${to}`)
  })
  server.registerTool('chat', {}, async ({ mcpReq }) => {
    for (const level of ['debug', 'info', 'warning', 'error'] as const) {
      await mcpReq.log(level, { about: level }, 'chatter')
    }
    return say('said it')
  })
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve(), { once: true }))
    world.cancelled += 1
    return say('waited')
  })
  server.registerTool('waited', {}, () => say(String(world.cancelled)))
}

function registerChanging(server: McpServer, world: World, lasting: boolean): void {
  const added = new Map<string, { remove(): void }>()
  const subscribed = new Set<string>()
  const add: { [kind: string]: () => { remove(): void } } = {
    tool: () => server.registerTool('grown', {}, () => say('grown')),
    prompt: () => server.registerPrompt('grown', {}, () => ({ messages: [] })),
    resource: () => server.registerResource('grown', 'note://grown', {}, () => ({ contents: [] })),
  }
  const tell = (kind: string) => {
    if (kind === 'tool') world.notify?.toolsChanged()
    if (kind === 'prompt') world.notify?.promptsChanged()
    if (kind === 'resource') world.notify?.resourcesChanged()
  }
  if (!lasting) for (const kind of world.grown) add[kind]?.()
  const inputSchema = z.object({ kind: z.enum(['tool', 'prompt', 'resource']) })
  server.registerTool('grow', { inputSchema }, ({ kind }) => {
    if (lasting) added.set(kind, add[kind]?.() ?? { remove() {} })
    else world.grown.add(kind)
    tell(kind)
    return say(`added a ${kind}`)
  })
  server.registerTool('shrink', { inputSchema }, ({ kind }) => {
    added.get(kind)?.remove()
    world.grown.delete(kind)
    tell(kind)
    return say(`took the ${kind} away`)
  })
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }, { mcpReq }) => {
    const modern = mcpReq.envelope !== undefined
    if (lasting && (modern || subscribed.has(uri))) await server.server.sendResourceUpdated({ uri })
    world.notify?.resourceUpdated(uri)
    return say(`touched ${uri}`)
  })
}

function registerResources(server: McpServer): void {
  const text = { uri: 'note://welcome', mimeType: 'text/plain', text: 'welcome' }
  server.registerResource('welcome', text.uri, { mimeType: text.mimeType }, () => ({ contents: [text] }))
  server.registerResource('bytes', 'note://bytes', {}, ({ href }) => ({
    contents: [{ uri: href, blob: Buffer.from(BYTES).toString('base64') }],
  }))
  const template = new ResourceTemplate(TEMPLATE, {
    list: () => ({ resources: listUsers() }),
    complete: { id: completeUser, tab: (value, context) => completeTab(value, context?.arguments ?? {}) },
  })
  server.registerResource('user', template, { mimeType: 'application/json' }, ({ href }, { id, tab }) => ({
    contents: [{ uri: href, text: JSON.stringify({ id, tab: tab ?? null }) }],
  }))
}

function registerPrompts(server: McpServer): void {
  const ask = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] })
  const argsSchema = z.object({
    language: completable(z.string(), completeLanguage),
    greeting: completable(z.string(), (value, context) => completeGreeting(value, context?.arguments ?? {})).optional(),
  })
  server.registerPrompt(
    'greet',
    { description: 'Greets in a language', argsSchema },
    ({ language, greeting: word }) => ({
      description: 'Greets in a language',
      ...ask(greeting(language, word)),
    }),
  )
  server.registerPrompt('gallery', {}, () => ({
    messages: allKinds().map((content) => ({ role: 'user' as const, content })),
  }))
  const many = z.object({ word: completable(z.string(), completeWord) })
  server.registerPrompt('many', { argsSchema: many }, ({ word }) => ask(word))
}
