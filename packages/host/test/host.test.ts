import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import { verifyAuditLog } from '../src/audit/verify.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer, Question } from '../src/consent/question.ts'
import type { TurnEvent } from '../src/model/conversation.ts'
import { Models } from '../src/model/models.ts'
import type { Script } from '../src/model/script.ts'
import { type ScriptedProvider, startScriptedProvider } from '../src/model/script-server.ts'

const SECRET = 'the vault opens with 7731-hyacinth'

/** Keeps what it was sent, so that a test can look for what must not be there. */
function createEcho(seen: unknown[] = []): Server {
  return createServer({
    name: 'echo',
    version: '1.0.0',
    tools: {
      say: tool(
        { description: 'Says it again', input: { type: 'object', properties: { text: { type: 'string' } } } },
        (args) => {
          seen.push(args)
          return `echo: ${JSON.stringify(args)}`
        },
      ),
      think: tool({ description: 'Asks the model', input: { type: 'object' } }, async (_args, ctx) => {
        const answer = await ctx.sample('thought', {
          messages: [{ role: 'user', content: { type: 'text', text: 'What now? sk-abcdefghijklmnopqrstuvwx' } }],
          maxTokens: 50,
        })
        seen.push(answer)
        return `thought: ${JSON.stringify(answer.content)}`
      }),
      ask: tool({ description: 'Asks the user', input: { type: 'object' } }, async (_args, ctx) => {
        const answer = await ctx.elicit('who', {
          message: 'Your name?',
          form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        return `answer: ${JSON.stringify(answer)}`
      }),
      where: tool({ description: 'Asks for roots', input: { type: 'object' } }, async (_args, ctx) => {
        const roots = await ctx.roots()
        seen.push(roots)
        return JSON.stringify(roots)
      }),
    },
  })
}

const createVault = (): Server =>
  createServer({
    name: 'vault',
    version: '1.0.0',
    tools: { open: tool({ description: 'Tells the secret', input: { type: 'object' }, readOnly: true }, () => SECRET) },
  })

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

interface Started {
  readonly host: Host
  readonly provider: ScriptedProvider
  readonly seen: unknown[]
  readonly asked: Question[]
  readonly stateDir: string
}

/** A host with two servers in process; `decide` plays the person who answers questions. */
async function start(
  script: Script,
  decide: (question: Question) => Answer | undefined,
  options: Partial<HostOptions> = {},
): Promise<Started> {
  const provider = await startScriptedProvider(script)
  cleanups.push(() => provider.close())
  const stateDir = await mkdtemp(join(tmpdir(), 'portico-host-'))
  cleanups.push(() => rm(stateDir, { recursive: true, force: true }))
  const seen: unknown[] = []
  const models = new Models({
    env: {},
    ollama: false,
    configured: [{ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: provider.url }],
  })
  const host = await createHost({
    stateDir,
    models,
    inProcess: new Map([
      ['echo', async () => ({ server: createEcho(seen) })],
      ['vault', async () => ({ server: createVault() })],
    ]),
    servers: ['echo', 'vault'].map((name) => defineServer(name, { kind: 'in-process', module: name, options: {} })),
    ...options,
  })
  cleanups.push(() => host.close())
  const asked: Question[] = []
  host.inbox.on((event) => {
    if (event.type !== 'asked') return
    asked.push(event.question)
    const answer = decide(event.question)
    if (answer !== undefined) queueMicrotask(() => host.inbox.answer(event.question.id, answer))
  })
  await host.catalogue.list()
  return { host, provider, seen, asked, stateDir }
}

async function turn(host: Host, text: string, session = 'chat-1'): Promise<TurnEvent[]> {
  const events: TurnEvent[] = []
  await host.converse({ session }).send(text, (event) => void events.push(event))
  return events
}

const yes = (): Answer => ({ action: 'allow' })
const callOf = (events: readonly TurnEvent[], name: string) =>
  events.flatMap((event) => (event.type === 'call' && event.call.name === name ? [event.call] : [])).at(-1)
const callSay = (text: string) => ({ calls: [{ name: 'echo_say', arguments: { text } }] })

describe("a model's tool call", () => {
  it('asks, shows which server and what arguments, and happens after a yes (sec-115, sec-127)', async () => {
    const { host, asked } = await start({ replies: [callSay('hello'), { text: 'done' }] }, yes)
    const events = await turn(host, 'say hello')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      server: 'echo',
      body: { kind: 'approval', effect: { kind: 'call', tool: 'say', arguments: { text: 'hello' } } },
    })
    expect(callOf(events, 'echo_say')).toMatchObject({ status: 'ok', server: 'echo' })
  })

  it('is asked about once where the yes is remembered, and again in another session', async () => {
    const { host, asked } = await start({ replies: [], topics: { go: [callSay('a'), { text: 'ok' }] } }, () => ({
      action: 'allow',
      remember: 'session',
      breadth: 'item',
      evenIfTainted: true,
    }))
    await turn(host, 'go')
    await turn(host, 'go')
    expect(asked).toHaveLength(1)
    await turn(host, 'go', 'chat-2')
    expect(asked).toHaveLength(2)
  })

  it('does not happen after a no, and the model is told', async () => {
    const { host, seen, provider } = await start({ replies: [callSay('x'), { text: 'pity' }] }, () => ({
      action: 'deny',
    }))
    const events = await turn(host, 'go')
    expect(callOf(events, 'echo_say')?.status).toBe('denied')
    expect(seen).toEqual([])
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('Not allowed')
  })

  it('is sent with the arguments that the person edited', async () => {
    const { host, seen } = await start({ replies: [callSay('rude words'), { text: 'ok' }] }, ({ body }) =>
      body.kind === 'approval' && JSON.stringify(body.effect).includes('rude')
        ? { action: 'allow', content: { text: 'kind words' } }
        : { action: 'allow' },
    )
    const events = await turn(host, 'go')
    expect(seen).toEqual([{ text: 'kind words' }])
    expect(callOf(events, 'echo_say')?.arguments).toEqual({ text: 'kind words' })
  })

  it('is denied without asking when nobody is there (sec-161)', async () => {
    const { host, asked, seen } = await start({ replies: [callSay('x'), { text: 'ok' }] }, yes, { unattended: true })
    const events = await turn(host, 'go')
    expect(callOf(events, 'echo_say')?.status).toBe('denied')
    expect([asked, seen]).toEqual([[], []])
  })

  it('waits in the inbox until any surface answers', async () => {
    const { host } = await start({ replies: [callSay('x'), { text: 'ok' }] }, () => undefined)
    const events: TurnEvent[] = []
    const done = host.converse({ session: 's' }).send('go', (event) => {
      events.push(event)
      if (event.type === 'call' && event.call.question !== undefined)
        host.inbox.answer(event.call.question, { action: 'allow', by: 'elsewhere' })
    })
    await done
    expect(events.some((event) => event.type === 'call' && event.call.status === 'waiting')).toBe(true)
    expect(callOf(events, 'echo_say')?.status).toBe('ok')
  })
})

