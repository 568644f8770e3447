/** What a client's user may rely on: bounds of time, errors that say what is wrong, and no call that nobody made. */

import { inspect } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import { createServer, tool } from '../src/doors/server.ts'
import { error, json, legacyChannel, modernChannel, result, scriptedHttp, toolResult } from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}) {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

test('sdk D5: no name that others look for on any object becomes a call', async () => {
  const { channel, received } = modernChannel((message, reply) => reply(result(message.id, toolResult('x'))))
  const connected = await client(channel)
  expect(JSON.stringify({ connected, tools: connected.tools })).toBe('{"connected":{"client":"memory"},"tools":{}}')
  inspect({ connected, tools: connected.tools }, { showProxy: false, depth: 5, getters: true })
  expect(await connected.tools).toBe(connected.tools)
  expect({ tools: connected.tools }).not.toEqual({ tools: 1 })
  expect({ tools: connected.tools }).toMatchObject({ tools: expect.anything() })
  const probed = ['then', 'toJSON', 'inspect', 'constructor', 'asymmetricMatch', '$$typeof', 'nodeType', 'valueOf']
  const tools = connected.tools as unknown as Record<string | symbol, unknown>
  for (const name of [...probed, Symbol.iterator, Symbol.toPrimitive, Symbol.toStringTag, Symbol.asyncIterator]) {
    expect(tools[name]).toBeUndefined()
  }
  expect(Object.prototype.toString.call(tools)).toBe('[object Object]')
  expect(received.filter(({ method }) => method === 'tools/call')).toEqual([])
})

test.each(['http', 'memory'])('sdk D11: an aborted connect leaves no timer behind (%s)', async (way) => {
  const silent = await scriptedHttp(() => {})
  open.push(() => silent.close())
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  for (let count = 0; count < 50; count++) {
    const abort = new AbortController()
    const target = way === 'http' ? silent.url : modernChannelThatIsSilent()
    const connecting = connect(target, { signal: abort.signal, negotiations: false })
    abort.abort()
    await expect(connecting).rejects.toMatchObject({ code: 'aborted' })
  }
  expect(timers() - before).toBeLessThan(25)
})

function modernChannelThatIsSilent() {
  return createServer({ name: 'any', version: '1' })
}

describe('sdk D12: whoever must sign in is told so', () => {
  const challenge = 'Bearer realm="x", resource_metadata="https://a.example/meta", scope="a b", DPoP algs="ES256"'
  const challenges = [
    { scheme: 'bearer', params: { realm: 'x', resource_metadata: 'https://a.example/meta', scope: 'a b' } },
    { scheme: 'dpop', params: { algs: 'ES256' } },
  ]

  test.each([401, 403])('when connecting: HTTP %i with a JSON-RPC error', async (status) => {
    const server = await scriptedHttp((request, response) =>
      json(response, status, error(request.body?.id, -32_001, 'Unauthorized'), { 'www-authenticate': challenge }),
    )
    open.push(() => server.close())
    await expect(client(server.url)).rejects.toMatchObject({
      code: 'http-status',
      delivery: 'not-sent',
      data: { status, challenge, challenges },
    })
  })

  test('a refusal that says nothing of signing in stays the JSON-RPC error that it is, with its number', async () => {
    const server = await scriptedHttp((request, response) =>
      json(response, 403, error(request.body?.id, -32_000, 'This origin is not allowed')),
    )
    open.push(() => server.close())
    await expect(client(server.url, { versions: '2025-11-25' })).rejects.toMatchObject({
      code: 'peer-error',
      rpcCode: -32_000,
    })
  })
})

describe('sdk D18: timeoutMs is a bound', () => {
  /** Reports progress as long as anybody wants it. */
  function reporting() {
    return legacyChannel((message, reply, channel) => {
      const { progressToken } = (message.params?._meta ?? {}) as { progressToken?: number }
      let progress = 0
      const timer = setInterval(() => {
        if (progressToken === undefined) return
        reply({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: ++progress } })
        if (progress === 30) {
          clearInterval(timer)
          reply(result(message.id, toolResult('done')))
        }
      }, 10)
      open.push(async () => {
        clearInterval(timer)
        await channel.close()
      })
    })
  }

  test('progress does not extend it', async () => {
    const connected = await client(reporting().channel)
    const call = connected.callTool('slow', {}, { timeoutMs: 100, onProgress() {} })
    await expect(call).rejects.toMatchObject({ code: 'timeout' })
  })

  test.each([
    ['resetOnProgress', { timeoutMs: 100, resetOnProgress: true }],
    ['no bound of its own and a listener', { onProgress() {} }],
  ])('unless asked for: %s', async (_, options) => {
    const connected = await client(reporting().channel, { timeouts: { callMs: 100 } })
    expect(await connected.callTool('slow', {}, options)).toMatchObject(toolResult('done'))
  })

  test('nobody listens, so no progress is asked for', async () => {
    const { channel, received } = modernChannel((message, reply) => reply(result(message.id, toolResult('x'))))
    const connected = await client(channel)
    await connected.callTool('any')
    await connected.callTool('any', {}, { onProgress() {} })
    const tokens = received
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => 'progressToken' in ((params?._meta ?? {}) as object))
    expect(tokens).toEqual([false, true])
  })
})

