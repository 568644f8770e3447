/** The shared vocabulary on the official SDK 1.32.2: one instance for one connection or session. */

import { setTimeout as delay } from 'node:timers/promises'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
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
import { registerAsking } from './sdk-1-asking.ts'

/** Waits that were cancelled, in this process. */
let cancelled = 0

export function createSdk1Server(): McpServer {
  const server = new McpServer(
    { name: 'official-1', version: '1.32.2' },
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
  registerWork(server)
  registerChanging(server)
  registerAsking(server)
  registerResources(server)
  registerPrompts(server)
  return server
}

export const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

function registerTools(server: McpServer): void {
  server.registerTool(
    'echo',
    { title: 'Echo', inputSchema: { text: z.string() }, annotations: { readOnlyHint: true, idempotentHint: true } },
    ({ text }) => say(text),
  )
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...say(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )
  server.registerTool('kinds', {}, () => ({ content: allKinds() }))
  server.registerTool('refuse', {}, () => ({ ...say('The door is closed'), isError: true }))
}

function registerWork(server: McpServer): void {
  server.registerTool('count', { inputSchema: { to: z.int() } }, async ({ to }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken
    for (let at = 1; at <= to && progressToken !== undefined; at += 1) {
      const params = { progressToken, progress: at, total: to, message: `at ${at}` }
      await sendNotification({ method: 'notifications/progress', params })
    }
    return say(`counted to ${to}`)
  })
  server.registerTool('chat', {}, async ({ sessionId }) => {
    for (const level of ['debug', 'info', 'warning', 'error'] as const) {
      await server.sendLoggingMessage({ level, logger: 'chatter', data: { about: level } }, sessionId)
    }
    return say('said it')
  })
  server.registerTool('wait', {}, async ({ _meta, sendNotification, signal }) => {
    const progressToken = _meta?.progressToken ?? 0
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    cancelled += 1
    return say('waited')
  })
  server.registerTool('waited', {}, () => say(String(cancelled)))
  server.registerTool('nap', {}, async ({ closeSSEStream, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? 0
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    closeSSEStream?.()
    await delay(150)
    return say('rested')
  })
}

function registerChanging(server: McpServer): void {
  const grown = new Map<string, { remove(): void }>()
  const subscribed = new Set<string>()
  const kind = z.enum(['tool', 'prompt', 'resource'])
  server.registerTool('grow', { inputSchema: { kind } }, ({ kind }) => {
    const contents = { contents: [{ uri: 'note://grown', text: 'grown' }] }
    if (kind === 'tool')
      grown.set(
        kind,
        server.registerTool('grown', {}, () => say('grown')),
      )
    if (kind === 'prompt')
      grown.set(
        kind,
        server.registerPrompt('grown', {}, () => ({ messages: [] })),
      )
    if (kind === 'resource')
      grown.set(
        kind,
        server.registerResource('grown', 'note://grown', {}, () => contents),
      )
    return say(`added a ${kind}`)
  })
  server.registerTool('shrink', { inputSchema: { kind } }, ({ kind }) => {
    grown.get(kind)?.remove()
    return say(`took the ${kind} away`)
  })
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.registerTool('touch', { inputSchema: { uri: z.string() } }, async ({ uri }) => {
    if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri })
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
  const argsSchema = {
    language: completable(z.string(), completeLanguage),
    greeting: completable(z.string().optional(), (value, context) =>
      completeGreeting(value ?? '', context?.arguments ?? {}),
    ),
  }
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
  server.registerPrompt('many', { argsSchema: { word: completable(z.string(), completeWord) } }, ({ word }) =>
    ask(word),
  )
}
