/** A round of a request runs its handler once, whoever sends it how often, and passes every rule each time. */

import { afterEach, describe, expect, it } from 'vitest'
import { createPrincipal, type Principal } from '../src/auth/principal.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { META_CLIENT_CAPABILITIES, META_VERSION } from '../src/protocol/meta.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer, endpointOf, type Server } from '../src/server/server.ts'
import { MemoryRoundStore } from '../src/session/kept-rounds/round-store.ts'

const ada = createPrincipal('ada')
const form = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const
const YES = { sure: { action: 'accept', content: { ok: true } } }

interface Answer {
  readonly result?: JsonObject
  readonly error?: { code: number; message: string }
}

/** One modern request, as a transport would make it; `cancel` is what a lost connection does. */
function send(server: Server, method: string, params: JsonObject, principal: Principal | undefined = ada) {
  const _meta = { [META_VERSION]: '2026-07-28', [META_CLIENT_CAPABILITIES]: { elicitation: {} } }
  let cancel: () => void = () => {}
  const answer = new Promise<Answer | undefined>((resolve) => {
    const outlet = {
      send: () => {},
      end: (text: string) => resolve(JSON.parse(text)),
      close: () => resolve(undefined),
    }
    const message = { jsonrpc: '2.0' as const, id: 1, method, params: { ...params, _meta } }
    const call = endpointOf(server).serveModern({ message, outlet, scope: undefined, principal, head: undefined })
    cancel = () => call?.cancel('the connection is gone')
  })
  return { answer, cancel: () => cancel() }
}

const call = { name: 'pay', arguments: {} }

async function firstRound(server: Server, principal = ada): Promise<JsonObject> {
  const { result } = (await send(server, 'tools/call', call, principal).answer) ?? {}
  return { ...call, requestState: result?.requestState, inputResponses: YES }
}

let paid = 0
let open: () => void = () => {}
afterEach(() => {
  paid = 0
})

/** Asks, pays, and then takes until `open` is called. */
function paying(after: (signal: AbortSignal) => unknown = () => 'paid', options = {}): Server {
  return createServer({
    name: 'shop',
    version: '1',
    onError: () => {},
    ...options,
    tools: {
      pay: tool({}, async (_, ctx) => {
        await ctx.elicit('sure', { message: 'Sure?', form })
        paid++
        await new Promise<void>((resolve) => {
          open = resolve
        })
        return after(ctx.signal) as string
      }),
    },
  })
}

describe('a round whose connection is lost (security D11, sec-173)', () => {
  const lost = async (server: Server) => {
    const round = await firstRound(server)
    const first = send(server, 'tools/call', round)
    await expect.poll(() => paid).toBe(1)
    first.cancel()
    expect(await first.answer).toBeUndefined()
    open()
    return round
  }

  it('gives its outcome to whoever sends it again', async () => {
    const server = paying()
    const round = await lost(server)
    for (let again = 0; again < 3; again++) {
      const { result } = (await send(server, 'tools/call', round).answer) ?? {}
      expect(result?.content).toEqual([{ type: 'text', text: 'paid' }])
    }
    expect(paid).toBe(1)
  })

  it('gives its failure, when that was no abort', async () => {
    const server = paying(() => {
      throw new TypeError('after the payment')
    })
    const round = await lost(server)
    const { result } = (await send(server, 'tools/call', round).answer) ?? {}
    expect(result?.isError).toBe(true)
    expect(paid).toBe(1)
  })

  it('gives the next questions', async () => {
    const server = createServer({
      name: 'shop',
      version: '1',
      tools: {
        pay: tool({}, async (_, ctx) => {
          await ctx.elicit('sure', { message: 'Sure?', form })
          paid++
          await new Promise<void>((resolve) => {
            open = resolve
          })
          return (await ctx.elicit('more', { message: 'More?', form })).action
        }),
      },
    })
    const round = await lost(server)
    const { result } = (await send(server, 'tools/call', round).answer) ?? {}
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { more: {} } })
    expect(paid).toBe(1)
  })

  it('may be tried again when the handler gave up for it', async () => {
    const server = paying((signal) => signal.throwIfAborted())
    const round = await lost(server)
    const again = send(server, 'tools/call', round)
    await expect.poll(() => paid).toBe(2)
    open()
    expect((await again.answer)?.result?.content).toEqual([])
  })
})