test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'sdk D19: progress never goes back, however many rounds there are (%s)',
  async (versions) => {
    const server = createServer({
      name: 'rounds',
      version: '1',
      tools: {
        ask: tool({}, async (_, ctx) => {
          await ctx.progress(1)
          await ctx.elicit('first', { message: '?', form: z.object({ a: z.string() }) })
          await ctx.progress(2)
          await ctx.elicit('second', { message: '?', form: z.object({ a: z.string() }) })
          await ctx.progress(4)
          return 'done'
        }),
      },
    })
    const elicitation = { form: async () => ({ action: 'accept' as const, content: { a: 'x' } }) }
    const connected = await client(server, { versions, elicitation })
    const seen: number[] = []
    await connected.callTool('ask', {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 4])
  },
)

test.each([
  [undefined, 'undefined is nothing to connect to'],
  [null, 'null is nothing to connect to'],
  [42, '42 is nothing to connect to'],
  [{ url: 'http://a.example' }, 'An object with url is nothing to connect to'],
  ['a.example', '"a.example" is no URL'],
  ['ftp://a.example', 'ftp: is not a way to reach a server'],
])('sdk D26: connect(%j) says what is wrong', async (target, message) => {
  await expect(connect(target as unknown as Target)).rejects.toMatchObject({
    code: 'connect-failed',
    message: expect.stringContaining(message),
  })
})

test.each(['http://127.0.0.1:1/mcp', 'ws://127.0.0.1:1/mcp', 'tcp://127.0.0.1:1'])(
  'sdk D26: that %s cannot be reached names the address',
  async (url) => {
    await expect(connect(url, { negotiations: false })).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('127.0.0.1:1'),
    })
  },
)

describe('everything that waits can be given up', () => {
  /** Agrees to everything but subscriptions, which it never acknowledges. */
  const silent = () => modernChannel(() => {})

  test.each([
    ['timeoutMs', () => ({ timeoutMs: 20 }), 'timeout'],
    ['signal', () => ({ signal: AbortSignal.abort() }), 'aborted'],
  ])('subscribe: %s', async (_, options, code) => {
    const connected = await client(silent().channel)
    await expect(connected.subscribe('note://one', undefined, options())).rejects.toMatchObject({ code })
  })

  test.each([
    ['timeoutMs', () => ({ timeoutMs: 20 }), 'timeout'],
    ['signal', () => ({ signal: AbortSignal.abort() }), 'aborted'],
  ])('setLogLevel: %s', async (_, options, code) => {
    const connected = await client(legacyChannel(() => {}).channel)
    await expect(connected.setLogLevel('debug', options())).rejects.toMatchObject({ code })
  })
})

test('an answer to a form may have members that are undefined', async () => {
  const form = z.object({ name: z.string(), note: z.string().optional() })
  const server = createServer({
    name: 'forms',
    version: '1',
    tools: { ask: tool({}, async (_, ctx) => JSON.stringify(await ctx.elicit('k', { message: '?', form }))) },
  })
  const note: string | undefined = [][0]
  const elicitation = { form: () => ({ action: 'accept' as const, content: { name: 'Ann', note } }) }
  const connected = await client(server, { elicitation })
  expect((await connected.callTool('ask')).content).toEqual([
    { type: 'text', text: '{"action":"accept","content":{"name":"Ann"}}' },
  ])
})

test('the times allowed are those of the founding documents: 30 s for calls, 10 s for reads, 2 s for lists', async () => {
  const { CLIENT_TIMEOUTS } = await import('../src/client/options.ts')
  expect(CLIENT_TIMEOUTS).toMatchObject({ callMs: 30_000, readMs: 10_000, listMs: 2_000 })
  const { channel } = legacyChannel(() => {})
  const made = await connect(channel)
  vi.useFakeTimers()
  try {
    const times = [made.callTool('slow'), made.readResource('a:b'), made.listTools()].map((call) =>
      call.then(
        () => 'answered',
        (error) => error.message,
      ),
    )
    await vi.advanceTimersByTimeAsync(31_000)
    expect(await Promise.all(times)).toEqual([30_000, 10_000, 2_000].map((ms) => `No answer within ${ms} ms`))
  } finally {
    vi.useRealTimers()
    await made.close()
  }
})
