/**
 * What one call may cost, counted in things that no busy machine can change: parses, serializations, functions run,
 * timers and controllers made, bytes moved. The times themselves are `npm run bench`.
 */

import { PassThrough } from 'node:stream'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleSdk, fetchPath, httpPath, stdioPath } from '../../../tests/support/call-paths.ts'
import { connect } from '../src/connect/connect.ts'
import { parseJson } from '../src/framing/json.ts'
import { createLineDecoder } from '../src/framing/lines.ts'
import type { Channel, ChannelEvents } from '../src/jsonrpc/channel.ts'
import { serveFetch } from '../src/serve/adapters/fetch.ts'
import { serveStdio } from '../src/serve/stdio.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'

const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

/** Calls of own functions in a client's plain call, by far most of them inlined; a bound against growth that nobody sees. */
const MAX_CLIENT_CALLS = 60

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'budget', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const ERAS = [
  { era: '2025-11-25', meta: {} },
  { era: '2026-07-28', meta: { _meta: ENVELOPE } },
] as const

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe.each(ERAS)('a plain tools/call over stdio, $era', ({ meta }) => {
  it('is parsed once and serialized once', async () => {
    const wire = await openWire(createAdder())
    await wire.exchange(wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, ...meta }))
    const call = wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, ...meta })
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    expect(await wire.exchange(call)).toContain('"3"')
    expect(parse).toHaveBeenCalledTimes(1)
    expect(stringify).toHaveBeenCalledTimes(1)
  })

  it('makes no abort controller and no timer', async () => {
    const wire = await openWire(createAdder())
    const call = wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, ...meta })
    await wire.exchange(call)
    const made = countConstructions('AbortController')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await wire.exchange(wire.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 }, ...meta }))
    expect(made()).toBe(0)
    expect(timers).not.toHaveBeenCalled()
  })
})

/** What was reached, and two more where a socket may split what it brings; it only ever goes down. */
const PATHS = [
  { way: 'stdio, 2025-11-25', measure: (sdk: Sdk) => stdioPath(sdk, '2025-11-25'), most: 68 },
  { way: 'stdio, 2026-07-28', measure: (sdk: Sdk) => stdioPath(sdk, '2026-07-28'), most: 70 },
  { way: 'node:http, 2025-11-25', measure: (sdk: Sdk) => httpPath(sdk, '2025-11-25'), most: 85 },
  { way: 'node:http, 2026-07-28', measure: (sdk: Sdk) => httpPath(sdk, '2026-07-28'), most: 85 },
  { way: 'fetch, 2026-07-28', measure: fetchPath, most: 83 },
]

describe('the way of a warm tools/call', () => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await bundleSdk()
  })

  it.each(PATHS)('over $way runs at most $most distinct functions', async ({ measure, most }) => {
    const { distinct } = await measure(sdk)
    expect(distinct.length).toBeGreaterThan(20)
    expect(distinct.length, distinct.join('\n')).toBeLessThanOrEqual(most)
  })
})

describe('a plain tools/call over HTTP', () => {
  it('is parsed once and serialized once', async () => {
    const handler = serveFetch(createAdder())
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1, b: 2 }, _meta: ENVELOPE },
    })
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      host: 'localhost',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
    }
    const post = () => handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    await post()
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    const response = await post()
    expect(await response.text()).toContain('"3"')
    expect(parse).toHaveBeenCalledTimes(1)
    expect(stringify).toHaveBeenCalledTimes(1)
  })
})

