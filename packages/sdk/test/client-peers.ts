/**
 * Servers that do exactly what a test tells them, byte for byte where it matters: over memory, over HTTP, and as a child
 * process. They share no code with the SDK's own server, so that both halves cannot be wrong in the same way.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { CommandTarget } from '../src/connect/options.ts'
import type { Channel } from '../src/jsonrpc/channel.ts'
import { createMemoryChannels } from '../src/transport/memory.ts'

export type Message = {
  [key: string]: unknown
  id?: string | number
  method?: string
  params?: Record<string, unknown>
}
export type Reply = (message: unknown) => void

/** Answers messages on the far end of a channel. */
export function scriptedChannel(script: (message: Message, reply: Reply, channel: Channel) => void): {
  channel: Channel
  received: Message[]
  far: Channel
} {
  const [near, far] = createMemoryChannels()
  const received: Message[] = []
  far.open({
    message(value) {
      received.push(value as Message)
      script(value as Message, (message) => far.send(JSON.stringify(message)), far)
    },
    malformed() {},
    closed() {},
  })
  return { channel: near, received, far }
}

export interface Recorded {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Message | undefined
  readonly at: number
}

export interface ScriptedHttp {
  readonly url: string
  readonly requests: Recorded[]
  /** Messages by method, as they came. */
  messages(method: string): Recorded[]
  close(): Promise<void>
}

/** An HTTP server whose every answer is the test's. */
export async function scriptedHttp(
  script: (request: Recorded, response: ServerResponse, raw: IncomingMessage) => void,
  path = '/mcp',
  listenOn = 0,
): Promise<ScriptedHttp> {
  const requests: Recorded[] = []
  const sockets = new Set<Socket>()
  const server = createServer((raw, response) => {
    const chunks: Buffer[] = []
    raw.on('data', (chunk) => chunks.push(chunk))
    raw.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const request: Recorded = {
        method: raw.method ?? '',
        url: raw.url ?? '',
        headers: raw.headers,
        body: text === '' ? undefined : JSON.parse(text),
        at: Date.now(),
      }
      requests.push(request)
      script(request, response, raw)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(listenOn, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    requests,
    messages: (method) => requests.filter((request) => request.body?.method === method),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export function result(id: unknown, value: Record<string, unknown>): Message {
  return { jsonrpc: '2.0', id: id as number, result: value }
}

export function error(id: unknown, code: number, message = 'no', data?: unknown): Message {
  return { jsonrpc: '2.0', id: id as number, error: { code, message, data } }
}

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}

export function discovered(capabilities: Record<string, unknown> = CAPABILITIES): Record<string, unknown> {
  return {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } },
  }
}

export function initialized(version = '2025-11-25', capabilities: Record<string, unknown> = CAPABILITIES) {
  return { protocolVersion: version, capabilities, serverInfo: { name: 'scripted', version: '1' } }
}

export function toolResult(text: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { resultType: 'complete', content: [{ type: 'text', text }], ...extra }
}

/** A modern server: answers discovery, and leaves the rest to the test. */
export function modernChannel(script: (message: Message, reply: Reply, channel: Channel) => void) {
  return scriptedChannel((message, reply, channel) => {
    if (message.method === 'server/discover') reply(result(message.id, discovered()))
    else script(message, reply, channel)
  })
}

/** A server of the older revisions. */
export function legacyChannel(script: (message: Message, reply: Reply, channel: Channel) => void, version?: string) {
  return scriptedChannel((message, reply, channel) => {
    if (message.method === 'server/discover') reply(error(message.id, -32601))
    else if (message.method === 'initialize') reply(result(message.id, initialized(version)))
    else script(message, reply, channel)
  })
}

/**
 * A child process on plain Node. `body` runs for each message with `message`, `reply(value)` and `write(text)` in scope,
 * and `state` to keep things in.
 */
export function scriptedProcess(body: string, before = ''): CommandTarget {
  const script = `
    const write = (text) => process.stdout.write(text)
    const reply = (value) => write(JSON.stringify(value) + '\\n')
    const ok = (result) => reply({ jsonrpc: '2.0', id: message.id, result })
    const state = {}
    let message
    ${before}
    let rest = ''
    process.stdin.on('data', (chunk) => {
      rest += chunk
      for (let at; (at = rest.indexOf('\\n')) >= 0; rest = rest.slice(at + 1)) {
        message = JSON.parse(rest.slice(0, at))
        ;(() => { ${body} })()
      }
    })
    process.stdin.on('end', () => process.exit(0))
  `
  return { command: process.execPath, args: ['-e', script] }
}

export const PROCESS_MODERN = `
  if (message.method === 'server/discover') return ok(${JSON.stringify(discovered())})
`
export const PROCESS_LEGACY = `
  if (message.method === 'initialize') return ok(${JSON.stringify(initialized())})
`

/** A promise and the means to settle it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Looks until something is so; for facts that nobody announces. */
export async function until(condition: () => boolean, ms = 5_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not so within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
