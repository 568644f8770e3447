/** Gateway and server agree on what every message means: the same requests, sent to both, come to the same. */

import { type Client, connect, type JsonObject, PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { RpcError } from '@portico/sdk/server'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createGateway } from '../src/gateway/gateway.ts'
import { createFeatureServer, createLab } from './gateway-lab.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const word = fc.oneof(
  fc.constantFrom('echo', 'sum', 'link', 'fail', 'greet', 'note://today', 'note://by/x', 'other://', '__proto__', ''),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 8 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc
    .array(fc.tuple(fc.constantFrom('text', 'a', 'b', 'who', 'name', '__proto__', 'constructor', 'x'), tie('any')), {
      maxLength: 4,
    })
    .map((entries) => Object.fromEntries(entries)),
})).any

const params = fc.record(
  {
    name: fc.oneof(word, value),
    uri: fc.oneof(word, value),
    arguments: fc.oneof(
      value,
      fc.record({ text: value }),
      fc.record({ a: fc.integer(), b: fc.integer() }),
      fc.record({ who: fc.string() }),
    ),
    extra: value,
  },
  { requiredKeys: [] },
)

const METHODS = [
  'tools/call',
  'resources/read',
  'prompts/get',
  'tools/list',
  'resources/list',
  'prompts/list',
  'ping',
  'nothing/here',
]

describe.each(PROTOCOL_VERSIONS)('%s', (versions) => {
  test('the same request has the same outcome with and without the gateway', async () => {
    const server = createFeatureServer([versions])
    const lab = await createLab({ features: { target: server } })
    const gateway = createGateway(lab, { onError: () => {}, ownNames: true, tasks: false })
    const direct = await connect(server, { versions, cache: false })
    const through = await connect(gateway.server, { versions, cache: false })
    closers.push(
      () => lab.close(),
      () => gateway.close(0),
      () => direct.close(),
      () => through.close(),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, async (method, given) => {
        const request = given as JsonObject
        expect(await outcomeOf(through, method, request)).toEqual(await outcomeOf(direct, method, request))
      }),
      { numRuns: 150 },
    )
  })
})

/** What a request came to, without what differs by design: who answered, how long it may be kept, the words of errors. */
async function outcomeOf(client: Client, method: string, given: JsonObject): Promise<unknown> {
  try {
    const { _meta, ttlMs, cacheScope, nextCursor, ...result } = await client.request(method, given)
    const text = JSON.stringify(result).replaceAll(/Reference: [\w-]+/g, 'Reference')
    return { result: JSON.parse(text), meta: (_meta as JsonObject | undefined)?.['example.com/seen'] }
  } catch (error) {
    return error instanceof RpcError ? { code: error.rpcCode } : { error: (error as { code?: string }).code }
  }
}
