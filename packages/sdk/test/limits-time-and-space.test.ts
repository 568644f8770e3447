/** The bounds on sessions, queues, time, schemas, rounds and pages: at the bound, one below and one beyond. */

import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createPrincipal } from '../src/auth/principal.ts'
import { connect } from '../src/connect/connect.ts'
import { createEventDecoder } from '../src/framing/event-stream.ts'
import { SCHEMA_LIMITS } from '../src/schema/json-schema/json-schema-limits.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { SendQueue } from '../src/transport/send-queue.ts'
import { initialize, legacy, openSession, send } from './http-fixture.ts'
import { type Json, WAYS } from './limits-ways.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const plain = createServer({ name: 'plain', version: '1', tools: { one: tool({}, () => 'one') } })

function keep<T extends { close(): Promise<unknown> }>(one: T): T {
  open.push(one)
  return one
}

describe('sessions', () => {
  it.each([
    { before: 1, status: 200 },
    { before: 2, status: 200 },
    { before: 3, status: 503 },
  ])('under maxSessions 3 with $before open: $status', async ({ before, status }) => {
    const { port } = keep(await serveHttp(plain, { port: 0, graceMs: 100, limits: { maxSessions: 3 } }))
    for (let at = 0; at < before; at++) await openSession(port, '2025-11-25')
    const answer = await send(port, legacy(initialize('2025-11-25')))
    expect(answer.status).toBe(status)
    if (status === 503) expect(answer.json?.error.message).toContain('maxSessions (3)')
  })

  it.each([
    { before: 1, status: 200 },
    { before: 2, status: 200 },
    { before: 3, status: 429 },
  ])('under maxSessionsPerPrincipal 3 with $before open: $status (sec-165)', async ({ before, status }) => {
    const limits = { maxSessionsPerPrincipal: 3 }
    const authenticate = (head: { header(name: string): string | undefined }) =>
      createPrincipal(head.header('authorization') ?? '')
    const { port } = keep(await serveHttp(plain, { port: 0, graceMs: 100, limits, authenticate }))
    for (let at = 0; at < before; at++) await openSession(port, '2025-11-25', { authorization: 'ada' })
    const answer = await send(port, legacy(initialize('2025-11-25'), undefined, { authorization: 'ada' }))
    expect(answer.status).toBe(status)
    if (status === 429) expect(answer.json?.error.message).toContain('maxSessionsPerPrincipal (3)')
    await openSession(port, '2025-11-25', { authorization: 'bob' })
  })
})

describe('what waits for a reader that does not read', () => {
  function stalled(limits: { maxQueueBytes?: number; maxKeptBytes?: number }) {
    const errors: Error[] = []
    const queue = new SendQueue({ ...limits, write: () => false, overflow: (error) => errors.push(error) })
    // The first is with the writer, and unread.
    queue.push('x'.repeat(10))
    void queue.flushed()
    return { queue, errors }
  }

  it.each([
    { size: 89, dropped: 0 },
    { size: 90, dropped: 0 },
    { size: 91, dropped: 1 },
  ])('of logs, $size besides 10 under maxQueueBytes 100: $dropped dropped', ({ size, dropped }) => {
    const { queue } = stalled({ maxQueueBytes: 100 })
    queue.push('l'.repeat(size), 'log')
    expect([queue.dropped, queue.size]).toEqual([dropped, dropped === 0 ? 10 + size : 10])
  })

  it.each([
    { size: 189, given: 0 },
    { size: 190, given: 0 },
    { size: 191, given: 1 },
  ])('of answers, $size besides 10 under maxKeptBytes 200: given up $given times', ({ size, given }) => {
    const { queue, errors } = stalled({ maxQueueBytes: 100, maxKeptBytes: 200 })
    queue.push('k'.repeat(size))
    expect(errors.map(({ message }) => message)).toEqual(
      given === 0 ? [] : [expect.stringContaining('maxKeptBytes (200)')],
    )
  })
})

describe('an event that a client reads', () => {
  it.each([
    { size: 99, fault: undefined },
    { size: 100, fault: undefined },
    { size: 101, fault: 'maxEventBytes (100) exceeded' },
  ])('of $size bytes under maxEventBytes 100', ({ size, fault }) => {
    const faults: string[] = []
    const seen: number[] = []
    const decoder = createEventDecoder({
      maxEventBytes: 100,
      onEvent: ({ data }) => seen.push(data.length),
      onFault: (reason) => faults.push(reason),
    })
    decoder.push(new TextEncoder().encode(`data: ${'x'.repeat(size - 6)}\n\ndata: next\n\n`))
    expect([seen, faults]).toEqual(fault === undefined ? [[size - 6, 4], []] : [[4], [fault]])
  })
})