describe.each(ERAS)('a client’s plain tools/call, $era', ({ era }) => {
  it('is serialized once, and makes no abort controller, no timer and one promise', async () => {
    const client = await connect(answering(), { versions: era })
    await client.callTool('add', { a: 1, b: 2 })
    const stringify = vi.spyOn(JSON, 'stringify')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const made = countConstructions('AbortController')
    const promises = countConstructions('Promise')
    const answer = client.callTool('add', { a: 2, b: 3 })
    expect([stringify.mock.calls.length, timers.mock.calls.length, made(), promises()]).toEqual([1, 0, 0, 1])
    vi.unstubAllGlobals()
    expect(await answer).toEqual({ content: [{ type: 'text', text: '3' }] })
    await client.close()
  })

  it('runs a bounded number of functions', async () => {
    const sdk = await bundleSdk()
    const client = await sdk.doors.connect(answering(), { versions: era })
    for (let n = 0; n < 10; n++) await client.callTool('add', { a: 1, b: 2 })
    const { calls } = await sdk.run(async () => {
      for (let n = 0; n < 10; n++) await client.callTool('add', { a: 1, b: 2 })
    })
    expect(calls / 10).toBeGreaterThan(10)
    expect(calls / 10).toBeLessThan(MAX_CLIENT_CALLS)
    await client.close()
  })
})

describe('a call by reference', () => {
  it('is never text, and shares no object between the two sides', async () => {
    const seen: unknown[] = []
    const kept = { hits: [{ path: 'a' }] }
    const server = createServer({
      name: 'budget',
      version: '1.0.0',
      tools: {
        find: tool({ input: { type: 'object' } }, (args) => {
          seen.push(args)
          return { content: [], structuredContent: kept }
        }),
      },
    })
    const client = await connect(server, { transfer: 'reference' })
    await client.callTool('find')
    seen.length = 0
    const args = { query: { text: 'x' } }
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    const pending = client.callTool('find', args)
    args.query.text = 'changed by the caller'
    const { structuredContent } = await pending
    expect([parse.mock.calls.length, stringify.mock.calls.length]).toEqual([0, 0])
    expect(seen).toEqual([{ query: { text: 'x' } }])
    expect(structuredContent).toEqual(kept)
    expect(structuredContent).not.toBe(kept)
    await client.close()
  })

  it('says the same as by text where a value has no JSON form of its own', async () => {
    const at = new Date(0)
    const server = createServer({
      name: 'budget',
      version: '1.0.0',
      tools: { now: tool({}, () => ({ content: [], structuredContent: { at, list: [undefined, Number.NaN] } })) },
    })
    const results = await Promise.all(
      (['text', 'reference'] as const).map(async (transfer) => {
        const client = await connect(server, { transfer })
        const result = await client.callTool('now', { at })
        await client.close()
        return result
      }),
    )
    expect(results[1]).toEqual(results[0])
    expect(results[1]?.structuredContent).toEqual({ at: at.toJSON(), list: [null, null] })
  })
})

describe.each(ERAS)('tools/list, $era', ({ meta }) => {
  it('is built once, whoever asks and how often', async () => {
    const wire = await openWire(createAdder())
    const first = await wire.exchange(wire.request('tools/list', meta))
    const again = wire.request('tools/list', meta)
    const stringify = vi.spyOn(JSON, 'stringify')
    const second = await wire.exchange(again)
    expect(stringify).not.toHaveBeenCalled()
    expect(withoutId(second)).toBe(withoutId(first))
  })
})

describe('schemas', () => {
  it('are converted once and validate once per call', async () => {
    const count = { converted: 0, validated: 0 }
    const input = {
      '~standard': {
        version: 1,
        vendor: 'budget',
        validate: (value: unknown) => {
          count.validated++
          return { value }
        },
        jsonSchema: {
          input: () => {
            count.converted++
            return NUMBERS
          },
          output: () => NUMBERS,
        },
      },
    } as const
    const server = createServer({ name: 'budget', version: '1.0.0', tools: { add: tool({ input }, () => 'x') } })
    const wire = await openWire(server)
    for (const { meta } of ERAS) {
      await wire.exchange(wire.request('tools/list', meta))
      await wire.exchange(wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, ...meta }))
    }
    expect(count).toEqual({ converted: 1, validated: 2 })
  })

  it('in JSON are compiled once: no call reads them again', async () => {
    let reads = 0
    const input: typeof NUMBERS = new Proxy(NUMBERS, {
      get(target, name, receiver) {
        reads++
        return Reflect.get(target, name, receiver)
      },
      ownKeys(target) {
        reads++
        return Reflect.ownKeys(target)
      },
    })
    const server = createServer({ name: 'budget', version: '1.0.0', tools: { add: tool({ input }, () => 'x') } })
    const wire = await openWire(server)
    const compiled = reads
    await wire.exchange(wire.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }))
    expect(compiled).toBeGreaterThan(0)
    expect(reads).toBe(compiled)
  })
})

