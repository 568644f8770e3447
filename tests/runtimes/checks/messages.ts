/** MCP messages by hand, of both eras, for the checks: what goes into a request and what is read from an answer. */

import assert from 'node:assert/strict'
import type { Answer, Call, Sent, StreamEvent, Wire } from '../wire.ts'

export type Json = { [key: string]: unknown }

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Json
  // What comes back is looked into at any depth; a wrong guess shows as a failed comparison.
  readonly result?: Json & { content?: { text: string }[]; structuredContent?: Json; _meta?: Json }
  readonly error?: { readonly code: number; readonly message: string }
}

export const MODERN = '2026-07-28'
export const OLDER = '2025-11-25'

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let lastId = 0

/** A request of 2026-07-28, with the headers that mirror it. */
export function modern(method: string, params: Json = {}, meta: Json = {}): Call & { readonly id: number } {
  const id = ++lastId
  const name = params.name ?? params.uri
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'runtimes', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    ...meta,
  }
  return {
    id,
    method: 'POST',
    headers: {
      ...ACCEPT,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
  }
}

export function modernTool(name: string, args: Json = {}, meta: Json = {}, more: Json = {}): Call {
  return modern('tools/call', { name, arguments: args, ...more }, meta)
}

/** A message of the older revisions; without a session it can only be `initialize`. */
export function older(message: Json, session?: string, more: { [name: string]: string } = {}): Call {
  const own: { [name: string]: string } =
    session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': OLDER }
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return { method: 'POST', headers: { ...ACCEPT, ...own, ...more }, body }
}

export function olderTool(session: string, name: string, args: Json = {}, meta?: Json): Call {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
  return older({ id: ++lastId, method: 'tools/call', params }, session)
}

export const hello = {
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: OLDER,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'runtimes', version: '1.0.0' },
  },
}

/** Opens a session of 2025-11-25 and returns its id. */
export async function openSession(wire: Wire): Promise<string> {
  const answer = await wire.send(older(hello)).answer
  assert.equal(answer.status, 200)
  const session = answer.headers['mcp-session-id']
  assert.equal(typeof session, 'string')
  const message = await only(answer)
  assert.equal(message.result?.protocolVersion, OLDER)
  const begun = await wire.send(older({ method: 'notifications/initialized' }, String(session))).answer
  assert.equal(begun.status, 202)
  return String(session)
}

/** The single JSON answer to a call. */
export async function ask(wire: Wire, call: Call): Promise<Message> {
  const answer = await wire.send(call).answer
  assert.equal(answer.status, 200, `status ${answer.status}: ${answer.status === 200 ? '' : await answer.text()}`)
  return only(answer)
}

export async function only(answer: Answer): Promise<Message> {
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  return JSON.parse(await answer.text())
}

/** The messages of an event stream, one at a time; what has an id and no data is left out. */
export class Stream {
  readonly answer: Answer
  readonly ids: string[] = []
  readonly #events: AsyncGenerator<StreamEvent, void>

  private constructor(answer: Answer) {
    this.answer = answer
    this.#events = answer.events()
  }

  static async open({ answer }: Sent): Promise<Stream> {
    const begun = await answer
    assert.equal(begun.status, 200)
    assert.match(String(begun.headers['content-type']), /^text\/event-stream/)
    return new Stream(begun)
  }

  /** The next event with data; undefined at the end. */
  async event(): Promise<StreamEvent | undefined> {
    while (true) {
      const { done, value } = await this.#events.next()
      if (done || value === undefined) return undefined
      if (value.id !== undefined) this.ids.push(value.id)
      if (value.data !== '') return value
    }
  }

  async next(): Promise<Message> {
    const event = await this.event()
    assert.ok(event, 'the stream ended early')
    return JSON.parse(event.data)
  }

  async ends(): Promise<void> {
    assert.equal(await this.event(), undefined)
  }
}
