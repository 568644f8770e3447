import { createHost, type Host } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { Models, type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { createServer, prompt } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Chat, runChatCommand } from '../src/cli/chat/chat-commands.ts'
import type { Io } from '../src/cli/terminal/io.ts'

const createDesk = () =>
  createServer({
    name: 'desk',
    version: '1.0.0',
    prompts: {
      review: prompt({ description: 'Reviews', arguments: [{ name: 'file', required: true }] }, ({ file }) => ({
        messages: [
          { role: 'user', content: { type: 'text', text: `Please review ${file}` } },
          { role: 'assistant', content: { type: 'text', text: 'With what in mind?' } },
        ],
      })),
    },
  })

let host: Host
let provider: ScriptedProvider
let said: string[]
beforeEach(async () => {
  provider = await startScriptedProvider({ replies: [{ text: 'ok' }] })
  host = await createHost({
    models: new Models({
      env: {},
      ollama: false,
      configured: [{ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: provider.url }],
    }),
    inProcess: new Map([['desk', async () => ({ server: createDesk() })]]),
    servers: [defineServer('desk', { kind: 'in-process', module: 'desk', options: {} })],
    rules: [{ id: 'all', outcome: 'allow' }],
  })
  await host.catalogue.list()
  said = []
})
afterEach(async () => {
  await host.close()
  await provider.close()
})

const plain = (text: string) => text
const paint = { red: plain, green: plain, yellow: plain, cyan: plain, bold: plain, dim: plain }

/** A conversation whose person gives these lines. */
function talk(lines: readonly string[]): { readonly chat: Chat; readonly io: Io } {
  const left = [...lines]
  const terminal = { ask: async () => left.shift(), dialogue: <R>(work: () => Promise<R>) => work() }
  const io = { say: (text: string) => void said.push(text), paint, signal: new AbortController().signal, stderr: {} }
  const chat = { host, session: 's', conversation: host.converse({ session: 's' }), terminal, model: 'm' }
  // The commands use these members alone.
  return { chat, io: io as unknown as Io }
}

describe('a prompt that is picked by its name in the terminal (founding 1)', () => {
  it.each(['/review notes.md', '/desk_review file=notes.md', '/review'])(
    '%s is shown, then said with its roles',
    async (words) => {
      const { chat, io } = talk(words === '/review' ? ['notes.md', 'y'] : ['y'])
      expect(await runChatCommand(words, chat, io)).toBe('say')
      expect(said.join('\n')).toMatch(/user: Please review notes\.md\n.*assistant: With what in mind\?/)
      await chat.conversation.send('', () => {})
      const messages = provider.requests[0]?.messages.slice(1) ?? []
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
      expect(JSON.stringify(messages)).not.toContain('data from the server')
    },
  )

  it('is not said without a yes, and what is no prompt is told', async () => {
    const { chat, io } = talk(['n'])
    expect(await runChatCommand('/review notes.md', chat, io)).toBe('stay')
    expect(await runChatCommand('/nothing', chat, io)).toBe('stay')
    expect(said.at(-1)).toContain('There is no /nothing')
  })
})
