/** A real server on one end of a memory channel, hand-written messages on the other. */

import { afterEach, describe, expect, it } from 'vitest'
import type { Channel } from '../src/jsonrpc/channel.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, endpointOf } from '../src/server/server.ts'
import { type Connection, type ConnectionOptions, serveChannel } from '../src/session/connection.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'

type Json = { [key: string]: unknown }

const open: Connection[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()))
})

/** Tools that finish when told to, and what became of them. */
function setUp(options: ConnectionOptions = {}) {
  const running = new Map<string, () => void>()
  const aborted: string[] = []
  const server = createServer({
    name: 'test',
    version: '1',
    tools: {
      echo: tool({}, (args) => JSON.stringify(args)),
      wait: tool({}, async ({ name }, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.push(String(name)))
        await ctx.progress(1, 2)
        await new Promise<void>((resolve) => running.set(String(name), resolve))
        await ctx.progress(2, 2)
        return String(name)
      }),
      ask: tool({}, async (_, ctx) => JSON.stringify(await ctx.roots())),
    },
  })
  const [near, far] = createMemoryChannels()
  const notes: string[] = []
  const connection = serveChannel(endpointOf(server), near, { debug: (note) => notes.push(note), ...options })
  open.push(connection)
  return { server, connection, running, aborted, notes, ...talk(far) }
}

function talk(channel: Channel) {
  const received: unknown[] = []
  let wake = (): void => {}
  const closed = new Promise<void>((resolve) => {
    channel.open({
      message: (value) => {
        received.push(value)
        wake()
      },
      malformed: () => {},
      closed: () => resolve(),
    })
  })
  const next = async (): Promise<unknown> => {
    while (received.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return received.shift()
  }
  const say = (message: unknown): void => channel.send(typeof message === 'string' ? message : JSON.stringify(message))
  const ask = (message: unknown): Promise<unknown> => {
    say(message)
    return next()
  }
  /** A ping answered proves that all before it was handled, and that nothing else was sent meanwhile. */
  const quiet = async (): Promise<void> => {
    expect(await ask(request('quiet', 'ping'))).toMatchObject({ id: 'quiet' })
  }
  const initialize = async (protocolVersion: string): Promise<void> => {
    const params = { protocolVersion, capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } }
    expect(await ask(request(0, 'initialize', params))).toMatchObject({ id: 0, result: { protocolVersion } })
    say(notification('notifications/initialized'))
  }
  return { channel, received, closed, next, say, ask, quiet, initialize }
}

function request(id: unknown, method: string, params?: Json): Json {
  return { jsonrpc: '2.0', id, method, params }
}

function notification(method: string, params?: Json): Json {
  return { jsonrpc: '2.0', method, params }
}

function call(id: unknown, name: string, args: Json = {}, meta?: Json): Json {
  return request(id, 'tools/call', { name, arguments: args, _meta: meta })
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const refusal = (id: unknown, code: number, text: string) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message: expect.stringContaining(text) },
})

describe('one connection, both eras', () => {
  it('serves modern requests before, beside and without a session', async () => {
    const { ask, initialize } = setUp()
    const modern = { id: 'm', result: { resultType: 'complete', content: [{ type: 'text', text: '{"a":1}' }] } }
    expect(await ask(call('m', 'echo', { a: 1 }, ENVELOPE))).toMatchObject(modern)
    await initialize('2025-06-18')
    expect(await ask(call('m', 'echo', { a: 1 }, ENVELOPE))).toMatchObject(modern)
    const legacy = (await ask(call('l', 'echo', { a: 1 }))) as Json
    expect(legacy).toMatchObject({ id: 'l', result: { content: [{ type: 'text', text: '{"a":1}' }] } })
    expect(legacy.result).not.toHaveProperty('resultType')
  })

  const marks = [
    {
      name: 'any reserved key',
      message: call(1, 'echo', {}, { 'io.modelcontextprotocol/clientCapabilities': {} }),
      code: -32602,
    },
    { name: 'server/discover', message: request(1, 'server/discover'), code: -32602 },
    {
      name: 'an unknown version',
      message: call(1, 'echo', {}, { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }),
      code: -32022,
    },
    { name: 'none of these', message: call(1, 'echo', {}, { progressToken: 1 }), code: -32600 },
  ]
  it.each(marks)('tells a modern request by $name', async ({ message, code }) => {
    const { ask } = setUp()
    expect(await ask(message)).toMatchObject({ id: 1, error: { code } })
  })

  it('refuses an id that is under way in either era and leaves the first call unharmed (sec-137)', async () => {
    const { ask, next, say, running, initialize } = setUp()
    await initialize('2025-11-25')
    say(call(7, 'wait', { name: 'old' }))
    expect(await ask(call(7, 'echo', {}, ENVELOPE))).toEqual(refusal(7, -32600, 'under way'))
    say(call(8, 'wait', { name: 'new' }, ENVELOPE))
    expect(await ask(call(8, 'echo'))).toEqual(refusal(8, -32600, 'under way'))
    running.get('old')?.()
    expect(await next()).toMatchObject({ id: 7, result: {} })
    running.get('new')?.()
    expect(await next()).toMatchObject({ id: 8, result: {} })
  })
})

