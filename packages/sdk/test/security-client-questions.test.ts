/** The client's rows of the security requirements about what a server may ask of the person and the model behind it. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { legacyChannel, type Message, modernChannel, result, toolResult, until } from './client-peers.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

const FORM = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] }
const question = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'q', method, params })

/** A server of an older revision that asks one thing during a call, and the answer it got. */
async function asked(method: string, params: object, options: ConnectOptions): Promise<Message> {
  const answers: Message[] = []
  const { channel } = legacyChannel((message, reply) => {
    if (message.method === 'tools/call') reply(question(method, params))
    if (message.id === 'q') answers.push(message)
  })
  const made = await client(channel, options)
  made.callTool('x').catch(() => {})
  await until(() => answers.length === 1)
  return answers[0] ?? {}
}

describe('questions from a server', () => {
  test('sec-102: the handler is told who asks, and may decline or cancel', async () => {
    for (const action of ['decline', 'cancel'] as const) {
      let who: unknown
      const form = (_: unknown, { server, label }: { server: unknown; label: string }) => {
        who = [server, label]
        return { action, content: { age: 1 } }
      }
      const answer = await asked(
        'elicitation/create',
        { message: '?', requestedSchema: FORM },
        { elicitation: { form } },
      )
      expect(answer.result).toEqual({ action })
      expect(who).toEqual([{ name: 'scripted', version: '1' }, 'memory'])
    }
  })

  test('sec-107: a question without a mode is a form; a mode that was not declared is refused', async () => {
    const form = () => ({ action: 'accept', content: { age: 3 } }) as const
    const plain = await asked('elicitation/create', { message: '?', requestedSchema: FORM }, { elicitation: { form } })
    expect(plain.result).toEqual({ action: 'accept', content: { age: 3 } })
    const url = { mode: 'url', message: '?', url: 'https://x.example', elicitationId: 'e' }
    expect(await asked('elicitation/create', url, { elicitation: { form } })).toMatchObject({ error: { code: -32602 } })
  })

  test.each([
    ['of a wrong type', { age: 'old' }],
    ['out of range', { age: -1 }],
    ['that is missing', {}],
  ])('sec-114: an answer %s does not leave this side', async (_, content) => {
    // What people type is not always what types promise.
    const form = () => ({ action: 'accept', content: content as { age: number } }) as const
    const answer = await asked('elicitation/create', { message: '?', requestedSchema: FORM }, { elicitation: { form } })
    expect(answer).toMatchObject({ error: { code: -32603 } })
    expect(JSON.stringify(answer)).not.toContain('old')
  })

  test('sec-114, sec-118: a thousand questions at once are not a thousand for the handler', async () => {
    let open = 0
    let most = 0
    const answers: Message[] = []
    const { channel } = legacyChannel((message, reply) => {
      if (message.id !== undefined && message.method === undefined) answers.push(message)
      if (message.method !== 'tools/call') return
      for (let n = 0; n < 1_000; n++)
        reply({ ...question('elicitation/create', { message: '?', requestedSchema: FORM }), id: `q${n}` })
    })
    const form = async () => {
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve, 20))
      open--
      return { action: 'decline' } as const
    }
    const made = await client(channel, { elicitation: { form } })
    made.callTool('x').catch(() => {})
    await until(() => answers.length === 1_000)
    expect(most).toBe(32)
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(968)
  })

  const message = { role: 'user', content: { type: 'text', text: 'hi' } }
  const sampled = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' } as const

  test('sec-116: tools in sampling are refused unless declared, and reach the handler if so', async () => {
    const params = { messages: [message], maxTokens: 10, tools: [{ name: 't', inputSchema: { type: 'object' } }] }
    expect(await asked('sampling/createMessage', params, { sampling: () => sampled })).toMatchObject({
      error: { code: -32602 },
    })
    const seen: unknown[] = []
    const handler = (given: { tools?: unknown }) => {
      seen.push(given.tools)
      return sampled
    }
    expect(await asked('sampling/createMessage', params, { sampling: { handler, tools: true } })).toHaveProperty(
      'result',
    )
    expect(seen).toEqual([params.tools])
  })

  test.each([1e9, 1, '9', undefined, null])(
    'sec-118: maxTokens %j reaches the handler as it is, or the request is refused',
    async (maxTokens) => {
      const seen: unknown[] = []
      const sampling = (given: { maxTokens: number }) => {
        seen.push(given.maxTokens)
        return sampled
      }
      const answer = await asked('sampling/createMessage', { messages: [message], maxTokens }, { sampling })
      if (typeof maxTokens === 'number') expect([seen, 'result' in answer]).toEqual([[maxTokens], true])
      else expect([seen, answer.error]).toMatchObject([[], { code: -32602 }])
    },
  )

  test('sec-118: a server that asks for ever is stopped (2026-07-28)', async () => {
    let rounds = 0
    const { channel } = modernChannel((request, reply) => {
      rounds++
      const inputRequests = { q: { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 1 } } }
      reply(result(request.id, { resultType: 'input_required', inputRequests }))
    })
    const made = await client(channel, { sampling: () => sampled })
    await expect(made.callTool('x')).rejects.toMatchObject({ code: 'limit-exceeded' })
    expect(rounds).toBe(11)
  })

  test('sec-119: a handler sees the messages of its own request alone, and no context is offered', async () => {
    const seen: string[] = []
    const { channel, received } = legacyChannel((request, reply) => {
      if (request.method === 'tools/call') {
        const content = { type: 'text', text: String(request.params?.name) }
        reply({
          ...question('sampling/createMessage', { messages: [{ role: 'user', content }], maxTokens: 5 }),
          id: `q-${request.id}`,
        })
      } else if (request.method === undefined) reply(result(Number(String(request.id).slice(2)), toolResult('x')))
    })
    const sampling = (given: { messages: unknown }) => {
      seen.push(JSON.stringify(given.messages))
      return sampled
    }
    const made = await client(channel, { sampling })
    await made.callTool('first')
    await made.callTool('second')
    expect([seen.length, seen[1]?.includes('first')]).toEqual([2, false])
    const declared = received.find(({ method }) => method === 'initialize')?.params?.capabilities
    expect(declared).toMatchObject({ sampling: {} })
    expect(JSON.stringify(declared)).not.toContain('context')
  })

  test('sec-150: a ping is answered while calls and questions are open', async () => {
    const answers: unknown[] = []
    const { channel } = legacyChannel((request, reply) => {
      if (request.method === 'tools/call') {
        reply(question('elicitation/create', { message: '?', requestedSchema: FORM }))
        reply({ jsonrpc: '2.0', id: 'p', method: 'ping' })
      } else if (request.method === undefined) answers.push(request)
    })
    const made = await client(channel, { elicitation: { form: () => new Promise(() => {}) } })
    made.callTool('x').catch(() => {})
    await until(() => answers.length === 1)
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 'p', result: {} }])
  })
})