it('state is for the server that sealed it, whatever keys it shares (security D15, sec-174)', async () => {
  const stateKeys = [new Uint8Array(32).fill(7)]
  const round = await firstRound(paying(undefined, { stateKeys }))
  const other = paying(undefined, { stateKeys, name: 'other' })
  expect((await send(other, 'tools/call', round).answer)?.error?.code).toBe(-32602)
  expect(paid).toBe(0)
})

describe('a round that is sent again (security D19, sec-175)', () => {
  const settled = async (server: Server) => {
    const round = await firstRound(server)
    const first = send(server, 'tools/call', round)
    await expect.poll(() => paid).toBe(1)
    open()
    await first.answer
    return round
  }

  it('passes the middleware, which may refuse it or alter its result', async () => {
    const server = paying()
    let seen = 0
    server.use('tools/call', async (_, next) => {
      if (++seen > 3) throw new Error('too many')
      return { ...(await next()), _meta: { seen } }
    })
    const round = await settled(server)
    expect((await send(server, 'tools/call', round).answer)?.result?._meta).toMatchObject({ seen: 3 })
    expect((await send(server, 'tools/call', round).answer)?.error?.message).toContain('Internal error')
    expect(paid).toBe(1)
  })

  it('finds a rule that changed, and a tool that is gone', async () => {
    let allowed = true
    const server = paying(undefined, { visible: () => allowed })
    const round = await settled(server)
    expect((await send(server, 'tools/call', round).answer)?.result).toBeDefined()
    allowed = false
    expect((await send(server, 'tools/call', round).answer)?.error?.message).toBe('Unknown tool: pay')
    allowed = true
    server.remove('tool', 'pay')
    expect((await send(server, 'tools/call', round).answer)?.error?.message).toContain('Unknown tool')
  })
})

describe('the room for rounds (security D20, sec-176)', () => {
  const settle = async (store: MemoryRoundStore, round: string, principal: string) => {
    expect(await store.take(round, 60_000, principal)).toBeUndefined()
    store.settle(round, round)
  }

  it('is taken from whoever has most of it', async () => {
    const store = new MemoryRoundStore(10)
    await settle(store, 'bob', 'bob')
    for (let index = 0; index < 200; index++) await settle(store, `eve ${index}`, 'eve')
    expect(await store.take('bob', 60_000, 'bob')).toBe('bob')
    expect(await store.take('eve 199', 60_000, 'eve')).toBe('eve 199')
  })

  it('forgets outcomes before it forgets that a round was taken: such a round is refused, and does not run again', async () => {
    const server = paying(() => 'paid', { roundStore: new MemoryRoundStore(1) })
    const rounds: JsonObject[] = []
    for (let index = 1; index <= 3; index++) {
      rounds.push(await firstRound(server))
      const sent = send(server, 'tools/call', rounds.at(-1) ?? {})
      await expect.poll(() => paid).toBe(index)
      open()
      await sent.answer
    }
    expect((await send(server, 'tools/call', rounds[0] ?? {}).answer)?.error).toMatchObject({ code: -32602 })
    expect((await send(server, 'tools/call', rounds[2] ?? {}).answer)?.result).toBeDefined()
    expect(paid).toBe(3)
  })
})

