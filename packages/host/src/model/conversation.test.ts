import { type Client, connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HostError } from '../errors.ts'
import { Conversation, type TurnEvent } from './conversation.ts'
import type { ModelTools } from './model-tools.ts'
import { Models } from './models.ts'
import type { Script } from './script.ts'
import { type ScriptedProvider, startScriptedProvider } from './script-server.ts'

const server = createServer({
  name: 'sums',
  version: '1.0.0',
  tools: {
    add: tool(
      { description: 'Adds', input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
      (args) => `sum: ${Number((args as { a: number }).a) + Number((args as { b: number }).b)}`,
    ),
    wait: tool({ description: 'Waits', input: { type: 'object' } }, async (_args, ctx) => {
      await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
      return 'never'
    }),
  },
})

/** Tools without rules: what the guard adds is tested where it is. `forbidden` tools are denied. */
function modelToolsOf(
  client: Client,
  names: readonly string[],
  forbidden: readonly string[] = [],
  think?: () => void,
): ModelTools {
  return {
    tools: () => names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    serverOf: () => 'sums',
    instructions: () => [{ server: 'sums', text: 'Add with care.' }],
    async call({ name, arguments: args, signal, onProgress, onWaiting }) {
      if (think !== undefined) {
        onWaiting?.('question')
        think()
        onWaiting?.(undefined)
      }
      if (forbidden.includes(name)) throw new HostError('denied', `The rule "no-${name}" denies it`)
      return {
        result: await client.callTool(name, args, { signal, onProgress }),
        server: 'sums',
        arguments: args,
        reason: 'test',
      }
    },
  }
}

let provider: ScriptedProvider | undefined
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  await provider?.close()
})

async function start(
  script: Script,
  options: { forbidden?: string[]; budget?: object; price?: boolean; think?: () => void } = {},
) {
  provider = await startScriptedProvider(script)
  client = await connect(server)
  const models = new Models({
    env: {},
    ollama: false,
    configured: [
      {
        id: 'scripted',
        provider: 'openai-compatible',
        model: 'scripted',
        baseUrl: provider.url,
        ...(options.price === true && { price: { input: 1_000_000, output: 1_000_000 } }),
      },
    ],
  })
  const modelTools = modelToolsOf(client, ['add', 'wait'], options.forbidden, options.think)
  const events: TurnEvent[] = []
  const conversation = new Conversation({ models, modelTools, budget: options.budget, retries: 2 })
  const say = async (text: string): Promise<void> => conversation.send(text, (event) => void events.push(event))
  return { conversation, events, say, provider }
}

const textOf = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('')
const endOf = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'end' ? [event] : []))
const callsOf = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'call' ? [event.call] : []))

