/**
 * JSON-RPC messages into a real server over a channel: sequences of requests of both eras, notifications, responses,
 * batches and plain noise. Every request gets exactly one answer, and the connection goes on.
 */

import fc from 'fast-check'
import type { Channel } from '../../../packages/sdk/src/jsonrpc/channel.ts'
import { endpointOf } from '../../../packages/sdk/src/server/server.ts'
import { serveChannel } from '../../../packages/sdk/src/session/connection.ts'
import { createMemoryChannels } from '../../../packages/sdk/src/transport/memory.ts'
import { createSubject, METHODS, VERSIONS } from '../subject.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyJson, anyText, hostileKey, toOwnMembers } from '../words.ts'

const PREFIX = 'io.modelcontextprotocol/'

const id = fc.oneof(fc.nat({ max: 5 }), fc.constantFrom('a', 'b', '', '__proto__'))
const method = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<string>(...METHODS) },
  { weight: 1, arbitrary: anyText },
)

const envelope = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constant({
      [`${PREFIX}protocolVersion`]: '2026-07-28',
      [`${PREFIX}clientCapabilities`]: { elicitation: {}, roots: {} },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        [`${PREFIX}protocolVersion`]: fc.oneof(fc.constantFrom<unknown>(...VERSIONS), anyJson),
        [`${PREFIX}clientCapabilities`]: anyJson,
      },
      { requiredKeys: [] },
    ),
  },
)

const members = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constant('name'),
      fc.oneof(fc.constantFrom<unknown>('echo', 'any', 'later', 'ask', 'roots', 'broken', 'greet'), anyJson),
    ),
    fc.tuple(fc.constant('arguments'), fc.oneof(fc.constantFrom<unknown>({}, { text: 'x' }, { who: 'x' }), anyJson)),
    fc.tuple(fc.constant('uri'), fc.oneof(fc.constantFrom<unknown>('mem://one', 'mem://many/a/b'), anyJson)),
    fc.tuple(fc.constant('_meta'), fc.oneof(envelope, anyJson)),
    fc.tuple(fc.constant('protocolVersion'), fc.oneof(fc.constantFrom<unknown>(...VERSIONS), anyJson)),
    fc.tuple(
      fc.constantFrom('capabilities', 'clientInfo', 'notifications', 'ref', 'argument', 'inputResponses'),
      anyJson,
    ),
    fc.tuple(fc.constantFrom('cursor', 'level', 'requestState', 'requestId', 'progressToken'), fc.oneof(id, anyJson)),
    fc.tuple(hostileKey, anyJson),
  ),
  { maxLength: 5 },
)
const params = fc.oneof(
  { weight: 6, arbitrary: members.map(toOwnMembers) },
  {
    weight: 4,
    arbitrary: fc.tuple(members, envelope).map(([list, _meta]) => toOwnMembers([...list, ['_meta', _meta]])),
  },
)

const request = fc.record(
  { jsonrpc: fc.constant('2.0'), id, method, params },
  { requiredKeys: ['jsonrpc', 'id', 'method'] },
)
const notification = fc.record({ jsonrpc: fc.constant('2.0'), method, params }, { requiredKeys: ['jsonrpc', 'method'] })
const response = fc.record(
  { jsonrpc: fc.constant('2.0'), id, result: anyJson, error: anyJson },
  { requiredKeys: ['jsonrpc', 'id'] },
)
const odd = fc
  .array(
    fc.tuple(
      fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__'),
      fc.oneof(fc.constant('2.0'), anyJson),
    ),
    { maxLength: 6 },
  )
  .map(toOwnMembers)
const message = fc.oneof(
  { weight: 10, arbitrary: request },
  { weight: 2, arbitrary: notification },
  { weight: 1, arbitrary: response },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: anyJson },
)
const text = fc.oneof(
  { weight: 12, arbitrary: message.map((value) => JSON.stringify(value) ?? 'null') },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map((items) => JSON.stringify(items)) },
  { weight: 1, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '['.repeat(200),
      '{"a":'.repeat(5000),
      `[${'0,'.repeat(200_000)}0]`,
      `"${'\\u0000'.repeat(50_000)}"`,
    ),
  },
)
const opening = fc.constantFrom(undefined, '2024-11-05', '2025-03-26', '2025-11-25')

