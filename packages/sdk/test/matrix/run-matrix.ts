/**
 * Runs the suites of the matrix over one transport: for each revision one shared connection with every capability, and
 * fresh ones where a test needs other options. The four test files beside this one differ in the transport alone.
 */

import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { isShort } from '../../../../tests/support/short.ts'
import { createPrincipal } from '../../src/auth/principal.ts'
import { isObject, type JsonObject } from '../../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../src/protocol/revision.ts'
import { serveFetch } from '../../src/serve/adapters/fetch.ts'
import { serveHttp } from '../../src/serve/adapters/http.ts'
import type { ServerOptions } from '../../src/server/options.ts'
import type { Server } from '../../src/server/server.ts'
import type { RequestHead } from '../../src/session/exchange.ts'
import {
  type Answers,
  type OpenOptions,
  type Outcome,
  open,
  type RequestOptions,
  type Target,
  type TransportName,
  type Wire,
} from '../wire.ts'
import { createFixture } from './fixture.ts'

export type Suite = (bench: Bench) => void

export interface BenchOptions extends Omit<OpenOptions, 'args' | 'principal'> {
  /** Options of a server of its own. */
  readonly server?: ServerOptions
  /** Who the client is; not over stdio, where nobody is anybody. */
  readonly user?: string
  readonly scopes?: readonly string[]
  /** Another server altogether; not over stdio. */
  readonly custom?: Server
}

export class Bench {
  readonly transport: TransportName
  readonly version: ProtocolVersion
  readonly modern: boolean
  /** Can the client say who it is? */
  readonly hasUsers: boolean
  #wire: Wire | undefined
  #variant: Promise<Wire> | undefined
  #bare: Promise<Wire> | undefined
  #target: Served | undefined
  #answers: Answers = {}
  readonly #opened: { close(): Promise<void> }[] = []

  constructor(transport: TransportName, version: ProtocolVersion) {
    this.transport = transport
    this.version = version
    this.modern = version === '2026-07-28'
    this.hasUsers = transport !== 'stdio'
  }

