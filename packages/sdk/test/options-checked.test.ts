/**
 * Options that cannot do what they are for are refused before anything listens, on every way of serving: a compiler does
 * not see into records that were made elsewhere, and a program in plain JavaScript has none.
 */

import { createServer as createNodeServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { connect } from '../src/doors/client.ts'
import { serveFetch } from '../src/doors/fetch.ts'
import { createHttpHandler, serveHttp } from '../src/doors/http.ts'
import { createPrincipal, createServer, MemoryRoundStore, prompt, resource, tool } from '../src/doors/server.ts'
import { serveSocket } from '../src/doors/socket.ts'
import { serveStdio } from '../src/doors/stdio.ts'
import { createMemoryChannels, serveChannel } from '../src/doors/transport.ts'
import { attachWebSocket, serveWebSocket } from '../src/doors/websocket.ts'

const server = createServer({ name: 'options', version: '1.0.0' })

/** As a program that no compiler has read would call it. */
type Loose = { [name: string]: unknown }

/** Every way of serving, as a function of its options. What it opens it also closes. */
const WAYS: { readonly [way: string]: (options: Loose) => Promise<void> } = {
  serveHttp: async (options) => (await serveHttp(server, { port: 0, ...options })).close(),
  createHttpHandler: async (options) => createHttpHandler(server, options).close(),
  serveFetch: async (options) => serveFetch(server, options).close(),
  serveWebSocket: async (options) => (await serveWebSocket(server, { port: 0, ...options })).close(),
  attachWebSocket: async (options) => attachWebSocket(server, createNodeServer(), options).close(),
  serveSocket: async (options) => (await serveSocket(server, { port: 0, ...options })).close(),
  serveStdio: async (options) => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
    await serveStdio(server, { exit: false, ...streams, ...options }).close()
  },
  serveChannel: async (options) => serveChannel(server, createMemoryChannels()[0], options).close(),
}

const ways = Object.keys(WAYS)
const open = (way: string, options: Loose): Promise<void> => WAYS[way]?.(options) ?? Promise.reject(new Error(way))
const refused = (message: RegExp) => ({ code: 'invalid-definition', message: expect.stringMatching(message) })

describe('a protection that cannot protect', () => {
  const protections = {
    'an empty record': {},
    'a function that was not called': () => ({}),
    'a promise': Promise.resolve(),
  }
  const cases = ways.flatMap((way) => Object.entries(protections).map(([what, auth]) => ({ way, what, auth })))

  it.each(cases)('$way does not take $what as auth (sec-300)', async ({ way, auth }) => {
    await expect(open(way, { auth })).rejects.toMatchObject(refused(/auth must be what requireBearer|no option "auth"/))
  })

  it.each(ways)('%s does not take a good auth that it would not ask (sec-300)', async (way) => {
    const good = open(way, { auth: { authenticate: () => undefined } })
    if (['serveHttp', 'createHttpHandler', 'serveFetch'].includes(way)) await good
    else await expect(good).rejects.toMatchObject(refused(new RegExp(`^${way} has no option "auth"`)))
  })

  it.each(ways)('%s does not take an authenticate that is no function (sec-300)', async (way) => {
    await expect(open(way, { authenticate: 'Bearer s3cret' })).rejects.toMatchObject({
      code: 'invalid-definition',
      message: expect.not.stringContaining('s3cret'),
    })
  })
})