describe('time', () => {
  const servers = [
    { name: 'http', serve: (limits: object) => serveHttp(plain, { port: 0, graceMs: 100, limits }) },
    { name: 'websocket', serve: (limits: object) => serveWebSocket(plain, { port: 0, graceMs: 100, limits }) },
  ]
  const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n'

  it.each(servers)('for the head of a request is bounded on $name by headersTimeoutMs', async ({ serve }) => {
    const { port } = keep(await serve({ headersTimeoutMs: 60 }))
    expect(await whatComesOf(port, head)).toMatch(/^HTTP\/1.1 408 /)
  })

  it.each(servers)('for a whole request is bounded on $name by requestTimeoutMs', async ({ name, serve }) => {
    const { port } = keep(await serve({ headersTimeoutMs: 60, requestTimeoutMs: 120 }))
    const answer = await whatComesOf(port, `${head}\r\n{"`)
    // What is no upgrade is answered before its body is there; the connection ends all the same.
    expect(answer).toMatch(name === 'http' ? /^HTTP\/1.1 408 / : /^HTTP\/1.1 (408|426) /)
  })

  it('that is kept lets a request through, in pieces or not', async () => {
    const { port } = keep(await serveHttp(plain, { port: 0, graceMs: 100, limits: { headersTimeoutMs: 10_000 } }))
    const socket = dial(port, '127.0.0.1')
    for (const piece of [head.slice(0, 20), head.slice(20), 'Connection: close\r\n\r\n', '{"id":', '1}  ']) {
      await new Promise((resolve) => socket.write(piece, resolve))
    }
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).toMatch(/^HTTP\/1.1 400 /)
    socket.destroy()
  })

  async function whatComesOf(port: number, text: string): Promise<string> {
    const socket = dial(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(text)
    await once(socket, 'close')
    return answer
  }
})

describe('schemas that a server is defined with', () => {
  const nest = (depth: number): Json => (depth === 0 ? { type: 'string' } : { properties: { a: nest(depth - 1) } })
  const input = (schema: Json) => ({ ...schema, type: 'object' as const })
  const rows = [
    { option: 'maxSchemaDepth', at: SCHEMA_LIMITS.maxSchemaDepth, make: (size: number) => nest(size - 1) },
    {
      option: 'maxSubschemas',
      at: SCHEMA_LIMITS.maxSubschemas,
      make: (size: number) => ({ allOf: Array.from({ length: size - 1 }, () => ({})) }),
    },
  ]
  it.each(rows.flatMap((row) => [-1, 0, 1].map((extra) => ({ ...row, extra }))))(
    'are held to $option $at, here $extra from it (sec-144)',
    ({ option, at, make, extra }) => {
      const define = () =>
        createServer({ name: 's', version: '1', tools: { t: tool({ input: input(make(at + extra)) }, () => 'ok') } })
      if (extra <= 0) expect(define).not.toThrow()
      else expect(define).toThrow(option)
    },
  )

  it.each(WAYS)('judge a hostile value in bounded time over $name, and say so (sec-144)', async (way) => {
    const pattern = '(?:a|ab|ba){900}x'
    const schema = { type: 'object', properties: { text: { type: 'string', pattern } } } as const
    const server = createServer({ name: 's', version: '1', tools: { t: tool({ input: schema }, () => 'ok') } })
    const line = await keep(await way.open(server)).line()
    const { message } = await line.modern('tools/call', { name: 't', arguments: { text: 'ab'.repeat(1_000_000) } })
    expect(message.result.isError).toBe(true)
    expect(message.result.content[0].text).toContain('maxValidationSteps')
    expect((await line.modern('tools/list')).message.result.tools).toHaveLength(1)
  })
})

describe('rounds of input', () => {
  it.each(WAYS)('end at maxRounds 3 over $name', async (way) => {
    const server = createServer({
      name: 'curious',
      version: '1',
      maxRounds: 3,
      tools: {
        ask: tool({}, async (_args, ctx) => {
          for (let at = 0; ; at++) await ctx.elicit(`q${at}`, { message: 'More?', form: z.object({ a: z.string() }) })
        }),
      },
    })
    const line = await keep(await way.open(server)).line()
    let more: Json = {}
    for (let round = 1; round <= 3; round++) {
      const { result } = (await line.modern('tools/call', { name: 'ask', arguments: {}, ...more })).message
      expect(result.resultType).toBe('input_required')
      const asked = Object.keys(result.inputRequests)
      const answer = { action: 'accept', content: { a: 'x' } }
      const inputResponses = Object.fromEntries(asked.map((key) => [key, answer]))
      more = { inputResponses, requestState: result.requestState }
    }
    const last = await line.modern('tools/call', { name: 'ask', arguments: {}, ...more })
    expect(JSON.stringify(last.message)).toContain('maxRounds')
    expect(last.message.result?.resultType).not.toBe('input_required')
  })
})

describe('pages of a list', () => {
  it.each([
    { pages: 2, refused: false },
    { pages: 3, refused: false },
    { pages: 4, refused: true },
  ])('under maxPages 3 there are $pages', async ({ pages, refused }) => {
    const tools = Object.fromEntries(Array.from({ length: pages }, (_, at) => [`t${at}`, tool({}, () => 'ok')]))
    const server = createServer({ name: 'paged', version: '1', pageSize: 1, tools })
    const client = keep(await connect(server, { limits: { maxPages: 3 } }))
    if (refused) await expect(client.listTools()).rejects.toThrow('maxPages (3)')
    else expect(await client.listTools()).toHaveLength(pages)
  })
})