describe('a turn', () => {
  it('streams text, makes the tool call and gives the result back with its origin', async () => {
    const { events, say, provider } = await start({
      replies: [{ text: 'Let me add.', calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }, { text: 'It is five.' }],
    })
    await say('2 + 3?')
    expect(textOf(events)).toBe('Let me add.It is five.')
    expect(callsOf(events).at(-1)).toMatchObject({
      name: 'add',
      server: 'sums',
      status: 'ok',
      arguments: { a: 2, b: 3 },
    })
    expect(endOf(events)).toEqual([{ type: 'end', reason: 'done' }])
    const second = JSON.stringify(provider.requests[1]?.messages)
    expect(second).toContain('data from the server')
    expect(second).toContain('sum: 5')
    expect(JSON.stringify(provider.requests[0]?.messages)).toContain('Add with care.')
  })

  it("shows what the call took, and the person's thinking apart (newcomer B3)", async () => {
    const now = performance.now.bind(performance)
    let ahead = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
    const script = { replies: [{ calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] }, { text: 'two' }] }
    const think = (): void => {
      ahead += 3_600_000
    }
    const { events, say } = await start(script, { think })
    await say('add')
    clock.mockRestore()
    const { durationMs = 0, waitedMs = 0 } = callsOf(events).at(-1) ?? {}
    expect(durationMs).toBeLessThan(3_600_000)
    expect(waitedMs).toBeGreaterThanOrEqual(3_600_000)
  })

  it('makes the calls of one step side by side and answers each', async () => {
    const calls = [1, 2, 3].map((a) => ({ name: 'add', arguments: { a, b: a } }))
    const { events, say, provider } = await start({ replies: [{ calls }, { text: 'done' }] })
    await say('go')
    expect(callsOf(events).filter(({ status }) => status === 'ok')).toHaveLength(3)
    const results = provider.requests[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results).toHaveLength(3)
  })

  it('tells the model of a denial and goes on', async () => {
    const { events, say, provider } = await start(
      { replies: [{ calls: [{ name: 'add', arguments: {} }] }, { text: 'I may not.' }] },
      { forbidden: ['add'] },
    )
    await say('add')
    expect(callsOf(events).at(-1)).toMatchObject({ status: 'denied', reason: 'The rule "no-add" denies it' })
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('no-add')
    expect(endOf(events)[0]?.reason).toBe('done')
  })

  it('tells the model of a tool that is not there', async () => {
    const { events, say } = await start({ replies: [{ calls: [{ name: 'fly', arguments: {} }] }, { text: 'no' }] })
    await say('fly')
    expect(callsOf(events).at(-1)).toMatchObject({ name: 'fly', status: 'error' })
    expect(endOf(events)[0]?.reason).toBe('done')
  })

  it.each([
    { what: 'while text streams', script: { replies: [{ text: 'and on ', endless: true }] }, when: 'text' },
    { what: 'while a tool runs', script: { replies: [{ calls: [{ name: 'wait', arguments: {} }] }] }, when: 'call' },
  ])('is cancelled $what, and the conversation goes on afterwards', async ({ script, when }) => {
    const { conversation, events } = await start(script)
    await conversation.send('go', (event) => {
      events.push(event)
      if (event.type === when) conversation.cancel()
    })
    expect(endOf(events)).toEqual([{ type: 'end', reason: 'cancelled' }])
    expect(conversation.busy).toBe(false)
  })

  it('makes a request again that the provider failed, and gives up with its words', async () => {
    const failing = (times: number) => ({
      replies: [{ text: 'hello', failure: { status: 503, message: 'overloaded', times } }],
    })
    const first = await start(failing(2))
    await first.say('hi')
    expect(textOf(first.events)).toBe('hello')
    await client?.close()
    await provider?.close()
    const second = await start(failing(9))
    await second.say('hi')
    expect(endOf(second.events)).toMatchObject([{ reason: 'failed', error: { code: 'model-failed' } }])
    expect(endOf(second.events)[0]?.error?.message).toContain('overloaded')
  })
})

describe('a budget', () => {
  const forever = {
    replies: Array.from({ length: 9 }, () => ({ calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] })),
  }
  it.each([
    { name: 'steps', budget: { steps: 3 }, requests: 3 },
    { name: 'tokens', budget: { tokens: 30 }, requests: 2 },
    { name: 'cost', budget: { cost: 16 }, price: true, requests: 2 },
    { name: 'timeMs', budget: { timeMs: 0 }, requests: 0 },
  ])('of $name ends the turn and names the option', async ({ name, budget, price, requests }) => {
    const { events, say, provider } = await start(forever, { budget, price })
    await say('go')
    expect(endOf(events)).toMatchObject([
      { reason: 'budget', error: { code: 'budget-exhausted', data: { budget: name } } },
    ])
    expect(endOf(events)[0]?.error?.message).toContain(`budget.${name}`)
    expect(provider.requests).toHaveLength(requests)
  })
})

it('is taken up again with its messages and what it has used', async () => {
  const { conversation, say } = await start({ replies: [{ text: 'one' }, { text: 'two' }] })
  await say('first')
  const models = new Models({
    env: {},
    ollama: false,
    configured: [{ id: 's', provider: 'openai-compatible', model: 's', baseUrl: provider?.url ?? '' }],
  })
  const modelTools: ModelTools = {
    tools: () => [],
    serverOf: () => '',
    instructions: () => [],
    call: () => Promise.reject(),
  }
  const again = new Conversation({ models, modelTools }, JSON.parse(JSON.stringify(conversation.save())))
  const events: TurnEvent[] = []
  await again.send('second', (event) => void events.push(event))
  expect(textOf(events)).toBe('two')
  expect(again.usage).toMatchObject({ inputTokens: 20, outputTokens: 10, steps: 2 })
})

it('says what to do when there is no model', async () => {
  const models = new Models({ env: {}, ollama: false })
  await expect(models.load()).rejects.toMatchObject({
    code: 'no-model',
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
})