describe('a long line', () => {
  it('costs work in proportion to its length, not to its square', () => {
    const [small, large] = [1, 8].map((megabytes) => countBytesMoved(megabytes * 1024 * 1024))
    expect((large ?? 0) / (small ?? 1)).toBeGreaterThan(6)
    expect((large ?? 0) / (small ?? 1)).toBeLessThan(10)
  })
})

type Sdk = Awaited<ReturnType<typeof bundleSdk>>

function createAdder(): Server {
  return createServer({
    name: 'budget',
    version: '1.0.0',
    tools: { add: tool({ description: 'Adds', input: NUMBERS }, ({ a, b }) => String(a + b)) },
  })
}

/** A served pipe after the old handshake; requests are made ahead, so that what is counted is the server's alone. */
async function openWire(server: Server) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  serveStdio(server, { stdin, stdout, exit: false })
  let id = 0
  const request = (method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`
  const exchange = (line: string): Promise<string> =>
    new Promise((resolve) => {
      stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
      stdin.write(line)
    })
  const clientInfo = { name: 'budget', version: '1.0.0' }
  await exchange(request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }))
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return { request, exchange }
}

/** A server at the other end that costs nothing: it looks for the id and has its answers ready. */
function answering(): Channel {
  let events: ChannelEvents | undefined
  const answers: { readonly [method: string]: object } = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: INFO },
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: INFO },
    'tools/call': { content: [{ type: 'text', text: '3' }] },
  }
  return {
    label: 'answering',
    open(given) {
      events = given
    },
    send(text) {
      const found = /^\{"jsonrpc":"2.0","id":(\d+),"method":"([^"]+)"/.exec(text)
      const result = answers[found?.[2] ?? '']
      if (result !== undefined) {
        queueMicrotask(() => events?.message({ jsonrpc: '2.0', id: Number(found?.[1]), result }))
      }
    },
    flush: () => Promise.resolve(),
    async close() {
      events?.closed()
    },
  }
}

const INFO = { name: 'budget', version: '1.0.0' }

function withoutId(text: string): string {
  return text.replace(/"id":\d+/, '"id":0')
}

function countConstructions(name: 'AbortController' | 'Promise'): () => number {
  let made = 0
  const count = (target: new (...args: never[]) => object, args: unknown[], as: NewableFunction): object => {
    made++
    return Reflect.construct(target, args, as === counted ? target : as)
  }
  const counted = new Proxy(globalThis[name] as new (...args: never[]) => object, { construct: count })
  vi.stubGlobal(name, counted)
  return () => made
}

/** The bytes copied, decoded and parsed for one line of that length that comes in pieces. */
function countBytesMoved(length: number): number {
  let moved = 0
  const set = Uint8Array.prototype.set
  const copies = vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (this: Uint8Array, from, at) {
    moved += from.length
    return set.call(this, from, at)
  })
  const decode = TextDecoder.prototype.decode
  const decodes = vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (this: TextDecoder, bytes) {
    moved += bytes?.byteLength ?? 0
    return decode.call(this, bytes)
  })
  const item = `"${'x'.repeat(1021)}",`
  const line = new TextEncoder().encode(`[${item.repeat(length / 1024 - 1)}"end"]\n`)
  const values: unknown[] = []
  const decoder = createLineDecoder({
    onLine: (text) => {
      moved += text.length
      values.push(parseJson(text))
    },
    onFault: (_, reason) => values.push(reason),
  })
  for (let at = 0; at < line.length; at += 64 * 1024) decoder.push(line.subarray(at, at + 64 * 1024))
  copies.mockRestore()
  decodes.mockRestore()
  expect(values).toMatchObject([{ ok: true }])
  return moved
}
