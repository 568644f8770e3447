/** The bounds on questions and on what can be resumed: at the bound, one below and one beyond. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { legacyChannel, type Message, modernChannel, result, toolResult, until } from './client-peers.ts'
import { call, createFixture, legacy, open, openSession, PROGRESS, send } from './http-fixture.ts'

const opened: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of opened.splice(0).reverse()) await close()
})

const form = { message: '?', requestedSchema: { type: 'object', properties: {} } }

describe('replayMs 5000', () => {
  it.each([
    { after: 4999, status: 200 },
    { after: 5000, status: 200 },
    { after: 5001, status: 400 },
  ])('a finished stream is asked for after $after ms: $status', async ({ after, status }) => {
    const fixture = await createFixture({ limits: { replayMs: 5000 } })
    opened.push(() => fixture.http.close())
    const session = await openSession(fixture.port, '2025-06-18')
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    fixture.gate.open()
    const [first] = await (await open(fixture.port, legacy(call('steps', 1, PROGRESS), session))).rest()
    vi.setSystemTime(now + after)
    const headers = { ...session.headers, accept: 'text/event-stream', 'last-event-id': first?.id ?? '' }
    const resumed = await send(fixture.port, { method: 'GET', headers })
    expect(resumed.status).toBe(status)
    expect(resumed.text.includes('steps result')).toBe(status === 200)
  })
})

describe('maxQuestions 3', () => {
  it.each([
    { questions: 2, outcome: 'answered' },
    { questions: 3, outcome: 'answered' },
    { questions: 4, outcome: 'limit-exceeded' },
  ])('a round of $questions is $outcome', async ({ questions, outcome }) => {
    let asked = 0
    const question = { method: 'elicitation/create', params: form }
    const inputRequests = Object.fromEntries(Array.from({ length: questions }, (_, index) => [`q${index}`, question]))
    const { channel } = modernChannel(({ id, params }, reply) => {
      const done = params?.inputResponses !== undefined
      reply(result(id, done ? toolResult('end') : { resultType: 'input_required', inputRequests }))
    })
    const client = await connect(channel, {
      negotiations: false,
      limits: { maxQuestions: 3 },
      elicitation: {
        form: () => {
          asked++
          return { action: 'decline' }
        },
      },
    })
    opened.push(() => client.close())
    const ended = await client.callTool('x').then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    )
    expect(ended).toBe(outcome)
    expect(asked).toBe(outcome === 'answered' ? questions : 0)
  })
})

describe('maxOpenQuestions 3', () => {
  it.each([
    { questions: 2, refused: 0 },
    { questions: 3, refused: 0 },
    { questions: 4, refused: 1 },
  ])('of $questions at a time, $refused refused', async ({ questions, refused }) => {
    const answers: Message[] = []
    const waiting: (() => void)[] = []
    const { channel, far } = legacyChannel((message) => {
      if (message.method === undefined) answers.push(message)
    })
    const client = await connect(channel, {
      negotiations: false,
      limits: { maxOpenQuestions: 3 },
      elicitation: {
        form: () => new Promise((resolve) => waiting.push(() => resolve({ action: 'decline' }))),
      },
    })
    opened.push(() => client.close())
    const ask = (id: string): void =>
      far.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: form }))
    for (let index = 0; index < questions; index++) ask(`q${index}`)
    await until(() => waiting.length === questions - refused && answers.length === refused)
    expect(answers).toEqual(
      Array.from({ length: refused }, () =>
        expect.objectContaining({ error: { code: -32600, message: 'maxOpenQuestions (3) exceeded' } }),
      ),
    )
    // A place that is free again is given again.
    for (const answer of waiting.splice(0)) answer()
    await until(() => answers.length === questions)
    ask('later')
    await until(() => waiting.length === 1)
  })
})
