/**
 * Gateway and server agree on what bytes mean: the same HTTP request, well-formed or not, with headers that agree with it
 * or lie, comes to the same status and the same answer on both. What is well-formed is in `gateway-differential.test.ts`.
 */

import { serveFetch } from '@portico/sdk/fetch'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createGateway } from '../src/gateway/gateway.ts'
import { createFeatureServer, createLab } from './gateway-lab.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Handler = ReturnType<typeof serveFetch>

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('tools/call', 'resources/read', 'prompts/get', 'tools/list', 'ping') },
  { weight: 2, arbitrary: fc.constantFrom('resources/templates/list', 'completion/complete', 'logging/setLevel') },
  { weight: 1, arbitrary: fc.constantFrom('Tools/Call', 'tools/call ', '', '__proto__', 'rpc.discover', 'tools') },
)
const name = fc.constantFrom<unknown>('echo', 'sum', 'link', 'fail', 'greet', 'Echo', 'toString', '', 7, null, ['echo'])
const uri = fc.constantFrom<unknown>('note://today', 'NOTE://today', 'note://by/x', 'note://by/%2e', 'note://', '', 3)
const args = fc.constantFrom<unknown>(
  { text: 'hi' },
  { text: 1 },
  { a: 1, b: 2 },
  { a: 1, b: 2, sum: 4 },
  { who: 'x' },
  {},
  [],
  null,
  'text',
)
const ref = fc.constantFrom<unknown>(
  { type: 'ref/prompt', name: 'greet' },
  { type: 'ref/resource', uri: 'note://by/{name}' },
  { type: 'ref/prompt', name: 'nobody' },
  { type: 'other' },
  null,
)
const argument = fc.constantFrom<unknown>({ name: 'who', value: 'A' }, { name: 'name', value: 'A' }, { name: 'x' }, 3)
/** What a client of the era says of itself with each request, rightly as a rule. */
const metaOf = (era: string) =>
  often<object | undefined>(era === MODERN ? { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {} } : undefined, [
    { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {}, progressToken: 'p', 'example.com/tag': 'seen' },
    { [VERSION_KEY]: MODERN },
    { [VERSION_KEY]: '1999-01-01', [CAPABILITIES_KEY]: {} },
    { [VERSION_KEY]: 7, [CAPABILITIES_KEY]: null },
    { progressToken: 'p' },
    { progressToken: { no: 1 } },
    undefined,
  ])

type Called = readonly [method: unknown, params: object]
const sensible = fc.constantFrom<Called>(
  ['tools/call', { name: 'echo', arguments: { text: 'hi' } }],
  ['tools/call', { name: 'sum', arguments: { a: 1, b: 2 } }],
  ['tools/call', { name: 'link' }],
  ['tools/call', { name: 'echo', arguments: null }],
  ['resources/read', { uri: 'note://by/x' }],
  ['prompts/get', { name: 'greet', arguments: { who: 'x' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } }],
)
const strange: fc.Arbitrary<Called> = fc.tuple(
  fc.oneof({ weight: 12, arbitrary: method }, { weight: 1, arbitrary: fc.constantFrom<unknown>(3, null, {}) }),
  fc.record(
    { name, uri, arguments: args, ref, argument, level: fc.constantFrom('info', 'loud') },
    { requiredKeys: [] },
  ),
)

const messageOf = (era: string) =>
  fc
    .record({
      jsonrpc: often<unknown>('2.0', ['1.0', 2, undefined]),
      id: often<unknown>(7, ['seven', '', null, 1.5, true, {}, undefined, -1, 2 ** 53]),
      called: fc.oneof({ weight: 1, arbitrary: sensible }, { weight: 2, arbitrary: strange }),
      meta: metaOf(era),
      shape: often('object', ['array', 'null', 'text']),
    })
    .map(({ jsonrpc, id, called: [called, params], meta: _meta, shape }) => {
      const given = { ...params, ...(_meta && { _meta }) }
      const shapes: { readonly [name: string]: unknown } = { object: given, array: [given], null: null, text: 'params' }
      return { jsonrpc, id, method: called, params: shapes[shape] }
    })

/** What a message looks like on the wire: mostly itself, at times something that parsers read differently. */
const wrapping = often<(text: string) => string>(
  (text) => text,
  [
    (text) => `[${text}]`,
    (text) => `[${text},${text}]`,
    (text) => `${text}${text}`,
    (text) => text.slice(0, -1),
    (text) => `\ufeff${text}`,
    (text) => ` \n${text}\n`,
    // Two members of one name: whoever takes the first sees another method than whoever takes the last.
    (text) => text.replace('{', '{"method":"ping",'),
    (text) => text.replace(/}$/, ',"method":"ping"}'),
    (text) => text.replace('{', '{"__proto__":{"method":"ping"},'),
    (text) => text.replace('"name":"echo"', '"name":"sum","name":"echo"'),
    (text) => text.replace(/}$/, ',"result":{}}'),
    () => '',
    () => 'null',
    () => '{"jsonrpc":"2.0","id":1,"result":{}}',
  ],
)

