import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Client } from '../src/client/client.ts'
import type { ChangeNotice } from '../src/client/events.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import { createServer, prompt, resource, tool } from '../src/doors/server.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import { type HttpServer, serveHttp } from '../src/serve/adapters/http.ts'
import { until } from './client-peers.ts'

function createEverything() {
  return createServer({
    name: 'everything',
    version: '1.0.0',
    instructions: 'Ask it anything.',
    pageSize: 2,
    tools: {
      add: tool(
        { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
        ({ a, b }) => ({ sum: a + b }),
      ),
      greet: tool({ input: z.object({ name: z.string().optional() }) }, ({ name = 'you' }) => `Hello, ${name}`),
      slow: tool({}, async (_, ctx) => {
        ctx.progress(1, 2, 'half')
        ctx.progress(2, 2)
        ctx.log('warning', { about: 'slow' })
        return 'done'
      }),
      fail: tool({}, () => ({ content: [{ type: 'text' as const, text: 'it broke' }], isError: true })),
      ask: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('who', {
          message: 'Who?',
          form: z.object({ name: z.string(), age: z.number().default(42) }),
        })
        return JSON.stringify(answer)
      }),
      think: tool({}, async (_, ctx) => {
        const { content } = await ctx.sample({ prompt: 'Say hi', maxTokens: 5 })
        return JSON.stringify(content)
      }),
      where: tool({}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
      hang: tool(
        {},
        (_, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve(''))),
      ),
    },
    resources: {
      note: resource({ uri: 'note://one', mimeType: 'text/plain' }, () => 'a note'),
      user: resource({ uri: 'user://{id}', complete: { id: () => ['ann', 'bob'] } }, ({ id }) => `user ${id}`),
    },
    prompts: { hello: prompt({ arguments: [{ name: 'who', required: true }] }, ({ who }) => `Hello ${who}`) },
  })
}

type Everything = ReturnType<typeof createEverything>

const everything = createEverything()
let http: HttpServer
const clients: Client<Everything>[] = []

beforeAll(async () => {
  http = await serveHttp(everything, { port: 0 })
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})
afterAll(() => http.close())

const cells = (['memory', 'http'] as const).flatMap((transport) =>
  PROTOCOL_VERSIONS.map((version) => [transport, version] as const),
)

describe.each(cells)('%s, %s', (transport, version) => {
  const open = async (options: ConnectOptions = {}): Promise<Client<Everything>> => {
    const target = transport === 'memory' ? everything : http.url
    const client = await connect<Everything>(target, { versions: version, ...options })
    clients.push(client)
    return client
  }
  const since = (first: ProtocolVersion) => version >= first

  test('introduces itself', async () => {
    const client = await open()
    expect(client.version).toBe(version)
    expect(client.server).toMatchObject({
      info: { name: 'everything', version: '1.0.0' },
      instructions: 'Ask it anything.',
    })
  })

  test('lists over all pages', async () => {
    const client = await open()
    expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(
      ['add', 'greet', 'slow', 'fail', 'ask', 'think', 'where', 'hang'].sort(),
    )
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['note://one'])
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['user://{id}'])
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['hello'])
  })

  test('calls tools, typed', async () => {
    const client = await open()
    await client.listTools()
    const sum = await client.tools.add({ a: 1, b: 2 })
    expectTypeOf(sum).toEqualTypeOf<{ sum: number }>()
    expect(sum).toEqual({ sum: 3 })
    expect(await client.tools.greet()).toBe('Hello, you')
    await expect(client.tools.fail()).rejects.toMatchObject({ code: 'tool-error', message: 'it broke' })
    expect(await client.callTool('fail')).toMatchObject({ isError: true })
  })

  test('progress and logs', async () => {
    const client = await open({ logLevel: 'info' })
    const logs: unknown[] = []
    client.on('log', ({ level, data }) => logs.push([level, data]))
    const progress: number[] = []
    await client.callTool('slow', {}, { onProgress: (step) => progress.push(step.progress) })
    expect(progress).toEqual([1, 2])
    await until(() => logs.length === 1)
    expect(logs).toEqual([['warning', { about: 'slow' }]])
  })

  test('reads, prompts, completes, pings', async () => {
    const client = await open()
    expect((await client.readResource('user://ann')).contents).toMatchObject([{ uri: 'user://ann', text: 'user ann' }])
    await expect(client.readResource('none://')).rejects.toMatchObject({ code: 'peer-error' })
    expect((await client.getPrompt('hello', { who: 'me' })).messages[0]).toMatchObject({
      content: { text: 'Hello me' },
    })
    const ref = { type: 'ref/resource', uri: 'user://{id}' } as const
    expect((await client.complete({ ref, argument: { name: 'id', value: '' } })).completion.values).toEqual([
      'ann',
      'bob',
    ])
    await client.ping()
  })

  test.runIf(since('2025-06-18'))('elicitation by form, defaults filled in', async () => {
    const client = await open({ elicitation: { form: () => ({ action: 'accept', content: { name: 'Ann' } }) } })
    const answer = JSON.parse(String(await client.tools.ask()))
    expect(answer).toMatchObject({ action: 'accept', content: { name: 'Ann', age: 42 } })
  })

  test('sampling and roots', async () => {
    const client = await open({
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
      roots: [{ uri: 'file:///work' }],
    })
    expect(JSON.stringify(await client.tools.think())).toContain('hi')
    expect(await client.tools.where()).toBe('file:///work')
  })

  test('what the client does not offer is refused, not answered', async () => {
    const client = await open()
    const outcome = await client.callTool('where').then(
      (result) => (result.isError ? 'refused' : 'answered'),
      () => 'refused',
    )
    expect(outcome).toBe('refused')
  })

  test('subscriptions: lists and resources', async () => {
    const client = await open()
    const seen: ChangeNotice[] = []
    const note = await client.subscribe('note://one', (change) => seen.push(change))
    const lists = await client.subscribe({ toolsListChanged: true }, (change) => seen.push(change))
    everything.changed('note://one')
    await until(() => seen.some(({ kind }) => kind === 'resource'))
    everything.changed('tools')
    await until(() => seen.some(({ kind }) => kind === 'tools'))
    await note.close()
    await lists.close()
    const before = seen.length
    everything.changed('note://one')
    await client.ping()
    expect(seen).toHaveLength(before)
  })

  test('cancellation reaches the handler', async () => {
    const client = await open()
    const controller = new AbortController()
    const call = client.callTool('hang', {}, { signal: controller.signal })
    setTimeout(() => controller.abort(), 30)
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await client.ping()
  })

  test('100 calls at once, each with its own answer', async () => {
    const client = await open()
    const sums = await Promise.all(Array.from({ length: 100 }, (_, a) => client.callTool('add', { a, b: 1 })))
    expect(sums.map(({ content }) => JSON.parse((content[0] as { text: string }).text).sum)).toEqual(
      Array.from({ length: 100 }, (_, a) => a + 1),
    )
  })
})

test('the HTTP+SSE transport of 2024-11-05 against our own server', async () => {
  // What a client of that time does: the path answers POST as well by now.
  const prior = { era: 'legacy', version: '2024-11-05', transport: 'http+sse' } as const
  const client = await connect<Everything>(http.url.replace(/\/mcp$/, '/sse'), { negotiations: false, prior })
  clients.push(client)
  expect(client.negotiated.transport).toBe('http+sse')
  expect((await client.listTools()).length).toBe(8)
})