describe('a bound that bounds nothing', () => {
  const values = { 'a text': '4mb', 'not a number': Number.NaN, 'below zero': -1, null: null }
  const cases = ways
    .filter((way) => way !== 'serveChannel')
    .flatMap((way) => Object.entries(values).map(([what, value]) => ({ way, what, value })))

  it.each(cases)('$way refuses one that is $what (sec-301)', async ({ way, value }) => {
    const opened = open(way, { limits: { maxInFlight: value } })
    await expect(opened).rejects.toMatchObject(refused(/limits: maxInFlight must be a number from 0 on/))
  })

  it.each(Object.values(values))(
    'serveChannel, createServer and MemoryRoundStore refuse %s (sec-301)',
    async (value) => {
      await expect(open('serveChannel', { maxInFlight: value })).rejects.toMatchObject(refused(/maxInFlight must be/))
      const loose: Loose = { maxRounds: value }
      expect(() => createServer({ name: 'a', version: '1', ...loose })).toThrow(/createServer: maxRounds must be/)
      const limits: Loose = { maxTotalOutcomeBytes: value }
      expect(() => new MemoryRoundStore(10, limits)).toThrow(/maxTotalOutcomeBytes must be/)
    },
  )

  it.each(Object.values(values))('connect refuses %s, as a limit and as a timeout (sec-301)', async (value) => {
    const wrong = { code: 'invalid-arguments', delivery: 'not-sent' }
    const limits: Loose = { maxPages: value }
    await expect(connect(server, { limits })).rejects.toMatchObject(wrong)
    const timeouts: Loose = { callMs: value }
    await expect(connect(server, { timeouts })).rejects.toMatchObject(wrong)
  })

  it('one that is there but undefined was not given: the default holds (sec-301)', async () => {
    const endless = createServer({ name: 'endless', version: '1.0.0', pageSize: 1 })
    for (let index = 0; index < 66; index++)
      endless.tool(
        `tool-${index}`,
        tool({}, () => 'x'),
      )
    const limits: Loose = { maxPages: undefined }
    await using client = await connect(endless, { limits })
    await expect(client.listTools()).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  it('none at all may be asked for by name', async () => {
    const timeouts = { callMs: Infinity, connectMs: Infinity, listMs: 1e12 }
    await using client = await connect(server, { timeouts, limits: { maxPages: Infinity } })
    await client.ping()
    await open('serveHttp', { limits: { sessionIdleMs: Infinity, requestTimeoutMs: Infinity, headersTimeoutMs: 1e12 } })
  })
})

describe('an option that does not exist', () => {
  it.each(ways)('%s names the one that was meant (sec-302)', async (way) => {
    const slip = way === 'serveChannel' || way === 'serveStdio' || way === 'serveSocket' ? 'graceM' : 'authentcate'
    const meant = slip === 'graceM' ? 'graceMs' : 'authenticate'
    await expect(open(way, { [slip]: () => undefined })).rejects.toMatchObject(
      refused(new RegExp(`^${way} has no option "${slip}"\\. Did you mean "${meant}"\\?$`)),
    )
    await expect(open(way, { requireLogin: true })).rejects.toMatchObject(
      refused(/has no option "requireLogin"; it has /),
    )
  })

  it.each(ways.filter((way) => way !== 'serveChannel'))('%s looks into limits (sec-302)', async (way) => {
    await expect(open(way, { limits: { maxInFlght: 1 } })).rejects.toMatchObject(
      refused(/Did you mean "maxInFlight"\?/),
    )
  })

  it.each([
    { what: 'a server', make: (loose: Loose) => createServer({ name: 'a', version: '1', ...loose }) },
    {
      what: 'a tool',
      make: (loose: Loose) =>
        server.tool(
          'a',
          tool(loose, () => 'x'),
        ),
    },
    {
      what: 'a resource',
      make: (loose: Loose) =>
        server.resource(
          'a',
          resource({ uri: 'a:b', ...loose }, () => 'x'),
        ),
    },
    {
      what: 'a prompt',
      make: (loose: Loose) =>
        server.prompt(
          'a',
          prompt(loose, () => 'x'),
        ),
    },
  ])('$what with a rule under another name is not open to everybody (sec-302)', ({ what, make }) => {
    expect(() => make({ visble: () => false })).toThrow(/Did you mean "visible"\?/)
    expect(() => make({ visible: false })).toThrow(/visible must be a function/)
    if (what === 'a server') return
    expect(() => make({ scope: ['admin'] })).toThrow(/Did you mean "scopes"\?/)
    expect(() => make({ scopes: 'admin' })).toThrow(/scopes must be a list of texts/)
  })
})

describe('a mistake is told in words', () => {
  const arguments_ = [{ name: 'language' }]
  const complete = { langage: () => [] }
  const nothing: Loose = {}
  it.each<{ what: string; make: () => unknown; says: RegExp }>([
    { what: 'no definition', make: () => Reflect.apply(createServer, undefined, []), says: /needs a name/ },
    {
      what: 'a list of tools',
      make: () => createServer({ name: 'a', version: '1', ...{ tools: [] as never } }),
      says: /record/,
    },
    {
      what: 'no URI',
      make: () =>
        server.resource(
          'a',
          resource(nothing as { uri: string }, () => 'x'),
        ),
      says: /needs a uri/,
    },
    {
      what: 'a completer of no argument',
      make: () =>
        server.prompt(
          'a',
          prompt({ arguments: arguments_, complete }, () => 'x'),
        ),
      says: /no option "langage"\. Did you mean "language"/,
    },
    {
      what: 'a completer of no variable',
      make: () =>
        server.resource(
          'a',
          resource({ uri: 'a://{language}', complete }, () => 'x'),
        ),
      says: /no option "langage"\. Did you mean "language"/,
    },
  ])('$what', ({ make, says }) => {
    expect(make).toThrow(says)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
  })

  it.each([
    { way: 'serveHttp', options: { port: 'abc' }, says: /port must be a whole number from 0 to 65535/ },
    { way: 'serveHttp', options: { path: 'mcp' }, says: /path must be a path that begins with/ },
    { way: 'serveHttp', options: { allowedHosts: 'example.com' }, says: /allowedHosts must be a list of texts/ },
    { way: 'serveHttp', options: { graceMs: 1e12 }, says: /graceMs must be a number of milliseconds/ },
    { way: 'serveSocket', options: { port: -1 }, says: /port must be a whole number/ },
  ])('$way: $options', async ({ way, options, says }) => {
    await expect(open(way, options)).rejects.toMatchObject(refused(says))
  })

  it('a socket without an address', async () => {
    await expect(serveSocket(server, nothing as { port: number })).rejects.toMatchObject(
      refused(/give a path or a port/),
    )
  })
})

it.each([undefined, '', 7])('nobody is called %s: they would share sessions and results (sec-303)', (id) => {
  expect(() => createPrincipal(id as string)).toThrow(/the id must be a text/)
})