  get wire(): Wire {
    if (this.#wire === undefined) throw new Error('the shared connection is not open')
    return this.#wire
  }

  atLeast(version: ProtocolVersion): boolean {
    return this.version >= version
  }

  /** Sets the answers of the shared connection until the end of the test. */
  answer(answers: Answers): void {
    this.#answers = answers
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Outcome> {
    return this.wire.request(method, params, options)
  }

  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<Outcome> {
    return this.wire.request('tools/call', args === undefined ? { name } : { name, arguments: args }, options)
  }

  async control(op: string, value = '', wire = this.wire): Promise<JsonObject> {
    const { result } = await wire.request('tools/call', { name: 'control', arguments: { op, value } })
    const { value: answer } = JSON.parse(textOf(result)) as { value: unknown }
    return isObject(answer) ? answer : { value: answer }
  }

  /** A connection of its own, closed at the end of the matrix. */
  async open(options: BenchOptions = {}): Promise<Wire> {
    const { server, user, scopes, custom, ...rest } = options
    const own =
      server === undefined && custom === undefined ? this.#served() : await serve(this.transport, server, custom)
    if (own !== this.#target) this.#opened.unshift(own)
    const wire = await open(own.target, this.version, {
      capabilities: fullCapabilities(this.version),
      ...rest,
      args: [JSON.stringify(server ?? {})],
      ...(user !== undefined && this.transport === 'memory' && { principal: createPrincipal(user, scopes ?? []) }),
      headers: { ...rest.headers, ...(user !== undefined && { 'x-user': [user, ...(scopes ?? [])].join(' ') }) },
    })
    this.#opened.unshift(wire)
    return wire
  }

  /** The connection to a server with tighter options, shared by the tests that need one of them. */
  variant(): Promise<Wire> {
    this.#variant ??= this.open({
      server: { logging: false, pageSize: 2, maxRounds: 3, askTimeoutMs: 20 },
      answers: { 'sampling/createMessage': () => undefined },
    })
    return this.#variant
  }

  /** A connection whose client declares nothing; the newest revision says so with each request. */
  bare(): Promise<Wire> {
    if (this.modern) return Promise.resolve(this.wire)
    this.#bare ??= this.open({ capabilities: {} })
    return this.#bare
  }

  /** Lets a connection that a test has opened by hand serve as the bare one, which saves a process. */
  adoptBare(wire: Wire): void {
    this.#bare ??= Promise.resolve(wire)
  }

  async begin(): Promise<void> {
    this.#target = await serve(this.transport, undefined, undefined)
    const relay = (method: string) => (params: JsonObject, request: JsonObject) =>
      this.#answers[method]?.(params, request)
    const methods = ['elicitation/create', 'sampling/createMessage', 'roots/list']
    this.#wire = await this.open({ answers: Object.fromEntries(methods.map((method) => [method, relay(method)])) })
  }

  async reset(): Promise<void> {
    this.#answers = {}
    await this.control('reset')
  }

  async end(): Promise<void> {
    for (const opened of this.#opened) await opened.close()
    await this.#target?.close()
  }

  #served(): Served {
    if (this.#target === undefined) throw new Error('nothing is served yet')
    return this.#target
  }
}

/** Starting a process takes long on a machine that is busy. */
const PATIENCE_MS = 60_000

/** The oldest, the newest and the one between them in the short form. */
const VERSIONS = PROTOCOL_VERSIONS.filter((_version, at) => !isShort || at % 2 === 0)

export function runMatrix(transport: TransportName, suites: readonly Suite[]): void {
  describe.each(VERSIONS)(`%s over ${transport}`, { timeout: PATIENCE_MS }, (version) => {
    const bench = new Bench(transport, version)
    beforeAll(() => bench.begin(), PATIENCE_MS)
    beforeEach(() => bench.reset(), PATIENCE_MS)
    afterAll(() => bench.end(), PATIENCE_MS)
    for (const suite of suites) suite(bench)
  })
}

/** Everything that a client of this revision can offer. */
export function fullCapabilities(version: ProtocolVersion): JsonObject {
  return {
    experimental: { 'com.example/wire': { n: 1 } },
    roots: version === '2026-07-28' ? {} : { listChanged: true },
    sampling: version >= '2025-11-25' ? { tools: {}, context: {} } : {},
    ...(version >= '2025-06-18' && { elicitation: version >= '2025-11-25' ? { form: {}, url: {} } : {} }),
  }
}

/** The texts of a result's content, joined. */
export function textOf(result: JsonObject): string {
  const content = Array.isArray(result.content) ? result.content : []
  return content.map((block: JsonObject) => block.text).join('\n')
}

interface Served {
  readonly target: Target
  close(): Promise<void>
}

async function serve(
  transport: TransportName,
  options: ServerOptions | undefined,
  custom: Server | undefined,
): Promise<Served> {
  if (transport === 'stdio') {
    return { target: { transport, fixture: './matrix/stdio-fixture.ts' }, close: async () => {} }
  }
  const server = custom ?? createFixture(options).server
  if (transport === 'memory') return { target: { transport, server }, close: async () => {} }
  if (transport === 'http') {
    const http = await serveHttp(server, { port: 0, authenticate, graceMs: 100 })
    return { target: { transport, url: http.url }, close: () => http.close() }
  }
  const handler = serveFetch(server, { authenticate })
  return { target: { transport, handler }, close: async () => void (await handler.close()) }
}

/** Tests say who they are in a header; that this is no security is the point of a test. */
function authenticate(head: RequestHead) {
  const [user, ...scopes] = (head.header('x-user') ?? '').split(' ')
  return user === undefined || user === '' ? undefined : createPrincipal(user, scopes)
}