it.each([
  ['scopes', { scopes: ['read'] }],
  ['scopes that may be asked for', { scopes: ['read'], challenge: 'step-up' as const }],
  ['a rule of its own', { visible: () => true }],
])(
  'what was read of a resource with %s is private, whatever the hint says (security D6, sec-177)',
  async (_, access) => {
    const cache = { ttlMs: 60_000, scope: 'public' as const }
    const reader = createPrincipal('ada', ['read'])
    const listed = () => [{ uri: 'x://t/1', name: 'one' }]
    const server = createServer({
      name: 's',
      version: '1',
      cache: { reads: cache, lists: cache },
      resources: {
        open: resource({ uri: 'x://open' }, () => 'a'),
        fixed: resource({ uri: 'x://fixed', cache, ...access }, () => 'a'),
        many: resource({ uri: 'x://t/{id}', list: listed, ...access }, () => 'a'),
      },
    })
    const scopeOf = async (method: string, uri?: string) =>
      (await send(server, method, uri === undefined ? {} : { uri }, reader).answer)?.result?.cacheScope
    expect(await scopeOf('resources/read', 'x://open')).toBe('public')
    expect(await scopeOf('resources/read', 'x://fixed')).toBe('private')
    expect(await scopeOf('resources/read', 'x://t/1')).toBe('private')
    expect(await scopeOf('resources/list')).toBe('private')
  },
)

it('what middleware does to a list is for that request alone (security D21, sec-178)', async () => {
  const input = { type: 'object', properties: { a: { type: 'string', description: 'plain' } } } as const
  const server = createServer({ name: 's', version: '1', tools: { t: tool({ input }, () => '') } })
  server.use('tools/list', async ({ ctx }, next) => {
    const result = await next()
    for (const { inputSchema } of result.tools) {
      const { a } = inputSchema.properties as { a: { description: string } }
      a.description += ` for ${ctx.principal?.id}`
    }
    return result
  })
  await send(server, 'tools/list', {}, createPrincipal('bob')).answer
  const { result } = (await send(server, 'tools/list', {}).answer) ?? {}
  expect(JSON.stringify(result)).toContain('"plain for ada"')
})

it('a tool that is added after `adopt` is under the rule of the adopted server (security D30, sec-179)', async () => {
  const server = createServer({ name: 's', version: '1', tools: {} })
  server.adopt(createServer({ name: 's', version: '2', visible: (who) => who?.id === 'bob', tools: {} }))
  server.tool(
    'late',
    tool({}, () => 'run'),
  )
  const called = (who: Principal) => send(server, 'tools/call', { name: 'late' }, who).answer
  expect((await called(ada))?.error?.message).toBe('Unknown tool: late')
  expect((await called(createPrincipal('bob')))?.result).toBeDefined()
})

describe('pages of resources that a template lists (sdk D7)', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ uri: `x://t/${index}`, name: `${index}` }))
  const listing = (count: number, pageSize?: number) =>
    createServer({
      name: 's',
      version: '1',
      ...(pageSize !== undefined && { pageSize }),
      resources: {
        first: resource({ uri: 'x://first' }, () => 'a'),
        many: resource({ uri: 'x://t/{id}', list: () => many(count) }, () => 'a'),
      },
    })
  const pages = async (server: Server) => {
    const sizes: number[] = []
    const seen = new Set<string>()
    let cursor: unknown
    do {
      const { result } = (await send(server, 'resources/list', cursor === undefined ? {} : { cursor }).answer) ?? {}
      const resources = result?.resources as { uri: string }[]
      sizes.push(resources.length)
      for (const { uri } of resources) seen.add(uri)
      cursor = result?.nextCursor
    } while (cursor !== undefined)
    return { sizes, seen: seen.size }
  }

  it.each([
    [1200, 500, [500, 500, 201]],
    [499, 500, [500]],
    [4999, undefined, [5000]],
    [5000, undefined, [1000, 1000, 1000, 1000, 1000, 1]],
  ])('%i, in pages of %s', async (count, pageSize, sizes) => {
    expect(await pages(listing(count, pageSize))).toEqual({ sizes, seen: count + 1 })
  })
})
