/** What servers ask while they work: whose question it is, how long it lives, and what of it a person sees. */

import { fileURLToPath } from 'node:url'
import { createPrincipal, createServer, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { CallsInFlight } from '../src/assembly/calls-in-flight.ts'
import type { Host } from '../src/assembly/host.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Question } from '../src/consent/question.ts'
import { type HostLab, type HostLabOptions, startHost } from './host-lab.ts'

let labs: HostLab[] = []
afterEach(async () => {
  for (const lab of labs) await lab.close()
  labs = []
})

const HIDDEN = '\u001b[2J\u202ehidden\u200b'
const form = (schema: object) => ({ message: `Who? ${HIDDEN}`, form: schema as { type: 'object' } })

function createAsker(): Server {
  return createServer({
    name: 'asker',
    version: '1.0.0',
    tools: {
      form: tool({ description: 'Asks', input: { type: 'object' } }, async (_args, ctx) => {
        const field = { type: 'string', title: HIDDEN, description: HIDDEN, default: HIDDEN }
        const answer = await ctx.elicit('who', form({ type: 'object', properties: { name: field } }))
        return JSON.stringify(answer)
      }),
      trick: tool({ description: 'Hides a choice', input: { type: 'object' } }, async (_args, ctx) => {
        const field = { type: 'string', enum: ['yes', `no${HIDDEN}`] }
        const answer = await ctx.elicit('who', form({ type: 'object', properties: { name: field } }))
        return JSON.stringify(answer)
      }),
      sample: tool({ description: 'Samples', input: { type: 'object' } }, async (_args, ctx) => {
        const answer = await ctx.sample('thought', {
          messages: [{ role: 'user', content: { type: 'text', text: `What now? ${HIDDEN}` } }],
          systemPrompt: HIDDEN,
          maxTokens: 10,
        })
        return JSON.stringify(answer)
      }),
      roots: tool({ description: 'Roots', input: { type: 'object' } }, async (_args, ctx) =>
        JSON.stringify(await ctx.roots()),
      ),
    },
  })
}

const pipe = {
  kind: 'stdio',
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/asks-in-call.mjs', import.meta.url))],
  env: {},
} as const

const ofKind = (kind: Question['body']['kind']) => (question: Question) => question.body.kind === kind
/** Allows what the rules ask, and leaves what the server asks to the test. */
const approvals: HostLabOptions['decide'] = ({ body }) => (body.kind === 'approval' ? { action: 'allow' } : undefined)

async function start(options: HostLabOptions = {}): Promise<HostLab> {
  const lab = await startHost({ asker: createAsker }, { decide: approvals, ...options })
  labs.push(lab)
  return lab
}

const startPipe = (options: HostLabOptions = {}) => start({ servers: [defineServer('asker', pipe)], ...options })

/** The next question of a kind, also one that waits already. */
function nextQuestion({ inbox }: Host, kind: Question['body']['kind']): Promise<Question> {
  return new Promise((resolve) => {
    const known = inbox.pending().find(ofKind(kind))
    if (known !== undefined) return resolve(known)
    const stop = inbox.on((event) => {
      if (event.type !== 'asked' || event.question.body.kind !== kind) return
      stop()
      resolve(event.question)
    })
  })
}

describe("a server's question", () => {
  it('is gone when its call was cancelled, and an answer no longer reaches the server (host 23, sec-214)', async () => {
    const { host } = await startPipe()
    const cancel = new AbortController()
    const call = host.call('asker_form', {}, { session: 's', signal: cancel.signal })
    const question = await nextQuestion(host, 'form')
    cancel.abort()
    await expect(call).rejects.toThrow()
    expect(host.inbox.pending()).toEqual([])
    expect(host.inbox.answer(question.id, { action: 'allow', content: { name: 'Ada' } })).toBe('already-settled')
  })

  it('is gone when its call ended in any other way (host 23, sec-214)', async () => {
    const { host } = await startPipe()
    const call = host.call('asker_form', {}, { session: 's' })
    await nextQuestion(host, 'form')
    await host.call('asker_release', {}, { session: 's' })
    await call
    expect(host.inbox.pending()).toEqual([])
  })

  it('is asked in the conversation whose call it came from, not in the newest (host 24, sec-215)', async () => {
    const { host } = await start()
    const older = host.call('asker_form', {}, { session: 's1' })
    const first = await nextQuestion(host, 'form')
    const newer = host.call('asker_sample', {}, { session: 's2' })
    const second = await nextQuestion(host, 'sampling')
    expect([first.session, second.session]).toEqual(['s1', 's2'])
    host.inbox.answer(second.id, { action: 'deny' })
    await expect(newer).rejects.toThrow()
    host.inbox.answer(first.id, { action: 'allow', content: { name: 'Ada' } })
    expect(JSON.stringify((await older).result)).toContain('Ada')
  })

  it('of which it cannot be told whose it is gets no conversation and no context (host 24, sec-215)', async () => {
    const { host } = await startPipe()
    host.provenance('s2').note('vault', 'ZEBRA-7781-QUEBEC')
    const other = host.call('asker_wait', {}, { session: 's2' })
    const sampling = host.call('asker_sample', {}, { session: 's1' })
    const question = await nextQuestion(host, 'sampling')
    expect(question.session).toBe('background:asker')
    host.inbox.answer(question.id, { action: 'deny' })
    await sampling
    await host.call('asker_release', {}, { session: 's2' })
    await other
  })

  it.each(['form', 'sample', 'roots'])(
    'reaches the person when a principal makes the call: %s (host 25)',
    async (name) => {
      const script = { replies: [{ text: 'Rest.' }] }
      for (const begin of [start, startPipe]) {
        const { host } = await begin({ script, decide: () => ({ action: 'allow', content: {} }) })
        const { result } = await host.call(`asker_${name}`, {}, { principal: createPrincipal('ada'), session: 's' })
        expect(JSON.stringify(result)).not.toMatch(/does not offer|not found/i)
        expect(JSON.stringify(result)).toMatch(/accept|assistant|roots|\[\]/)
      }
    },
  )

  it('shows what is hidden in a form and in a sampling request, to the person and to the model (host 21, sec-216)', async () => {
    const { host, provider, asked } = await start({
      script: { replies: [{ text: 'Rest.' }] },
      decide: () => ({ action: 'allow' }),
    })
    await host.call('asker_form')
    await host.call('asker_sample')
    const shown = JSON.stringify(asked.filter(({ body }) => body.kind === 'form' || body.kind === 'sampling'))
    expect(shown.match(/hidden/g)).toHaveLength(6)
    expect(shown).not.toMatch(/\\u001b|\u202e|\u200b/)
    expect(JSON.stringify(provider.requests)).toContain('⟦U+202E⟧hidden')
    expect(JSON.stringify(provider.requests)).not.toMatch(/\\u001b|\u202e|\u200b/)
  })

  it('is not shown when it hides something in what the answer repeats (host 21, sec-216)', async () => {
    const { host, asked } = await start()
    const { result } = await host.call('asker_trick')
    expect(JSON.stringify(result)).toContain('cancel')
    expect(asked.filter(ofKind('form'))).toEqual([])
  })
})

describe('calls in flight (host 24)', () => {
  it('answer for a question by certainty, by being of one session, or not at all', () => {
    const inFlight = new CallsInFlight()
    const [a, b] = ['s1', 's2'].map((session) => inFlight.enter('x', { session }))
    const causeOf = (owner: unknown, owned: boolean) => inFlight.causeOf('x', { owner, owned })
    expect(causeOf(a, true).act?.session).toBe('s1')
    expect(causeOf(b, false).act).toBeUndefined()
    const { signal } = causeOf(b, false)
    b?.end()
    expect(signal?.aborted).toBe(false)
    expect(causeOf(undefined, false).act?.session).toBe('s1')
    a?.end()
    expect(signal?.aborted).toBe(true)
    expect(causeOf(a, true)).toEqual({ act: undefined, signal: undefined })
  })
})