const lies = fc.record(
  {
    'mcp-method': fc.constantFrom('tools/list', 'TOOLS/CALL', ''),
    'mcp-name': fc.constantFrom('sum', 'echo', '=?base64?ZWNobw==?=', '=?base64?c3Vt?=', '=?base64?!?=', 'Echo'),
    'mcp-protocol-version': fc.constantFrom(MODERN, LEGACY, '1999-01-01', ''),
    'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json'),
    accept: fc.constantFrom('application/json', 'text/html', '*/*'),
    'mcp-session-id': fc.constantFrom('nobody', ''),
  },
  { requiredKeys: [] },
)
type Headers = { readonly [name: string]: string }
const headers = fc.oneof<fc.WeightedArbitrary<Headers>[]>(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: lies },
)

describe.each([MODERN, LEGACY])('requests of a client of %s', (era) => {
  test('have the same status and answer with and without the gateway', async () => {
    const server = createFeatureServer()
    const lab = await createLab({ features: { target: server } })
    const gateway = createGateway(lab, { onError: () => {}, ownNames: true, allowAnonymous: true, tasks: false })
    const [direct, through] = [serveFetch(server), serveFetch(gateway.server)]
    closers.push(
      () => lab.close(),
      () => gateway.close(0),
      () => direct.close(),
      () => through.close(),
    )
    const [own, gated] = [await open(direct, era), await open(through, era)]
    await fc.assert(
      fc.asyncProperty(messageOf(era), wrapping, headers, async (said, wrap, given) => {
        const text = wrap(JSON.stringify(said))
        const more = era === MODERN ? given : withoutMirrors(given)
        const expected = await ask(direct, text, { ...mirrorsOf(said, era), ...own, ...more })
        expect(await ask(through, text, { ...mirrorsOf(said, era), ...gated, ...more })).toEqual(expected)
      }),
      { numRuns: 400 },
    )
  })
})

/** A server of the older revisions takes no notice of these headers; a gateway has to (sec-24), and is tested for it. */
function withoutMirrors({ 'mcp-name': _name, 'mcp-method': _method, ...rest }: Headers): Headers {
  return rest
}

function often<T>(usual: T, rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })
}

/** The headers of whoever asks: those of a session, where the era has them. */
async function open(handler: Handler, era: string): Promise<Headers> {
  if (era === MODERN) return { 'mcp-protocol-version': MODERN }
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const answer = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body }))
  await answer.text()
  const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': LEGACY }
  const told = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await handler.fetch(
    new Request('http://localhost/mcp', { method: 'POST', headers: { ...HEADERS, ...session }, body: told }),
  )
  return session
}

const HEADERS = {
  host: 'localhost',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** Headers that say what the body says, as an honest client of the newest revision sends them. */
function mirrorsOf(said: { method: unknown; params: unknown }, era: string): Headers {
  if (era !== MODERN || typeof said.method !== 'string') return {}
  const { name: named, uri: at } = (said.params ?? {}) as { name?: unknown; uri?: unknown }
  const mirrored = said.method === 'resources/read' ? at : named
  return { 'mcp-method': said.method, ...(typeof mirrored === 'string' && { 'mcp-name': mirrored }) }
}

/** What a request came to, without what differs by design: who answered, how long it may be kept, the words of errors. */
async function ask(handler: Handler, body: string, own: Headers): Promise<unknown> {
  const all = { ...HEADERS, ...own }
  const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: all, body }))
  const text = await response.text()
  const messages = response.headers.get('content-type')?.includes('event-stream')
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(String(data)))
    : text === ''
      ? []
      : [JSON.parse(text)]
  return { status: response.status, answers: messages.flat().map(outcomeOf) }
}

interface Answer {
  readonly id?: unknown
  readonly method?: string
  readonly result?: { readonly [member: string]: unknown }
  readonly error?: { readonly code: number }
}

function outcomeOf({ id, method: told, result, error }: Answer): unknown {
  if (error !== undefined) return { id, code: error.code }
  if (result === undefined) return { told }
  const { _meta, ttlMs, cacheScope, nextCursor, ...rest } = result
  return { id, result: JSON.parse(JSON.stringify(rest).replaceAll(/Reference: [\w-]+/g, 'Reference')) }
}
