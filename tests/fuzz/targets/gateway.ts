/** Gateway and server agree on what every message means: the same request, sent to both, comes to the same. */

import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { createGateway } from '../../../packages/host/src/gateway/gateway.ts'
import { createFeatureServer, createLab } from '../../../packages/host/test/gateway-lab.ts'
import {
  type Client,
  connect,
  type JsonObject,
  PROTOCOL_VERSIONS,
  RpcError,
} from '../../../packages/sdk/src/doors/client.ts'
import { opened, type Target } from '../target.ts'

type Version = (typeof PROTOCOL_VERSIONS)[number]

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

export interface GatewayRequest {
  readonly method: string
  readonly params: JsonObject
}

export const gatewayRequests: fc.Arbitrary<GatewayRequest> = fc.record({
  method: fc.constantFrom(...METHODS),
  // Every value that it makes is JSON.
  params: params as fc.Arbitrary<JsonObject>,
})

/** A server, and the way to it through a gateway. */
export interface Pair {
  compare(request: GatewayRequest): Promise<void>
  close(): Promise<void>
}

export async function openPair(versions: Version): Promise<Pair> {
  const server = createFeatureServer([versions])
  const lab = await createLab({ features: { target: server } })
  const gateway = createGateway(lab, { onError: () => {}, ownNames: true, tasks: false })
  const direct = await connect(server, { versions, cache: false })
  const through = await connect(gateway.server, { versions, cache: false })
  return {
    async compare({ method, params: given }) {
      deepStrictEqual(await outcomeOf(through, method, given), await outcomeOf(direct, method, given))
    },
    async close() {
      await through.close()
      await direct.close()
      await gateway.close(0)
      await lab.close()
    },
  }
}

export const gateway: Target = {
  name: 'gateway',
  about: 'the same requests with and without the gateway, on every revision',
  async open() {
    const pairs = new Map<Version, Pair>()
    for (const version of PROTOCOL_VERSIONS) pairs.set(version, await openPair(version))
    return opened({
      arbitrary: fc.record({ version: fc.constantFrom(...PROTOCOL_VERSIONS), request: gatewayRequests }),
      run: async ({ version, request }) => pairs.get(version)?.compare(request),
      async close() {
        for (const pair of pairs.values()) await pair.close()
      },
    })
  },
}

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
