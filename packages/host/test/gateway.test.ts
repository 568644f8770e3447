/** The gateway over real transports: principals kept apart, limits, headers, reload, the way down. */

import { fileURLToPath } from 'node:url'
import { connect, type ProtocolVersion } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, PorticoError, RpcError, resource, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { AuditEntry } from '../src/audit/record.ts'
import { HostError } from '../src/errors.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import type { Guard } from '../src/guard/guard.ts'
import { createFeatureServer, createLab, waitingAt } from './gateway-lab.ts'
import { closeAll, closers, createSite, MODERN, raw, textOf } from './gateway-site.ts'

afterEach(closeAll)

const LEGACY: ProtocolVersion[] = ['2024-11-05', '2025-11-25']

describe('principals', () => {
  test('have connections of their own, older sessions each one, and leave none behind', async () => {
    const site = await createSite({ f: { target: createFeatureServer(['2025-11-25']) } })
    const before = site.lab.upstreams.clients.size
    const [ada, bob] = [
      await site.connect('ada', { versions: '2025-11-25' }),
      await site.connect('bob', { versions: '2025-11-25' }),
    ]
    const again = await site.connect('ada', { versions: '2025-11-25' })
    for (const client of [ada, bob, again]) await client.callTool('echo', { text: 'x' })
    expect(site.lab.upstreams.clients.size - before).toBe(3)
    for (const client of [ada, bob, again]) await client.close()
    await expect.poll(() => site.lab.upstreams.clients.size).toBe(before)
    expect(new Set(site.lab.upstreams.released).size).toBe(3)
  })

  test('of the newest revision share one each, which ends when it is idle', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } }, { idleMs: 60 })
    const before = site.lab.upstreams.clients.size
    for (const user of ['ada', 'ada', 'bob']) {
      const client = await site.connect(user, { versions: MODERN })
      await client.callTool('echo', { text: 'x' })
    }
    await expect.poll(() => site.lab.upstreams.clients.size).toBe(before)
    expect(new Set(site.lab.upstreams.released).size).toBe(2)
  })

  test('share the connection of a shareable server, where nobody is asked what may be meant for another', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let entered = 0
    const form = { type: 'object', properties: { ok: { type: 'boolean' } } } as const
    const server: Server = createServer({
      name: 's',
      version: '1',
      versions: ['2025-06-18'],
      tools: {
        ask: tool({}, async (_args, ctx) => {
          entered++
          await held
          return (await ctx.elicit({ message: 'whose?', form })).action
        }),
      },
    })
    const site = await createSite({ s: { target: server, settings: { shareable: true } } })
    const asked: string[] = []
    const clients = await Promise.all(
      ['ada', 'bob'].map((user) =>
        site.connect(user, {
          versions: '2025-06-18',
          elicitation: {
            form: () => {
              asked.push(user)
              return { action: 'accept', content: {} }
            },
          },
        }),
      ),
    )
    const calls = clients.map((client) => client.callTool('ask'))
    await expect.poll(() => entered).toBe(2)
    release()
    for (const result of await Promise.all(calls)) expect(textOf(result)).toContain('not certain whose')
    expect(asked).toEqual([])
  })

  test('sec-140: two principals on one keep-alive connection get what is theirs', async () => {
    const whoami = createServer({
      name: 'who',
      version: '1',
      tools: { a: tool({}, () => 'a'), b: tool({}, () => 'b') },
    })
    const views = (principal?: { id: string }) => ({ items: principal?.id === 'ada' ? ['a'] : ['b'] })
    const site = await createSite({ who: { target: whoami } }, { views })
    for (let round = 0; round < 5; round++) {
      for (const [user, own, other] of [
        ['ada', 'a', 'b'],
        ['bob', 'b', 'a'],
      ] as const) {
        const { result } = await raw(site, 'tools/list', {}, { user })
        expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([own])
        expect((await raw(site, 'tools/call', { name: other, arguments: {} }, { user })).error.code).toBe(-32602)
      }
    }
  })

  test('sec-34, sec-35: a session is no credential, and nobody but its principal can use it', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = (method: string, more: { [name: string]: string }, body?: object) =>
      fetch(site.http.url, { method, headers: { ...headers, ...more }, ...(body && { body: JSON.stringify(body) }) })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const opened = await send(
      'POST',
      { authorization: 'Bearer ada' },
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    )
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    await opened.text()
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    for (const [method, body] of [
      ['POST', list],
      ['GET', undefined],
      ['DELETE', undefined],
    ] as const) {
      expect((await send(method, session, body)).status).toBe(401)
      expect([403, 404]).toContain((await send(method, { ...session, authorization: 'Bearer eve' }, body)).status)
    }
    expect((await send('POST', { ...session, authorization: 'Bearer ada' }, list)).status).toBe(200)
  })

  test('sec-141: what a client calls itself opens and shares nothing', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    const before = site.lab.upstreams.clients.size
    for (const [user, name] of [
      ['ada', 'one'],
      ['ada', 'two'],
      ['bob', 'one'],
    ] as const) {
      const client = await site.connect(user, { versions: MODERN, info: { name, version: '1' } })
      await client.callTool('echo', { text: 'x' })
    }
    expect(site.lab.upstreams.clients.size - before).toBe(2)
  })

  test('sec-157: cached reads and lists are private to their principal', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    for (const [method, params] of [
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/read', { uri: 'note://today' }],
    ] as const) {
      expect((await raw(site, method, params)).result.cacheScope).toBe('private')
    }
  })
})

