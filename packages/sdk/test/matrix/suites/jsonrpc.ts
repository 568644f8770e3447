/** JSON-RPC itself: ids, malformed messages, batches, answers and notifications nobody waits for (basic, "Messages"). */

import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../../src/jsonrpc/message.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function jsonRpcSuite(bench: Bench): void {
  const duplex = bench.transport === 'memory' || bench.transport === 'stdio'
  idSuite(bench)
  if (bench.version === '2024-11-05' || bench.version === '2025-03-26') batchSuite(bench, duplex)
  else noBatchSuite(bench)
  malformedSuite(bench, duplex)
  strangerSuite(bench, duplex)
}

/** A harmless request of the bench's era, as text may need it. */
function listing(bench: Bench, members: JsonObject): JsonObject {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': bench.version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { jsonrpc: '2.0', method: 'prompts/list', ...(bench.modern && { params: { _meta: meta } }), ...members }
}

const HEADERS = { 'mcp-method': 'prompts/list' }

function idSuite(bench: Bench): void {
  describe('ids', () => {
    it.each(['a', '', '1', 'é✓', 0, -5, 2 ** 53 - 1])('%j comes back as it was', async (id) => {
      const { response } = await bench.request('prompts/list', {}, { id })
      expect(response.id).toBe(id)
      expect(response).toHaveProperty('result')
    })

    it.each([[null], [1.5], [true], [[]], [{}]])('%j is refused with -32600', async (id) => {
      const { messages, status } = await bench.wire.raw(JSON.stringify(listing(bench, { id })), { headers: HEADERS })
      expect(messages).toHaveLength(1)
      expect(messages[0]).toMatchObject({ error: { code: -32600 } })
      expect((messages[0] as JsonObject).id ?? null).toBeNull()
      if (status !== undefined) expect(status).toBe(400)
    })

    it('in use by a running request are refused, and the running request goes on', async () => {
      if (bench.modern && (bench.transport === 'http' || bench.transport === 'fetch')) return
      if (!bench.modern) await bench.request('logging/setLevel', { level: 'debug' })
      const meta = bench.modern ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {}
      let begin = (): void => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const first = bench.wire.start('tools/call', { name: 'hang' }, { id: 'twice', meta, seen: () => begin() })
      first.outcome.catch(() => {})
      await begun
      const { messages } = await bench.wire.raw(JSON.stringify(listing(bench, { id: 'twice' })), { headers: HEADERS })
      expect(messages).toMatchObject([{ id: 'twice', error: { code: -32600 } }])
      await bench.wire.notify('notifications/cancelled', { requestId: 'twice', reason: 'over' })
      await expect
        .poll(async () => (await bench.control('read')).cancelled, { interval: 5, timeout: 10_000 })
        .toEqual(['over'])
      expect((await bench.request('prompts/list', {}, { id: 'twice' })).result).toHaveProperty('prompts')
    })
  })
}

function batchSuite(bench: Bench, duplex: boolean): void {
  const send = async (items: unknown[]): Promise<JsonObject[]> => {
    const { messages } = await bench.wire.raw(JSON.stringify(items))
    return messages.flat() as JsonObject[]
  }

  describe('batches', () => {
    it('are answered: each request once, notifications and responses never', async () => {
      const before = bench.wire.log.length
      const answers = await send([
        { jsonrpc: '2.0', id: 'b1', method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/unknown' },
        { jsonrpc: '2.0', id: 'nobody', result: {} },
        { jsonrpc: '2.0', id: 'b2', method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 1 } } },
        { jsonrpc: '2.0', id: 'b3', method: 'nothing' },
        5,
      ])
      // On a duplex line the batch is answered as a whole, once its last handler is done.
      if (answers.length === 0) await bench.wire.find(({ id }) => id === 'b2')
      const all = answers.length === 0 ? bench.wire.log.slice(before) : answers
      const byId = new Map(all.map((answer) => [answer.id ?? null, answer]))
      expect(byId.get('b1')).toMatchObject({ result: {} })
      expect(byId.get('b3')).toMatchObject({ error: { code: -32601 } })
      expect(byId.get(null)).toMatchObject({ error: { code: -32600 } })
      const second = byId.get('b2') ?? (await bench.wire.find(({ id }) => id === 'b2'))
      expect(textOf(second.result as JsonObject)).toBe('{"sum":2}')
    })

    it('of notifications alone are not answered', async () => {
      expect(
        await send([
          { jsonrpc: '2.0', method: 'notifications/unknown' },
          { jsonrpc: '2.0', method: 'x' },
        ]),
      ).toEqual([])
    })

    it('that are empty are refused with -32600', async () => {
      expect(await send([])).toMatchObject([{ error: { code: -32600 } }])
    })

    it('hold at most 100 messages', async () => {
      const pings = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ jsonrpc: '2.0', id: `n${index}`, method: 'ping' }))
      expect(await send(pings(99))).toHaveLength(99)
      expect(await send(pings(100))).toHaveLength(100)
      expect(await send(pings(101))).toMatchObject([{ error: { code: -32600 } }])
    })

    it('may not hold initialize', async () => {
      const wire = duplex && bench.transport !== 'stdio' ? await bench.open({ handshake: false }) : bench.wire
      const params = { protocolVersion: bench.version, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
      const { messages } = await wire.raw(JSON.stringify([{ jsonrpc: '2.0', id: 'i', method: 'initialize', params }]))
      expect(messages.flat()).toMatchObject([{ error: { code: -32600 } }])
    })
  })
}

