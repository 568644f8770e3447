/** What the tests of WebSocket and plain sockets share: a small server, and a conversation over raw texts. */

import type { RequestContext } from '../src/server/context.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'

export type Json = { [key: string]: ReturnType<typeof JSON.parse> }

export interface SocketFixture {
  readonly server: Server
  /** Names of the tools that ran. */
  readonly ran: string[]
  readonly errors: unknown[]
  /** Resolves when `slow` has begun; `release` lets it end. */
  readonly begun: Promise<void>
  readonly release: () => void
  readonly cancelled: Promise<unknown>
  /** Resolves when `flood` has said all it says. */
  readonly flooded: Promise<void>
}

export function createSocketFixture(): SocketFixture {
  const ran: string[] = []
  const errors: unknown[] = []
  const [begun, begin] = signal<void>()
  const [released, release] = signal<void>()
  const [cancelled, cancel] = signal<unknown>()
  const [flooded, tellFlooded] = signal<void>()
  const server = createServer({
    name: 'sockets',
    version: '1.0.0',
    onError: (error) => errors.push(error),
    tools: {
      who: tool({}, (_, ctx) => {
        ran.push('who')
        return `${ctx.principal?.id ?? 'nobody'} on ${ctx.version}`
      }),
      slow: tool({}, async (_, ctx) => {
        ctx.signal.addEventListener('abort', () => cancel(ctx.signal.reason))
        begin()
        await released
        return 'slow result'
      }),
      flood: tool({}, async (_, ctx) => {
        await flood(ctx)
        tellFlooded()
        return 'flood result'
      }),
    },
  })
  return { server, ran, errors, begun, release, cancelled, flooded }
}

/** More than twice what a system takes from a program before the reader has read any of it. */
export const FLOOD_BYTES = 100_000_000

async function flood(ctx: RequestContext): Promise<void> {
  for (let sent = 0; sent < FLOOD_BYTES; sent += 10_000) {
    ctx.log('info', 'x'.repeat(10_000))
    if (sent % 1_000_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Talks over whatever carries texts. */
export class Talk {
  readonly notices: Json[] = []
  readonly #send: (text: string) => void
  readonly #waiting = new Map<unknown, (message: Json) => void>()
  #lastId = 0

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  receive(text: string): void {
    const message: Json = JSON.parse(text)
    const key = message.id ?? (message.method === undefined ? 'unknown id' : undefined)
    if (key === undefined) this.notices.push(message)
    else this.#waiting.get(key)?.(message)
  }

  say(message: Json): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  /** The whole response. */
  request(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#lastId
    const answer = new Promise<Json>((resolve) => this.#waiting.set(id, resolve))
    this.say({ id, method, params })
    return answer
  }

  modern(method: string, params: Json = {}): Promise<Json> {
    return this.request(method, { ...params, _meta: { ...ENVELOPE, ...params._meta } })
  }

  /** The next error that belongs to no request. */
  unasked(): Promise<Json> {
    return new Promise((resolve) => this.#waiting.set('unknown id', resolve))
  }

  async initialize(protocolVersion: string): Promise<Json> {
    const clientInfo = { name: 'test', version: '1' }
    const { result } = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo })
    this.say({ method: 'notifications/initialized' })
    return result
  }
}

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function signal<T>(): [Promise<T>, (value: T) => void] {
  let resolve: (value: T) => void = () => {}
  return [
    new Promise<T>((found) => {
      resolve = found
    }),
    (value) => resolve(value),
  ]
}