describe('who is let in', () => {
  test('sec-4, sec-99: an anonymous request is answered 401 and starts nothing', async () => {
    let started = 0
    const lab = await createLab({ f: { target: createFeatureServer() } })
    const gateway = createGateway(lab, { onError: () => {} })
    const http = await serveGateway(gateway, { port: 0, graceMs: 0 })
    closers.push(
      () => lab.close(),
      () => http.close(),
    )
    const client = lab.upstreams.client.bind(lab.upstreams)
    lab.upstreams.client = (server, request) => {
      started++
      return client(server, request)
    }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(http.url, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(started).toBe(0)
  })

  test('sec-3: it listens on this machine alone unless told otherwise', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    expect(site.http.http.node.address()).toMatchObject({ address: '127.0.0.1' })
  })

  test('sec-1, sec-2: a foreign origin is refused with 403', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    const { response } = await raw(site, 'tools/list', {}, { headers: { origin: 'http://evil.example' } })
    expect(response.status).toBe(403)
  })

  test('allowAnonymous is said by name', async () => {
    const lab = await createLab({ f: { target: createFeatureServer() } })
    const gateway = createGateway(lab, { onError: () => {}, allowAnonymous: true })
    const http = await serveGateway(gateway, { port: 0, graceMs: 0 })
    closers.push(
      () => lab.close(),
      () => http.close(),
    )
    const client = await connect(http.url)
    closers.push(() => client.close())
    expect(textOf(await client.callTool('echo', { text: 'x' }))).toBe('x')
  })
})

describe('limits', () => {
  test('sec-124: calls beyond the rate are refused with a hint when to come back', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } }, { limits: { callsPerMinute: 2 } })
    const ada = await site.connect('ada')
    for (let call = 0; call < 2; call++) expect((await ada.callTool('echo', { text: 'x' })).isError).toBeFalsy()
    const refused = await ada.callTool('echo', { text: 'x' })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/callsPerMinute \(2\).*Try again in \d+ s/)
    const bob = await site.connect('bob')
    expect((await bob.callTool('echo', { text: 'x' })).isError).toBeFalsy()
    expect(site.gateway.metrics().principals.ada).toMatchObject({ calls: 3, refused: 1 })
  })

  test('hold for single tools, for calls at a time and for sizes', async () => {
    const server = createFeatureServer()
    const site = await createSite(
      { f: { target: server } },
      { limits: { tools: { 'wa*': { maxConcurrent: 1 } }, maxArgumentBytes: 100, maxResultBytes: 500 } },
    )
    const ada = await site.connect('ada')
    const controller = new AbortController()
    const first = ada.callTool('wait', {}, { signal: controller.signal })
    await expect.poll(() => waitingAt(server).length).toBe(1)
    expect(textOf(await ada.callTool('wait'))).toContain('maxConcurrent (1) of "wa*"')
    expect(textOf(await ada.callTool('echo', { text: 'x'.repeat(200) }))).toContain('maxArgumentBytes (100)')
    controller.abort()
    await expect(first).rejects.toBeInstanceOf(PorticoError)
  })
})