describe('what is not a message', () => {
  const rows = [
    { name: 'no JSON', text: '{"id":1', code: -32700, reason: 'Parse error' },
    { name: 'a limit', text: '['.repeat(200) + ']'.repeat(200), code: -32600, reason: 'maxDepth' },
    { name: 'a number', text: '5', code: -32600, reason: 'object' },
    { name: 'a null id', text: '{"jsonrpc":"2.0","id":null,"method":"ping"}', code: -32600, reason: '"id"' },
    { name: 'a fractional id', text: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', code: -32600, reason: '"id"' },
    { name: 'an array', text: '[]', code: -32600, reason: 'batches' },
  ]
  const states = [
    { state: 'before initialize', version: undefined, id: null },
    { state: 'under 2025-06-18', version: '2025-06-18', id: null },
    { state: 'under 2025-11-25, whose errors may lack an id', version: '2025-11-25', id: undefined },
  ]
  for (const { state, version, id } of states) {
    it.each(rows)(`is refused ${state}: $name`, async ({ text, code, reason }) => {
      const { ask, initialize } = setUp()
      if (version !== undefined) await initialize(version)
      expect(await ask(text)).toStrictEqual(refusal(id, code, reason))
    })
  }

  it('is refused without an id on a connection that is modern only', async () => {
    const { ask } = setUp()
    await ask(call(1, 'echo', {}, ENVELOPE))
    expect(await ask('{oops')).toStrictEqual(refusal(undefined, -32700, 'Parse error'))
  })

  it('is refused with its id where that can be read', async () => {
    const { ask } = setUp()
    expect(await ask({ jsonrpc: '1.0', id: 'x', method: 'ping' })).toEqual(refusal('x', -32600, 'jsonrpc'))
  })

  it('has no answer when it is an answer to nothing', async () => {
    const { say, quiet, notes } = setUp()
    say({ jsonrpc: '2.0', id: 99, result: {} })
    await quiet()
    expect(notes).toEqual(['an answer to no open request'])
  })
})

describe('batches', () => {
  const versions = ['2024-11-05', '2025-03-26']
  it.each(versions)('are answered together under %s (sec-8)', async (version) => {
    const { say, next, running, initialize } = setUp()
    await initialize(version)
    say([
      call(1, 'wait', { name: 'slow' }, { progressToken: 'p' }),
      notification('notifications/whatever'),
      call(2, 'echo'),
      { jsonrpc: '2.0', id: 3 },
      { jsonrpc: '2.0', id: 77, result: {} },
    ])
    expect(await next()).toMatchObject({ method: 'notifications/progress', params: { progress: 1 } })
    running.get('slow')?.()
    expect(await next()).toMatchObject({ method: 'notifications/progress', params: { progress: 2 } })
    const answers = (await next()) as Json[]
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    expect(answers.find(({ id }) => id === 3)).toEqual(refusal(3, -32600, 'method'))
  })

  it('of notifications alone have no answer', async () => {
    const { say, quiet, initialize } = setUp()
    await initialize('2025-03-26')
    say([notification('notifications/a'), notification('notifications/b')])
    await quiet()
  })

  it('carry answers to what the server asked', async () => {
    const { say, next, initialize } = setUp()
    await initialize('2025-03-26')
    say([call(1, 'ask')])
    const asked = (await next()) as Json
    expect(asked).toMatchObject({ method: 'roots/list' })
    say([{ jsonrpc: '2.0', id: asked.id, result: { roots: [{ uri: 'file:///r' }] } }])
    expect(await next()).toMatchObject([{ id: 1, result: {} }])
  })

  it('leave out a request that was cancelled', async () => {
    const { say, next, quiet, running, initialize } = setUp()
    await initialize('2025-03-26')
    say([call(1, 'wait', { name: 'a' }), call(2, 'wait', { name: 'b' })])
    say(notification('notifications/cancelled', { requestId: 1 }))
    await quiet()
    running.get('b')?.()
    expect(await next()).toMatchObject([{ id: 2 }])
  })

  const parts = [
    { name: 'initialize', message: request(5, 'initialize', {}) },
    { name: 'a modern request', message: call(5, 'echo', {}, ENVELOPE) },
  ]
  it.each(parts)('may not hold $name', async ({ message }) => {
    const { ask, initialize } = setUp()
    await initialize('2025-03-26')
    expect(await ask([message, request(6, 'ping')])).toEqual([
      refusal(5, -32600, 'batch'),
      { jsonrpc: '2.0', id: 6, result: {} },
    ])
  })

  const sizes = [
    { size: 0, refused: 'empty' },
    { size: 1, refused: undefined },
    { size: 99, refused: undefined },
    { size: 100, refused: undefined },
    { size: 101, refused: 'maxBatch (100)' },
  ]
  it.each(sizes)('hold 1 to 100 messages: $size', async ({ size, refused }) => {
    const { ask, initialize } = setUp()
    await initialize('2025-03-26')
    const answer = await ask(Array.from({ length: size }, (_, id) => request(id, 'ping')))
    if (refused === undefined) expect(answer).toHaveLength(size)
    else expect(answer).toEqual(refusal(null, -32600, refused))
  })
})

describe('cancellation (sec-42, sec-148)', () => {
  const eras = [
    { era: 'legacy', meta: { progressToken: 1 } },
    { era: 'modern', meta: { progressToken: 1, ...ENVELOPE } },
  ]
  it.each(eras)('ends a $era call, and nothing more is sent for it', async ({ meta }) => {
    const { say, next, quiet, running, aborted, initialize } = setUp()
    await initialize('2025-11-25')
    say(call(1, 'wait', { name: 'x' }, meta))
    expect(await next()).toMatchObject({ method: 'notifications/progress' })
    for (const requestId of [1, 1, 'unknown', null]) say(notification('notifications/cancelled', { requestId }))
    await quiet()
    expect(aborted).toEqual(['x'])
    running.get('x')?.()
    await quiet()
  })

  it('comes to every call when the client goes', async () => {
    const { say, next, channel, connection, aborted, initialize } = setUp()
    await initialize('2025-11-25')
    say(call(1, 'wait', { name: 'old' }, { progressToken: 1 }))
    say(call(2, 'wait', { name: 'new' }, { progressToken: 2, ...ENVELOPE }))
    await next()
    await next()
    await channel.close()
    await connection.closed
    expect(aborted.sort()).toEqual(['new', 'old'])
  })
})

describe('limits', () => {
  it.each([
    { under: 1, refused: false },
    { under: 2, refused: true },
    { under: 3, refused: true },
  ])('refuse requests beyond maxInFlight (2) with $under under way', async ({ under, refused }) => {
    const { say, ask, initialize } = setUp({ maxInFlight: 2 })
    await initialize('2025-11-25')
    for (let id = 1; id <= Math.min(under, 2); id++) say(call(id, 'wait', { name: String(id) }))
    if (under > 2) await ask(call(3, 'wait', { name: '3' }))
    const answer = await ask(call('last', 'echo'))
    if (refused) expect(answer).toEqual(refusal('last', -32603, 'maxInFlight (2)'))
    else expect(answer).toMatchObject({ id: 'last', result: {} })
  })
})

describe('the end', () => {
  it('by drain lets what is under way finish', async () => {
    const { say, next, connection, closed, running, initialize } = setUp()
    await initialize('2025-11-25')
    say(call(1, 'wait', { name: 'x' }, { progressToken: 1 }))
    await next()
    const drained = connection.drain()
    running.get('x')?.()
    expect(await next()).toMatchObject({ method: 'notifications/progress' })
    expect(await next()).toMatchObject({ id: 1, result: {} })
    await Promise.all([drained, closed, connection.closed])
  })

  it('by drain does not wait beyond the grace', async () => {
    const { say, next, connection, closed, aborted } = setUp()
    say(call(1, 'wait', { name: 'x' }, { progressToken: 1, ...ENVELOPE }))
    await next()
    await connection.drain(20)
    await closed
    expect(aborted).toEqual(['x'])
  })

  const listen = request('l', 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: ENVELOPE })
  it('by drain ends its listens with their result (sdk D2)', async () => {
    const { ask, next, connection, closed } = setUp()
    expect(await ask(listen)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    const drained = connection.drain(60_000)
    expect(await next()).toMatchObject({ id: 'l', result: {} })
    await Promise.all([drained, closed])
  })

  it('by drain takes nothing new while something is under way', async () => {
    const { say, ask, next, connection, closed } = setUp()
    say(call(1, 'wait', { name: 'x' }, { progressToken: 1, ...ENVELOPE }))
    await next()
    void connection.drain(60_000)
    const late = await ask(request('late', 'tools/list', { _meta: ENVELOPE }))
    expect(late).toMatchObject({ id: 'late', error: { code: -32603, message: 'The server is shutting down' } })
    await Promise.all([connection.close(), closed])
  })

  it('by close is immediate and can be repeated', async () => {
    const { say, next, connection, closed, aborted } = setUp()
    say(call(1, 'wait', { name: 'x' }, { progressToken: 1, ...ENVELOPE }))
    await next()
    await Promise.all([connection.close(), connection.close(), closed])
    expect(aborted).toEqual(['x'])
  })
})