export const messages: Target = {
  name: 'messages',
  about: 'JSON-RPC messages into a server, both eras',
  open() {
    const endpoint = endpointOf(createSubject())
    return opened({
      arbitrary: fc.record({ opening, texts: fc.array(text, { minLength: 1, maxLength: 8 }) }),
      async run(input) {
        const [near, far] = createMemoryChannels()
        const connection = serveChannel(endpoint, near)
        const peer = new Peer(far)
        if (input.opening !== undefined) await peer.initialize(input.opening)
        const ledger = new Ledger()
        for (const one of input.texts) {
          ledger.note(one)
          far.send(one)
        }
        await peer.settle(ledger)
        await connection.close()
      },
    })
  },
}

/** How many answers each id may and must get. */
class Ledger {
  readonly least = new Map<unknown, number>()
  readonly most = new Map<unknown, number>()

  note(text: string): void {
    const value = parse(text)
    for (const one of Array.isArray(value) ? value : [value]) this.#note(one, Array.isArray(value))
  }

  #note(value: unknown, batched: boolean): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const { jsonrpc, id: own, method: name, params: given } = value as { [key: string]: unknown }
    if (name === 'notifications/cancelled') this.#cancelled(given)
    if (typeof own !== 'string' && !Number.isInteger(own)) return
    this.most.set(own, (this.most.get(own) ?? 0) + 1)
    const isRequest = jsonrpc === '2.0' && typeof name === 'string' && (given === undefined || isPlain(given))
    // A listener is answered when it ends; a batch may be refused as a whole.
    if (isRequest && !batched && name !== 'subscriptions/listen') this.least.set(own, (this.least.get(own) ?? 0) + 1)
  }

  /** What is cancelled may go unanswered, whichever of the requests under this id it was. */
  #cancelled(params: unknown): void {
    if (isPlain(params)) this.least.set(params.requestId, Number.NEGATIVE_INFINITY)
  }
}

class Peer {
  readonly #channel: Channel
  readonly #answers = new Map<unknown, number>()
  #wake: () => void = () => {}

  constructor(channel: Channel) {
    this.#channel = channel
    channel.open({
      message: (value) => {
        for (const one of Array.isArray(value) ? value : [value]) this.#receive(one)
        this.#wake()
      },
      malformed: (fault) => {
        throw new Error(`the server sent no message: ${fault.reason}`)
      },
      closed: () => this.#wake(),
    })
  }

  async initialize(protocolVersion: string): Promise<void> {
    const given = {
      protocolVersion,
      capabilities: { roots: {}, elicitation: {} },
      clientInfo: { name: 'f', version: '1' },
    }
    this.#say({ id: 'open', method: 'initialize', params: given })
    await this.#until(() => this.#count('open') === 1, '"initialize" was not answered')
    this.#say({ method: 'notifications/initialized' })
  }

  async settle({ least, most }: Ledger): Promise<void> {
    const open = () => [...least].find(([key, count]) => this.#count(key) < count)
    await this.#until(() => open() === undefined, 'a request was not answered')
    this.#say({ id: 'fence', method: 'ping' })
    await this.#until(() => this.#count('fence') === 1, 'the connection does not go on')
    for (const [key, count] of this.#answers) {
      if (key === 'open' || key === 'fence' || key === undefined || key === null) continue
      demand(count <= (most.get(key) ?? 0), `${JSON.stringify(key)} was answered ${count} times`)
    }
  }

  #receive(value: unknown): void {
    demand(isPlain(value), 'the server sent something that is no object')
    if (typeof value.method !== 'string') this.#answers.set(value.id, this.#count(value.id) + 1)
    else if (value.id !== undefined) this.#say({ id: value.id, error: { code: -32601, message: 'No' } })
  }

  #count(key: unknown): number {
    return this.#answers.get(key) ?? 0
  }

  #say(message: object): void {
    this.#channel.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  async #until(holds: () => boolean, otherwise: string): Promise<void> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.#wake()
    }, 5000)
    while (!holds() && !late) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(timer)
    demand(holds(), otherwise)
  }
}

function isPlain(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