it.each([
  ['once, where the question told of it', undefined, 1],
  ['each time, where the answer says so', false, 2],
])('a yes in untrusted context holds in untrusted context: asks %s (host 28)', async (_, evenIfTainted, times) => {
  const topics = { go: [callSay('a'), { text: 'ok' }] }
  const { host, asked } = await start({ replies: [], topics }, () => ({
    action: 'allow',
    remember: 'session',
    breadth: 'item',
    evenIfTainted,
  }))
  await turn(host, 'go')
  await turn(host, 'go')
  expect(asked).toHaveLength(times)
})

it('what a person has refused is not asked again in the same turn, and is in the next (host 28)', async () => {
  const topics = { go: [...Array.from({ length: 6 }, () => callSay('a')), { text: 'ok' }] }
  const { host, asked } = await start({ replies: [], topics }, () => ({ action: 'deny' }))
  const conversation = host.converse({ session: 's' })
  await conversation.send('go', () => {})
  expect(asked).toHaveLength(1)
  await conversation.send('go', () => {})
  expect(asked).toHaveLength(2)
})

it('a tool refused three times in other words is not asked about in the same turn (host 28)', async () => {
  const words = ['a', 'b', 'c', 'd', 'e', 'f']
  const topics = { go: [...words.map((word) => callSay(word)), { text: 'ok' }] }
  const { host, asked } = await start({ replies: [], topics }, () => ({ action: 'deny' }))
  await host.converse({ session: 's' }).send('go', () => {})
  expect(asked).toHaveLength(3)
})

describe('data of one server', () => {
  const script: Script = {
    replies: [{ calls: [{ name: 'vault_open', arguments: {} }] }, callSay(`it says: ${SECRET}`), { text: 'done' }],
  }
  const approve =
    (flow: Answer) =>
    (question: Question): Answer =>
      question.body.kind === 'approval' && question.body.effect.kind === 'flow' ? flow : { action: 'allow' }

  it('does not reach another without a recorded yes', async () => {
    const { host, seen, asked } = await start(script, approve({ action: 'deny' }))
    const events = await turn(host, 'go')
    expect(callOf(events, 'echo_say')?.status).toBe('denied')
    expect(JSON.stringify(seen)).not.toContain('hyacinth')
    expect(
      asked.some(
        ({ body }) => body.kind === 'approval' && body.effect.kind === 'flow' && body.effect.from.includes('vault'),
      ),
    ).toBe(true)
  })

  it('reaches it after a yes, which the audit log holds', async () => {
    const { host, seen, stateDir } = await start(script, approve({ action: 'allow' }))
    await turn(host, 'go')
    expect(JSON.stringify(seen)).toContain('hyacinth')
    await host.close()
    const file = join(stateDir, 'audit', 'audit.jsonl')
    const report = await verifyAuditLog(file)
    expect(report.ok).toBe(true)
    const { readFile } = await import('node:fs/promises')
    const log = await readFile(file, 'utf8')
    expect(log).toContain('"flow"')
    expect(log).not.toContain('hyacinth')
  })
})

