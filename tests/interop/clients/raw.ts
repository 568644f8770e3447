/**
 * A client that writes its messages by hand, for the revisions that no official client speaks on the wire any more
 * as they were: 2024-11-05 and 2025-03-26, batches included. It trusts nothing and hides nothing.
 */

import {
  type CallOptions,
  type ClientUnderTest,
  createAnswers,
  Heard,
  type Item,
  type Json,
  type ListKind,
  type Message,
  type Offer,
  type Progress,
  type ToolResult,
  type Version,
} from '../client-under-test.ts'
import type { Address } from '../server-under-test.ts'
import { openWire, type Wire } from './raw-wires.ts'

export class RawError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${message} ${JSON.stringify(data) ?? ''}`)
    this.code = code
    this.data = data
  }
}

type Id = string | number | null

interface Waiting {
  readonly resolve: (result: Json) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: ((progress: Progress) => void) | undefined
}

export interface RawClient extends ClientUnderTest {
  /** Sends anything, as it is. */
  send(message: unknown): Promise<number | undefined>
  /** Sends a batch and waits for the answers to its requests. */
  batch(messages: Json[]): Promise<Map<Id, Json>>
  /** What came in that answers nothing that was asked, errors without an id above all. */
  readonly strays: Json[]
  /** Everything that came in as a batch. */
  readonly batches: Json[][]
  /** When set, answers to the server's requests are held until there are so many, and sent as one batch. */
  answerTogether: number
}

export async function connectRaw(address: Address, version: Version, offer: Offer): Promise<RawClient> {
  const connection = new RawConnection(await openWire(address), version)
  const { result } = await connection.open(offer)
  return connection.toClient(result)
}

class RawConnection {
  readonly wire: Wire
  readonly version: Version
  readonly heard = new Heard()
  readonly answers = createAnswers()
  readonly strays: Json[] = []
  readonly batches: Json[][] = []
  readonly watched = new Map<Id, (message: Json) => void>()
  answerTogether = 0
  readonly #held: Json[] = []
  readonly #waiting = new Map<Id, Waiting>()
  #lastId = 0

  constructor(wire: Wire, version: Version) {
    this.wire = wire
    this.version = version
    wire.receive = (message) => {
      if (Array.isArray(message)) this.batches.push(message)
      for (const one of Array.isArray(message) ? message : [message]) this.#take(one)
    }
  }

  async open(offer: Offer): Promise<{ result: Json }> {
    const capabilities = offer.asking ? { roots: { listChanged: true }, sampling: {} } : {}
    const clientInfo = { name: 'raw', version: '1.0.0' }
    const result = await this.request('initialize', { protocolVersion: this.version, capabilities, clientInfo })
    if (result.protocolVersion !== this.version)
      throw new Error(`asked for ${this.version}, got ${result.protocolVersion}`)
    await this.wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await this.wire.listen()
    return { result }
  }

  async request(method: string, params: Json = {}, options: CallOptions = {}): Promise<Json> {
    this.#lastId += 1
    const id = this.#lastId
    const { signal, onProgress } = options
    const meta = { ...options.meta, ...(onProgress && { progressToken: `token ${id}` }) }
    const full = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
    const answer = new Promise<Json>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress })
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(id)
        void this.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        reject(signal.reason)
      })
    })
    const [result] = await Promise.all([answer, this.wire.send({ jsonrpc: '2.0', id, method, params: full })])
    return result
  }

  #take(message: Json): void {
    const id = message.id as Id | undefined
    if (typeof message.method === 'string') {
      if (id === undefined) this.#hear(message.method, (message.params ?? {}) as Json)
      else void this.#answer(id, message.method, (message.params ?? {}) as Json)
      return
    }
    const watcher = this.watched.get(id ?? null)
    const waiting = this.#waiting.get(id ?? null)
    this.#waiting.delete(id ?? null)
    if (watcher !== undefined) watcher(message)
    else if (waiting === undefined) this.strays.push(message)
    else if (message.error !== undefined) waiting.reject(new RawError(message.error as RawError))
    else waiting.resolve(message.result as Json)
  }

  #hear(method: string, params: Json): void {
    this.heard.take(method, params)
    if (method !== 'notifications/progress') return
    const id = Number(String(params.progressToken).replace('token ', ''))
    this.#waiting.get(id)?.onProgress?.(params as unknown as Progress)
  }

  async #answer(id: Id, method: string, params: Json): Promise<void> {
    const answers: { [method: string]: () => Json | Promise<Json> } = {
      ping: () => ({}),
      'sampling/createMessage': () => this.answers.sample(params),
      'roots/list': () => ({ roots: this.answers.roots() }),
    }
    const answer = answers[method]
    const error = { code: -32601, message: 'Method not found' }
    this.#held.push(answer ? { jsonrpc: '2.0', id, result: await answer() } : { jsonrpc: '2.0', id, error })
    if (this.#held.length < this.answerTogether) return
    const ready = this.#held.splice(0)
    await (this.answerTogether > 0 ? this.wire.send(ready) : Promise.all(ready.map((one) => this.wire.send(one))))
  }

  async #batch(messages: Json[]): Promise<Map<Id, Json>> {
    const ids = messages.flatMap((message) =>
      message.method !== undefined && 'id' in message ? [message.id as Id] : [],
    )
    const found = new Map<Id, Json>()
    const all = new Promise<void>((resolve) => {
      for (const id of ids) {
        this.watched.set(id, (message) => {
          this.watched.delete(id)
          found.set(id, message)
          if (found.size === ids.length) resolve()
        })
      }
      if (ids.length === 0) resolve()
    })
    await Promise.all([all, this.wire.send(messages)])
    return found
  }

  toClient(hello: Json): RawClient {
    const ask = (method: string, params?: Json, options?: CallOptions) => this.request(method, params, options)
    const connection = this
    return {
      maker: 'raw',
      version: this.version,
      server: {
        name: (hello.serverInfo as { name?: string }).name,
        capabilities: hello.capabilities as Json,
        instructions: hello.instructions as string,
      },
      heard: this.heard,
      answers: this.answers,
      strays: this.strays,
      batches: this.batches,
      get answerTogether() {
        return connection.answerTogether
      },
      set answerTogether(count) {
        connection.answerTogether = count
      },
      send: (message) => this.wire.send(message),
      batch: (messages) => this.#batch(messages),
      callTool: async (name, args = {}, options = {}) =>
        (await ask('tools/call', { name, arguments: args }, options)) as unknown as ToolResult,
      list: (kind) => this.#list(kind),
      page: (kind, cursor) => ask(LIST_METHODS[kind], { cursor }),
      readResource: async (uri) => (await ask('resources/read', { uri })).contents as never,
      getPrompt: async (name, args = {}) => {
        const { description, messages } = await ask('prompts/get', { name, arguments: args })
        return { description: description as string, messages: messages as Message[] }
      },
      complete: async (ref, argument) => (await ask('completion/complete', { ref, argument })).completion as never,
      setLevel: async (level) => void (await ask('logging/setLevel', { level })),
      ping: async () => void (await ask('ping')),
      subscribe: async (uri) => void (await ask('resources/subscribe', { uri })),
      unsubscribe: async (uri) => void (await ask('resources/unsubscribe', { uri })),
      listen: () => Promise.reject(new Error('this revision has no subscriptions/listen')),
      rootsChanged: async () =>
        void (await this.wire.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })),
      close: () => this.wire.close(),
    }
  }

  async #list(kind: ListKind): Promise<Item[]> {
    const items: Item[] = []
    let cursor: unknown
    do {
      const result = await this.request(LIST_METHODS[kind], cursor === undefined ? {} : { cursor })
      items.push(...(result[kind] as Item[]))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    return items
  }
}

const LIST_METHODS: { [kind in ListKind]: string } = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
}