function noBatchSuite(bench: Bench): void {
  it('batches are refused with -32600', async () => {
    const { messages, status } = await bench.wire.raw(JSON.stringify([listing(bench, { id: 'b1' })]))
    expect(messages).toMatchObject([{ error: { code: -32600 } }])
    if (status !== undefined) expect(status).toBe(400)
  })
}

function malformedSuite(bench: Bench, duplex: boolean): void {
  describe('malformed messages', () => {
    it.each(['{', 'nonsense', '{"jsonrpc":"2.0","id":1,"method":"ping"', '"', '{"a":1}}'])(
      '%s is -32700',
      async (text) => {
        const { messages, status } = await bench.wire.raw(text)
        expect(messages).toMatchObject([{ error: { code: -32700 } }])
        if (status !== undefined) expect(status).toBe(400)
      },
    )

    it.each([
      ['a number', 5],
      ['a string', 'ping'],
      ['null', null],
      ['no version', { id: 1, method: 'ping' }],
      ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
      ['a method that is no string', { jsonrpc: '2.0', id: 1, method: 5 }],
      ['params that are no object', { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: [1] }],
      ['params that are null', { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: null }],
      ['neither method nor result', { jsonrpc: '2.0', id: 1 }],
      ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }],
      ['a result without an id', { jsonrpc: '2.0', result: {} }],
      ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
    ])('%s is -32600', async (_, value) => {
      const { messages, status } = await bench.wire.raw(JSON.stringify(value))
      expect(messages).toMatchObject([{ error: { code: -32600 } }])
      if (status !== undefined) expect(status).toBe(400)
      expect((await bench.request('prompts/list')).result).toHaveProperty('prompts')
    })

    it.each([127, 128])('nesting of %i levels passes', async (depth) => {
      // Three levels are the message's own.
      const deep = JSON.parse(`${'['.repeat(depth - 3)}${']'.repeat(depth - 3)}`)
      const { result, error } = await bench.request('tools/call', { name: 'annotated', arguments: { deep } })
      expect(error).toBeUndefined()
      expect(textOf(result)).toBe('annotated')
    })

    it('nesting of 129 levels is refused with -32600', async () => {
      const text = JSON.stringify(listing(bench, { id: 'deep' })).replace(
        /}$/,
        `,"deep":${'['.repeat(128)}${']'.repeat(128)}}`,
      )
      const { messages } = await bench.wire.raw(text, { headers: HEADERS })
      expect(messages).toMatchObject([{ error: { code: -32600 } }])
    })

    it('100,000 levels are refused at once', async () => {
      const text = JSON.stringify(listing(bench, { id: 'deeper' })).replace(/}$/, `,"deep":${'['.repeat(100_000)}`)
      const { messages } = await bench.wire.raw(text, { headers: HEADERS })
      expect(messages).toHaveLength(1)
      expect(isObject(messages[0]) && messages[0]).toHaveProperty('error')
      expect((await bench.request('prompts/list')).result).toHaveProperty('prompts')
    })

    it('a string beyond the limit is refused, and the connection lives', async () => {
      const text = JSON.stringify(listing(bench, { id: 'long', extra: 'x'.repeat(16 * 1024 * 1024 + 1) }))
      const { messages, status } = await bench.wire.raw(text, { headers: HEADERS })
      if (duplex) expect(messages).toMatchObject([{ error: { code: -32600 } }])
      else expect(status).toBe(413)
      expect((await bench.request('prompts/list')).result).toHaveProperty('prompts')
    })
  })
}

function strangerSuite(bench: Bench, duplex: boolean): void {
  describe('what nobody asked for', () => {
    it.each([
      ['an unknown method', 'tools/destroy'],
      ['a method that every object has', 'toString'],
      ['a method of the server', 'sampling/createMessage'],
      ['an empty method', ''],
    ])('%s is -32601', async (_, method) => {
      const { error } = await bench.request(method)
      expect(error).toMatchObject({ code: -32601 })
    })

    it.each([
      ['an unknown notification', { method: 'notifications/unknown' }],
      ['a request without an id', { method: 'tools/call', params: { name: 'echo' } }],
      ['a notification of the server', { method: 'notifications/message', params: { level: 'info', data: 1 } }],
    ])('%s is not answered', async (_, members) => {
      const { messages, status } = await bench.wire.raw(JSON.stringify({ jsonrpc: '2.0', ...members }))
      expect(messages).toEqual([])
      if (status !== undefined) expect(status).toBe(202)
    })

    it.each([
      ['a result', { id: 'nobody', result: {} }],
      ['an error', { id: 999_999, error: { code: -1, message: 'x' } }],
      ['an error without an id', { error: { code: -1, message: 'x' } }],
    ])('%s for no request is ignored', async (_, members) => {
      const { messages, status } = await bench.wire.raw(JSON.stringify({ jsonrpc: '2.0', ...members }))
      if (duplex) expect(messages).toEqual([])
      // A modern client has nothing to answer over HTTP (2026-07-28, Streamable HTTP).
      else expect(status).toBe(bench.modern ? 400 : 202)
    })

    it('members that the revision does not know are ignored', async () => {
      const { result } = await bench.request('prompts/list', { unknown: { deep: true } })
      expect(result).toHaveProperty('prompts')
    })
  })
}
