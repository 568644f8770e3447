/** The same endpoint behind the web's `Request` and `Response`. */

import { afterEach, describe, expect, it } from 'vitest'
import { createEventDecoder } from '../src/framing/event-stream.ts'
import { type FetchHandler, serveFetch } from '../src/serve/adapters/fetch.ts'
import type { StreamableOptions } from '../src/serve/streamable/streamable-options.ts'
import {
  call,
  createFixture,
  type Fixture,
  initialize,
  legacy,
  META,
  modern,
  PROGRESS,
  type Sent,
} from './http-fixture.ts'

let fixture: Fixture
let handler: FetchHandler
afterEach(async () => {
  fixture.gate.open()
  await handler.close()
  await fixture.http.close()
})

async function start(options: StreamableOptions = {}): Promise<void> {
  fixture = await createFixture()
  handler = serveFetch(fixture.server, { path: '/mcp', ...options })
}

function toRequest({ method = 'POST', path = '/mcp', headers, body }: Sent, signal?: AbortSignal): Request {
  // The tests send text and single headers only.
  return new Request(`http://localhost:3000${path}`, {
    method,
    headers: headers as Record<string, string>,
    body: body as string,
    signal,
  })
}

async function readEvents(response: Response): Promise<{ data: string; id: string }[]> {
  const events: { data: string; id: string }[] = []
  const decoder = createEventDecoder({ onEvent: (event) => events.push(event), onFault: () => {} })
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) decoder.push(chunk)
  return events
}

describe('serveFetch', () => {
  it('answers a modern request with JSON', async () => {
    await start()
    const response = await handler.fetch(toRequest(modern('tools/call', { name: 'echo', arguments: { text: 'é' } })))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: 'é' }] } })
  })

  it('streams what precedes the result', async () => {
    await start()
    fixture.gate.open()
    const meta = { ...META, progressToken: 1 }
    const response = await handler.fetch(toRequest(modern('tools/call', { name: 'steps', arguments: {}, _meta: meta })))
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect((await readEvents(response)).map((event) => JSON.parse(event.data).id ?? 'progress')).toEqual([
      'progress',
      'progress',
      1,
    ])
  })

  it('keeps sessions, and resumes their streams', async () => {
    await start()
    const opened = await handler.fetch(toRequest(legacy(initialize('2025-11-25'))))
    const id = opened.headers.get('mcp-session-id') ?? ''
    const session = { id, headers: { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' } }
    const ready = await handler.fetch(
      toRequest(legacy({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)),
    )
    expect([ready.status, await ready.text()]).toEqual([202, ''])
    const response = await handler.fetch(toRequest(legacy(call('steps', 1, PROGRESS), session)))
    const reader = response.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
    fixture.gate.open()
    const last = /id: (\S+)/.exec(first)?.[1] ?? ''
    const headers = { ...session.headers, accept: 'text/event-stream', 'last-event-id': last }
    const resumed = await handler.fetch(toRequest({ method: 'GET', headers }))
    expect((await readEvents(resumed)).at(-1)?.data).toContain('steps result')
    const ended = await handler.fetch(toRequest({ method: 'DELETE', headers: session.headers }))
    expect(ended.status).toBe(204)
  })

  it.each(['by the signal of the request', 'by giving up the body'])(
    'cancels a modern call %s (sec-15)',
    async (how) => {
      await start()
      const controller = new AbortController()
      const meta = { ...META, progressToken: 1 }
      const sent = modern('tools/call', { name: 'steps', arguments: {}, _meta: meta })
      const response = await handler.fetch(toRequest(sent, controller.signal))
      if (how.includes('signal')) controller.abort()
      else await response.body?.cancel()
      expect(await fixture.cancelled).toContain('closed the connection')
    },
  )

  it('cancels a modern call that has not answered yet (sec-15)', async () => {
    await start()
    const controller = new AbortController()
    void handler.fetch(toRequest(modern('tools/call', { name: 'slow', arguments: {} }), controller.signal))
    await fixture.gate.reached
    controller.abort()
    expect(await fixture.cancelled).toContain('closed the connection')
  })

  it.each([
    ['a foreign origin (sec-1)', modern('tools/list', {}, { origin: 'http://evil.example' }), 403],
    ['a foreign host', modern('tools/list', {}, { host: 'evil.example' }), 403],
    ['another path', { ...modern('tools/list'), path: '/other' }, 404],
    ['a body beyond the bound', { ...modern('tools/list'), body: ' '.repeat(2001) }, 413],
    ['a body that is no JSON', { ...modern('tools/list'), body: '{' }, 400],
    ['a body at the bound', { ...modern('tools/list'), body: String(modern('tools/list').body).padEnd(2000) }, 200],
  ])('judges %s like the server on Node', async (_, sent, status) => {
    await start({ limits: { maxBodyBytes: 2000 } })
    expect((await handler.fetch(toRequest(sent))).status).toBe(status)
  })

  it.each<[string, { [name: string]: string }]>([
    ['without a length', {}],
    ['in chunks, beside a length that it does not keep', { 'content-length': '10', 'transfer-encoding': 'chunked' }],
    ['with a length that is no number', { 'content-length': 'many' }],
    ['with a length that is empty', { 'content-length': '' }],
    ['with a length below nothing', { 'content-length': '-1' }],
  ])('stops reading at the bound when a body comes %s (sec-320)', async (_, headers) => {
    await start({ limits: { maxBodyBytes: 2000 } })
    let [sent, stopped] = [0, false]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++
        controller.enqueue(new Uint8Array(500).fill(32))
      },
      cancel() {
        stopped = true
      },
    })
    const head = { ...(modern('tools/list').headers as Record<string, string>), ...headers }
    const init = { method: 'POST', headers: head, body, duplex: 'half' }
    expect((await handler.fetch(new Request('http://localhost:3000/mcp', init))).status).toBe(413)
    expect([stopped, sent < 10]).toEqual([true, true])
  })

  it.each<{ [name: string]: string }>([{}, { 'content-length': '2' }])(
    'refuses a body that is not UTF-8, with %j',
    async (length) => {
      await start()
      const headers = { ...(modern('tools/list').headers as Record<string, string>), ...length }
      const body = new Uint8Array([0xc3, 0x28])
      const response = await handler.fetch(new Request('http://localhost:3000/mcp', { method: 'POST', headers, body }))
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not UTF-8')])
    },
  )

  it('makes neither a stream nor a signal of a plain call (house 3)', async () => {
    await start()
    const sent = modern('tools/call', { name: 'echo', arguments: { text: 'a' } })
    const length = { 'content-length': String(Buffer.byteLength(String(sent.body))) }
    const touched: string[] = []
    const seen = new Proxy(toRequest({ ...sent, headers: { ...sent.headers, ...length } }), {
      get(target, name) {
        touched.push(String(name))
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect((await handler.fetch(seen)).status).toBe(200)
    expect([touched.includes('body'), touched.includes('signal')]).toEqual([false, false])
  })
})
