/** What each caller of a gateway sees, and the toolset that it chose, over real transports. */

import { type Client, connect, type ProtocolVersion } from '@portico/sdk/client'
import { createServer, prompt, RpcError, resource, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createFeatureServer } from './gateway-lab.ts'
import { closeAll, closers, createSite, raw, textOf } from './gateway-site.ts'

afterEach(closeAll)

describe('views', () => {
  const servers = () => ({ one: { target: createFeatureServer() }, two: { target: createFeatureServer() } })

  test('sec-123: what is out of view is neither listed nor used, by name or by URI', async () => {
    const views = (principal?: { id: string }) =>
      principal?.id === 'ada' ? { servers: ['one'], hidden: ['one_fail', 'note://*'] } : undefined
    const site = await createSite(servers(), { views })
    const ada = await site.connect('ada')
    const names = (await ada.listTools()).map(({ name }) => name)
    expect(names).toContain('one_echo')
    expect(names.some((name) => name.startsWith('two_') || name === 'one_fail')).toBe(false)
    await expect(ada.callTool('two_echo', { text: 'x' })).rejects.toMatchObject({ rpcCode: -32602 })
    await expect(ada.callTool('one_fail')).rejects.toMatchObject({ rpcCode: -32602 })
    await expect(ada.readResource('note://today')).rejects.toBeInstanceOf(RpcError)
    const bob = await site.connect('bob')
    expect(await bob.listTools()).toEqual([])
  })

  test('security D17: a tool out of view is answered as one that is not there, whatever it mirrors in headers', async () => {
    const target = createServer({
      name: 'mirror',
      version: '1',
      tools: {
        go: tool(
          { input: { type: 'object', properties: { to: { type: 'string', 'x-mcp-header': 'To' } } } },
          () => 'gone',
        ),
      },
    })
    const views = (principal?: { id: string }) => (principal?.id === 'ada' ? {} : { hidden: ['go'] })
    const site = await createSite({ mirror: { target } }, { views })
    const call = (user: string, name: string) => raw(site, 'tools/call', { name, arguments: { to: 'x' } }, { user })
    expect(await call('ada', 'go')).toMatchObject({ status: 400, error: { code: -32020 } })
    const [hidden, absent] = [await call('bob', 'go'), await call('bob', 'no')]
    expect(hidden.status).toBe(absent.status)
    expect(hidden.error).toEqual({ ...absent.error, message: 'Unknown tool: go' })
  })

  test.each([
    ['the URL', { path: '?tools=one_echo,two_s*' }],
    ['the header', { headers: { 'mcp-tools': 'one_echo, two_s*' } }],
  ])('a caller chooses its tools by %s, within what it may see', async (_, how) => {
    const views = () => ({ hidden: ['two_sample*'] })
    const site = await createSite(servers(), { views })
    const { result } = await raw(site, 'tools/list', {}, how)
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['one_echo', 'two_sum'])
    expect((await raw(site, 'tools/call', { name: 'one_sum', arguments: { a: 1, b: 1 } }, how)).error.code).toBe(-32602)
  })

  describe.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('over a WebSocket of %s', (versions) => {
    const open = async (url: string, headers: { readonly [name: string]: string }) => {
      // Browsers cannot send headers with it; programs can.
      class WithHeaders extends WebSocket {
        constructor(where: string | URL, protocols?: string | string[]) {
          super(where, protocols, { headers })
        }
      }
      const address = url.replace(/^http/, 'ws').replace('/mcp', '/ws')
      const client = await connect(address, { versions, webSocket: WithHeaders as never })
      closers.push(() => client.close())
      return client
    }
    const toolsOf = async (client: Client) => (await client.listTools()).map(({ name }) => name)

    test.each([
      ['the URL', '?tools=one_echo,two_s*', {}],
      ['the header', '', { 'mcp-tools': 'one_echo, two_s*' }],
    ])('a caller chooses its tools by %s of the request that opens it', async (_, query, more) => {
      const seen: (string | undefined)[] = []
      const views = (principal?: { id: string }) => {
        seen.push(principal?.id)
        return { hidden: ['two_sample*'] }
      }
      const site = await createSite(servers(), { views })
      const authorization = { authorization: 'Bearer ada' }
      const client = await open(site.http.url + query, { ...authorization, ...more })
      expect(await toolsOf(client)).toEqual(['one_echo', 'two_sum'])
      expect(textOf(await client.callTool('one_echo', { text: 'hi' }))).toBe('hi')
      await expect(client.callTool('one_sum', { a: 1, b: 1 })).rejects.toMatchObject({ rpcCode: -32602 })
      // Another connection of the same principal has its own choice, or none.
      const whole = await open(site.http.url, authorization)
      expect(await toolsOf(whole)).toContain('one_sum')
      const search = await open(`${site.http.url}?tools=search`, authorization)
      expect(await toolsOf(search)).toContain('call_tool')
      expect(new Set(seen)).toEqual(new Set(['ada']))
      expect(Object.keys(site.gateway.metrics().principals)).toEqual(['ada'])
    })

    test('nobody is let in or named by choosing', async () => {
      const closed = await createSite(servers())
      await expect(open(`${closed.http.url}?tools=one_echo`, {})).rejects.toThrow()
      const seen: unknown[] = []
      const views = (principal?: object) => {
        seen.push(principal)
        return {}
      }
      const site = await createSite(servers(), { allowAnonymous: true, views })
      const client = await open(`${site.http.url}?tools=one_echo`, {})
      expect(await toolsOf(client)).toEqual(['one_echo'])
      await client.callTool('one_echo', { text: 'hi' })
      expect(new Set(seen)).toEqual(new Set([undefined]))
      expect(Object.keys(site.gateway.metrics().principals)).toEqual(['(anonymous)'])
      expect([...site.lab.upstreams.clients.keys()].some((key) => key.includes('anonymous'))).toBe(false)
    })
  })

  test('sec-128: a list is the same on every connection, in the same order', async () => {
    const site = await createSite(servers())
    const lists = await Promise.all(
      [site.connect('ada'), site.connect('ada')].map(async (client) => (await client).listTools()),
    )
    expect(lists[0]?.map(({ name }) => name)).toEqual(lists[1]?.map(({ name }) => name))
  })

  test.each(['note://by/Anna', 'note://by/An*'])(
    'attack 6: sec-250: completions leave out values that lead to %s, which is hidden',
    async (hidden) => {
      const site = await createSite({ one: { target: createFeatureServer() } }, { views: () => ({ hidden: [hidden] }) })
      const client = await site.connect('ada')
      const ref = { type: 'ref/resource', uri: 'note://by/{name}' } as const
      const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'A' } })
      expect(completion.values).toEqual(['Abba'])
      expect(completion.total).toBeUndefined()
    },
  )

  const leaky = () => {
    const values = [
      'note://a',
      'note://secret',
      'note://%73ecret',
      'NOTE://secret',
      'portico:one/note://secret',
      'plain',
    ]
    return createServer({
      name: 'leaky',
      version: '1',
      prompts: { ask: prompt({ arguments: [{ name: 'uri' }], complete: { uri: () => values } }, () => 'asked') },
      resources: {
        a: resource({ uri: 'note://a' }, () => 'a'),
        secret: resource({ uri: 'note://secret' }, () => 'secret'),
        any: resource({ uri: 'any://{which}', complete: { which: () => values } }, () => 'any'),
      },
    })
  }
  test.each([
    ['hidden by name', { hidden: ['note://secret'] }],
    ['hidden by pattern', { hidden: ['note://s*'] }],
    ['not among the items', { items: ['ask', 'note://a', 'any://*'] }],
  ])('sec-278: values of completions that are addresses out of view are left out: %s', async (_, view) => {
    const site = await createSite({ one: { target: leaky() } }, { views: () => view })
    const client = await site.connect('ada')
    for (const [ref, name] of [
      [{ type: 'ref/prompt', name: 'ask' }, 'uri'],
      [{ type: 'ref/resource', uri: 'any://{which}' }, 'which'],
    ] as const) {
      const { completion } = await client.complete({ ref, argument: { name, value: '' } })
      expect(completion.values).toEqual(['note://a', 'plain'])
      expect(completion.total).toBeUndefined()
    }
  })

  test.each([
    ['a prompt', { type: 'ref/prompt', name: 'ask' }, 'ask'],
    ['a template', { type: 'ref/resource', uri: 'any://{which}' }, 'any://{which}'],
    ['a template, by another pattern', { type: 'ref/resource', uri: 'any://{which}' }, 'any://*'],
  ] as const)('sec-278: what is hidden cannot be completed: %s', async (_, ref, hidden) => {
    const site = await createSite({ one: { target: leaky() } }, { views: () => ({ hidden: [hidden] }) })
    const client = await site.connect('ada')
    const argument = { name: ref.type === 'ref/prompt' ? 'uri' : 'which', value: '' }
    await expect(client.complete({ ref, argument })).rejects.toThrow('names no prompt or resource template here')
  })

  test('search, describe and call stand for the full list when asked for', async () => {
    const site = await createSite(servers(), { views: () => ({ hidden: ['two_*'] }) })
    const how = { path: '?tools=search' }
    const call = (name: string, args: object) => raw(site, 'tools/call', { name, arguments: args }, how)
    const { result } = await raw(site, 'tools/list', {}, how)
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'search_tools',
      'describe_tool',
      'call_tool',
    ])
    const found = textOf((await call('search_tools', { query: 'echo' })).result)
    expect(found).toContain('one_echo')
    expect(found).not.toContain('two_')
    expect(textOf((await call('describe_tool', { name: 'one_echo' })).result)).toContain('inputSchema')
    expect(textOf((await call('call_tool', { name: 'one_echo', arguments: { text: 'hi' } })).result)).toBe('hi')
    expect((await call('call_tool', { name: 'two_echo', arguments: {} })).error.code).toBe(-32602)
  })

  test('pages are cut where a size is set', async () => {
    const site = await createSite(servers(), { pageSize: 5 })
    const client = await site.connect('ada')
    const pages = []
    for await (const page of client.toolPages()) pages.push(page.length)
    expect(pages.slice(0, -1).every((size) => size === 5)).toBe(true)
    expect(pages.length).toBeGreaterThan(3)
  })
})