describe('headers', () => {
  test('sec-23, sec-82: unknown Mcp-Param headers reach the server, credentials and others do not', async () => {
    const seen: { [name: string]: string | undefined }[] = []
    const upstream = await serveHttp(
      createServer({
        name: 'up',
        version: '1',
        tools: {
          probe: tool(
            { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
            (_args, ctx) => {
              const names = [
                'mcp-param-region',
                'mcp-param-future',
                'x-other',
                'authorization',
                'cookie',
                'connection',
                'te',
              ]
              seen.push(Object.fromEntries(names.map((name) => [name, ctx.head?.header(name)])))
              return 'ok'
            },
          ),
        },
      }),
      { port: 0, graceMs: 0, authenticate: (head) => void tokens.push(head.header('authorization')) as undefined },
    )
    const tokens: (string | undefined)[] = []
    closers.push(() => upstream.close())
    const site = await createSite({ up: { target: upstream.url } })
    const headers = { 'mcp-param-region': 'eu', 'mcp-param-future': 'yes', 'x-other': 'no', cookie: 'secret=1' }
    const { result } = await raw(
      site,
      'tools/call',
      { name: 'probe', arguments: { region: 'eu' } },
      { headers, user: 'secret-token' },
    )
    expect(textOf(result)).toBe('ok')
    expect(seen[0]).toMatchObject({ 'mcp-param-region': 'eu', 'mcp-param-future': 'yes' })
    expect(seen[0]?.['x-other'] ?? seen[0]?.cookie).toBeUndefined()
    expect(tokens.some((token) => token?.includes('secret-token'))).toBe(false)
  })

  test('sec-23: a mirrored header that does not agree with the body is refused with 4xx', async () => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    const lying = await raw(
      site,
      'tools/call',
      { name: 'echo', arguments: { text: 'x' } },
      { headers: { 'mcp-name': 'sum' } },
    )
    expect(lying.status).toBe(400)
    expect(lying.error.code).toBe(-32020)
  })

  test.each(LEGACY)('sec-24: a %s request with a lying Mcp-Name is refused too', async (versions) => {
    const site = await createSite({ f: { target: createFeatureServer() } })
    const headers = { authorization: 'Bearer ada', 'mcp-name': 'sum' }
    const client = await connect(site.http.url, { versions, headers })
    closers.push(() => client.close())
    await expect(client.callTool('echo', { text: 'x' })).rejects.toMatchObject({
      message: expect.stringContaining('Mcp-Name'),
    })
    expect(textOf(await client.callTool('sum', { a: 1, b: 2 }))).toContain('3')
  })
})

describe('the guard and the audit log', () => {
  const guardOf = (allows: (kind: string) => boolean, log: string[]): Guard => ({
    pass: async (effect) => {
      log.push(effect.kind)
      if (!allows(effect.kind)) throw new HostError('denied', 'A rule says no')
      const decision = { outcome: 'allow' as const, reason: 'test' }
      return { effect, decision, finish: (outcome) => void log.push(`${effect.kind} ${outcome}`) }
    },
    explain: async () => ({ outcome: 'allow', reason: 'test', considered: [] }),
    review: async (_effect, result) => result,
  })

  test('every call, read, prompt and question passes, and its end is told once', async () => {
    const log: string[] = []
    const site = await createSite({ f: { target: createFeatureServer() } }, {}, { guard: guardOf(() => true, log) })
    const client = await site.connect('ada', {
      elicitation: {
        form: ({ message }) => ({
          action: 'accept',
          content: (message === 'Who?' ? { name: 'Ada' } : { age: 1 }) as { [name: string]: string | number },
        }),
      },
      roots: [{ uri: 'file:///work' }],
    })
    await client.callTool('ask')
    await client.readResource('note://today')
    await client.getPrompt('greet', { who: 'x' })
    await client.callTool('roots')
    expect(log).toEqual([
      ...['call', 'elicit', 'elicit ok', 'elicit', 'elicit ok', 'call ok'],
      ...['read', 'read ok', 'prompt', 'prompt ok'],
      ...['call', 'root', 'root ok', 'call ok'],
    ])
  })

  test('what is denied does not reach the server, and the caller is told', async () => {
    const log: string[] = []
    const server = createFeatureServer()
    const site = await createSite({ f: { target: server } }, {}, { guard: guardOf((kind) => kind === 'prompt', log) })
    const client = await site.connect('ada')
    const denied = await client.callTool('echo', { text: 'x' })
    expect(denied).toMatchObject({ isError: true })
    expect(textOf(denied)).toBe('A rule says no')
    await expect(client.readResource('note://today')).rejects.toMatchObject({ data: { code: 'denied' } })
  })

  test('sec-99, sec-100: without a guard, calls are written down here, with the trace they belong to', async () => {
    const entries: AuditEntry[] = []
    const audit = {
      append: async (entry: AuditEntry) => {
        entries.push(entry)
        return { ...entry, sequence: 0, previous: '', hash: '' }
      },
    }
    const site = await createSite({ f: { target: createFeatureServer() } }, {}, { audit })
    const client = await site.connect('ada')
    const trace = '0af7651916cd43dd8448eb211c80319c'
    await client.callTool('echo', { text: 'x' }, { meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` } })
    expect(entries[0]).toMatchObject({
      principal: 'ada',
      server: 'f',
      what: 'call',
      item: 'echo',
      outcome: 'ok',
      traceId: trace,
    })
  })
})

describe('servers that ask outside any call', () => {
  test('get the configured roots, or are refused', async () => {
    const child = fileURLToPath(new URL('fixtures/asks-afterwards.mjs', import.meta.url))
    for (const [roots, expected] of [
      [['file:///configured'], 'file:///configured'],
      [[], 'refused'],
    ] as const) {
      const target = { command: process.execPath, args: [child] }
      const site = await createSite({ old: { target, versions: '2025-06-18', settings: { roots } } })
      const client = await site.connect('ada', { versions: '2025-06-18', roots: [{ uri: 'file:///of-the-client' }] })
      await client.callTool('ask')
      const result = await client.callTool('told')
      expect(textOf(result)).toContain(expected)
    }
  })
})

describe('links', () => {
  test('a resource that a result linked to is read from the server that linked it', async () => {
    const linking = (name: string): Server => {
      const server: Server = createServer({
        name,
        version: '1',
        tools: { link: tool({}, () => ({ content: [{ type: 'resource_link', uri: `made://${name}/1`, name: 'x' }] })) },
      })
      server.use('resources/read', ({ params }) => ({ contents: [{ uri: String(params.uri), text: `from ${name}` }] }))
      server.resource(
        'any',
        resource({ uri: `other://${name}` }, () => ''),
      )
      return server
    }
    const site = await createSite({ a: { target: linking('a') }, b: { target: linking('b') } })
    const client = await site.connect('ada')
    await client.callTool('b_link')
    expect((await client.readResource('made://b/1')).contents[0]).toMatchObject({ text: 'from b' })
    await expect(client.readResource('made://a/1')).rejects.toBeInstanceOf(RpcError)
    const eve = await site.connect('eve')
    await expect(eve.readResource('made://b/1')).rejects.toBeInstanceOf(RpcError)
  })
})