describe('what a server asks during a call', () => {
  it('samples through the same models after review, framed and without secrets', async () => {
    const { host, provider, asked } = await start(
      {
        replies: [{ calls: [{ name: 'echo_think', arguments: {} }] }, { text: 'done' }],
        topics: { 'What now?': [{ text: 'Rest.' }] },
      },
      yes,
    )
    const events = await turn(host, 'go')
    expect(callOf(events, 'echo_think')).toMatchObject({ status: 'ok' })
    expect(asked.map(({ body }) => body.kind)).toEqual(['approval', 'sampling'])
    const sampled = provider.requests.find(({ messages }) => JSON.stringify(messages).includes('What now?'))
    expect(JSON.stringify(sampled)).toContain('not the user')
    expect(JSON.stringify(sampled)).not.toContain('sk-abcdefghijklmnop')
    // The conversation stays with the host.
    expect(JSON.stringify(sampled)).not.toContain('"go"')
  })

  it('sends what the person made of the prompt, and nothing when they refuse', async () => {
    const script: Script = {
      replies: [{ calls: [{ name: 'echo_think', arguments: {} }] }, { text: 'done' }],
      topics: { 'Edited?': [{ text: 'Yes.' }] },
    }
    const messages = [{ role: 'user', content: { type: 'text', text: 'Edited?' } }]
    const first = await start(script, ({ body }) =>
      body.kind === 'sampling' ? { action: 'allow', content: { messages } } : yes(),
    )
    expect(callOf(await turn(first.host, 'go'), 'echo_think')?.result?.content).toEqual([
      { type: 'text', text: expect.stringContaining('Yes.') },
    ])
    const second = await start(script, ({ body }) => (body.kind === 'sampling' ? { action: 'deny' } : yes()))
    const events = await turn(second.host, 'go')
    expect(callOf(events, 'echo_think')?.status).toBe('error')
    expect(second.seen).toEqual([])
  })

  it.each([
    { action: 'allow', content: { name: 'Ada' }, told: 'Ada' },
    { action: 'deny', told: 'decline' },
    { action: 'cancel', told: 'cancel' },
  ] as const)('shows its form and passes on $action (sec-102)', async ({ told, ...answer }) => {
    const { host, asked } = await start(
      { replies: [{ calls: [{ name: 'echo_ask', arguments: {} }] }, { text: 'ok' }] },
      ({ body }) => (body.kind === 'form' ? answer : yes()),
    )
    const events = await turn(host, 'go')
    expect(JSON.stringify(callOf(events, 'echo_ask')?.result)).toContain(told)
    expect(asked.find(({ body }) => body.kind === 'form')).toMatchObject({
      server: 'echo',
      body: { message: 'Your name?' },
    })
  })

  it('gives only the roots that were configured for it and allowed (sec-120)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-root-'))
    cleanups.push(() => rm(folder, { recursive: true, force: true }))
    const echo = defineServer(
      'echo',
      { kind: 'in-process', module: 'echo', options: {} },
      { roots: [folder, 'https://evil.example/', 'file://host/share'] },
    )
    const { host, seen } = await start({ replies: [] }, yes, { servers: [echo] })
    await host.call('echo_where')
    expect(seen).toEqual([[expect.objectContaining({ uri: expect.stringMatching(/^file:\/\/\/.*portico-root-/) })]])
  })
})

it('runs twenty servers of which three are dead, and the living answer', async () => {
  const names = Array.from({ length: 17 }, (_, at) => `live${at}`)
  const dead = Array.from({ length: 3 }, (_, at) =>
    defineServer(`dead${at}`, { kind: 'stdio', command: 'portico-no-such-program', args: [], env: {} }),
  )
  const { host } = await start({ replies: [] }, yes, {
    servers: [...names.map((name) => defineServer(name, { kind: 'in-process', module: 'echo', options: {} })), ...dead],
  })
  const { result } = await host.call('live3_say', { text: 'hi' })
  expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('hi') }])
})

it('denies everything while a rule cannot be read, and says which', async () => {
  const { host } = await start({ replies: [] }, yes, { rules: [{ id: 'no-say', outcome: 'deny', efect: ['call'] }] })
  await expect(host.call('echo_say', { text: 'x' })).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('cannot be read'),
  })
  expect(host.problems).toEqual([expect.objectContaining({ message: expect.stringContaining('efect') })])
})