describe('changes while it runs', () => {
  test('a server is changed between its calls: none is dropped, and new ones wait', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let running = 0
    const version = (name: string): Server =>
      createServer({
        name,
        version: '1',
        tools: {
          slow: tool({}, async () => {
            running++
            await held
            return name
          }),
        },
      })
    const site = await createSite({ s: { target: version('old') } })
    const client = await site.connect('ada')
    const first = client.callTool('slow')
    await expect.poll(() => running).toBe(1)
    const reloaded = site.gateway.reload(['s'], async () => {
      await site.lab.upstreams.close()
      site.lab.upstreams.servers.set('s', { target: version('new') })
      await site.lab.catalogue.load()
    })
    const second = client.callTool('slow')
    release()
    await reloaded
    expect(textOf(await first)).toBe('old')
    expect(textOf(await second)).toBe('new')
  })

  test.each(['ends its session', 'drops its connection', 'is never heard of again'])(
    'no process is left when a client %s',
    async (way) => {
      const child = fileURLToPath(new URL('fixtures/asks-afterwards.mjs', import.meta.url))
      const target = { command: process.execPath, args: [child] }
      const site = await createSite(
        { old: { target, versions: '2025-06-18' } },
        way === 'is never heard of again' ? { idleMs: 1_500 } : {},
      )
      const before = new Set(site.lab.upstreams.clients.keys())
      const url =
        way === 'drops its connection' ? site.http.url.replace(/^http/, 'ws').replace('/mcp', '/ws') : site.http.url
      // Without an end of the session, a server over HTTP only notices that nobody comes any more.
      const silent: typeof fetch = (input, init) =>
        init?.method === 'DELETE' ? Promise.reject(new Error('gone')) : fetch(input, init)
      const client = await connect(url, {
        versions: '2025-06-18',
        // A WebSocket of one's own brings its headers itself.
        ...(way === 'drops its connection'
          ? { webSocket: WithToken as never }
          : { headers: { authorization: 'Bearer ada' } }),
        ...(way === 'is never heard of again' && { fetch: silent as never }),
      })
      await client.callTool('ask')
      const key = [...site.lab.upstreams.clients.keys()].find((one) => !before.has(one)) ?? ''
      const pid = (await site.lab.upstreams.clients.get(key))?.process?.pid
      expect(isAlive(pid)).toBe(true)
      await client.close()
      await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false)
    },
  )

  test('closing lets calls finish and leaves no process behind', async () => {
    const child = fileURLToPath(new URL('fixtures/asks-afterwards.mjs', import.meta.url))
    const site = await createSite({
      old: { target: { command: process.execPath, args: [child] }, versions: '2025-06-18' },
    })
    const client = await site.connect('ada')
    await client.callTool('ask')
    const pids = await Promise.all(
      [...site.lab.upstreams.clients.values()].map(async (one) => (await one).process?.pid),
    )
    expect(pids.length).toBe(2)
    await site.http.close()
    await site.lab.close()
    await expect.poll(() => pids.every((pid) => !isAlive(pid))).toBe(true)
  })
})

/** A WebSocket that says who it is, as browsers cannot. */
class WithToken extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols, { headers: { authorization: 'Bearer ada' } })
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}
