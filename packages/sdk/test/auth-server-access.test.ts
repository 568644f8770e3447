/** What a verified principal may see and use: scopes, their hierarchy, roles, step-up; and that nobody gets at another's things. */

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineRoles } from '../src/auth/access-scopes.ts'
import { createPrincipal } from '../src/auth/principal.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { requireScopes } from '../src/server/items/access.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import {
  bearer,
  callTool,
  challengeOf,
  createIssuer,
  type Issuer,
  type Protected,
  serveProtected,
} from './auth-server-fixture.ts'
import {
  call,
  createFixture,
  initialize,
  legacy,
  META,
  modern,
  open,
  openSession,
  PROGRESS,
  type Received,
  send,
} from './http-fixture.ts'

let issuer: Issuer
let served: Protected

beforeEach(async () => {
  issuer = await createIssuer()
})

afterEach(async () => {
  await served?.http.close()
  await issuer.close()
})

const scoped = async (scope: string, sub = 'alice') => bearer(await issuer.sign({ scope, sub }))

function names(answer: Received): string[] {
  const { result } = JSON.parse(answer.text)
  return (result.tools ?? result.resources ?? result.prompts).map(({ name }: { name: string }) => name)
}

describe('items behind scopes (sec-123)', () => {
  it('are hidden from lists and answer like items that do not exist', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const headers = await scoped('read')
    expect(names(await send(served.port, modern('tools/list', {}, headers)))).toEqual(['whoami', 'read', 'write'])
    const hidden = await callTool(served.port, 'hidden', headers)
    const unknown = await callTool(served.port, 'nothing', headers)
    expect(hidden.text.replaceAll('hidden', 'nothing')).toBe(unknown.text)
    expect(hidden.status).toBe(unknown.status)
    expect(hidden.headers['www-authenticate']).toBeUndefined()
  })

  it('cannot be completed (sec-134) or read', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const headers = await scoped('read')
    const complete = (name: string) =>
      send(
        served.port,
        modern(
          'completion/complete',
          { ref: { type: 'ref/prompt', name }, argument: { name: 'x', value: '' } },
          headers,
        ),
      )
    expect((await complete('plot')).text).toBe((await complete('none')).text)
    const read = (uri: string) => send(served.port, modern('resources/read', { uri }, { ...headers, 'mcp-name': uri }))
    expect((await read('file:///secret')).text.replaceAll('secret', 'x')).toBe((await read('file:///x')).text)
  })

  it('lists vary by principal alone, in one order, and are not for sharing (sec-128)', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const first = await send(served.port, modern('tools/list', {}, await scoped('admin')))
    const second = await send(served.port, modern('tools/list', {}, await scoped('admin')))
    expect(first.text).toBe(second.text)
    expect(names(first)).toEqual(['whoami', 'hidden', 'write'])
    expect(JSON.parse(first.text).result.cacheScope).toBe('private')
  })

  it('interleaved principals on one connection get their own answers (sec-140)', async () => {
    served = await serveProtected({ issuer: issuer.url })
    let connections = 0
    served.http.node.on('connection', () => connections++)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (const scope of ['admin', 'read', 'admin', 'read']) {
      const { headers, body } = modern('tools/call', { name: 'hidden', arguments: {} }, await scoped(scope, scope))
      const req = request({
        port: served.port,
        host: '127.0.0.1',
        path: '/mcp',
        method: 'POST',
        headers: { ...headers },
        agent,
      })
      req.end(body)
      // The first argument of the event is the response.
      const [response] = (await once(req, 'response')) as [IncomingMessage]
      const answer = JSON.parse(await text(response))
      expect(answer.error === undefined).toBe(scope === 'admin')
    }
    expect(connections).toBe(1)
    agent.destroy()
  })
})

describe('step-up (sec-68, sec-71)', () => {
  it.each([
    ['a tool', 'tools/call', { name: 'write', arguments: {} }, {}, 'read write'],
    ['a resource', 'resources/read', { uri: 'file:///ledger' }, { 'mcp-name': 'file:///ledger' }, 'write'],
    ['a prompt', 'prompts/get', { name: 'plan' }, {}, 'write'],
  ])(
    '%s that can be unlocked is listed, and its use answered with all it takes',
    async (_, method, params, extra, scope) => {
      served = await serveProtected({ issuer: issuer.url })
      const weak = await scoped('list')
      const answer = await send(served.port, modern(method, params, { ...weak, ...extra }))
      expect(answer.status).toBe(403)
      expect(challengeOf(answer)).toMatchObject({
        scheme: 'Bearer',
        error: 'insufficient_scope',
        scope,
        resource_metadata: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
      })
      expect(answer.json?.id).toBe(1)
      const strong = await scoped('list read write')
      expect((await send(served.port, modern(method, params, { ...strong, ...extra }))).status).toBe(200)
    },
  )

  it('is told to the audit trail under a reference that the client sees (sec-100)', async () => {
    const told: { principal: string; scopes: readonly string[]; reference: string }[] = []
    served = await serveProtected({ issuer: issuer.url, onStepUp: (stepUp) => told.push(stepUp) })
    const answer = await callTool(served.port, 'write', await scoped('read'))
    expect(told).toEqual([
      { principal: `${issuer.url} alice`, scopes: ['read', 'write'], reference: expect.any(String) },
    ])
    expect(answer.headers['www-authenticate']).toContain(told[0]?.reference)
  })

  it('works within a session of an older revision, with the stronger token on the next request', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const session = await openSession(served.port, '2025-11-25', await scoped('read'))
    const use = (headers: { authorization: string }) => send(served.port, legacy(call('write'), session, headers))
    const weak = await use(await scoped('read'))
    expect([weak.status, challengeOf(weak).scope]).toEqual([403, 'read write'])
    expect((await use(await scoped('read write'))).json?.result.content[0].text).toBe('written')
    expect((await use(await scoped('read'))).status).toBe(403)
  })

  it('leaves completions and subscriptions of such items to those who hold the scopes', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const params = { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'x', value: '' } }
    expect((await send(served.port, modern('completion/complete', params, await scoped('read')))).status).toBe(403)
    const filter = { notifications: { resourceSubscriptions: ['file:///ledger', 'file:///secret'] } }
    const listen = await open(served.port, modern('subscriptions/listen', filter, await scoped('read')))
    expect(JSON.parse((await listen.next())?.data ?? '').params.notifications).toEqual({})
    listen.destroy()
  })

  it('can be asked for by a handler, by what its arguments say', async () => {
    served = await serveProtected({ issuer: issuer.url })
    served.server.tool(
      'delete',
      tool({}, (_, ctx) => {
        requireScopes(ctx.principal, ['delete:all'])
        return 'deleted'
      }),
    )
    const answer = await callTool(served.port, 'delete', await scoped('read'))
    expect([answer.status, challengeOf(answer).scope]).toEqual([403, 'delete:all'])
  })
})

describe('what only listens ends with the credential it was opened by', () => {
  const soon = async () => bearer(await issuer.sign({ exp: Math.floor(Date.now() / 1000) + 1 }))

  it('a modern listen', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, await soon())
    const stream = await open(served.port, listen)
    expect(await stream.rest()).toHaveLength(1)
  })

  it('the standalone stream of a session, which lives on', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const session = await openSession(served.port, '2025-06-18', await scoped('read'))
    const get = { method: 'GET', headers: { ...session.headers, accept: 'text/event-stream', ...(await soon()) } }
    await (await open(served.port, get)).rest()
    expect((await send(served.port, legacy(call('read'), session))).status).toBe(200)
  })

  it('the event stream of the old transport', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const get = { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream', ...(await soon()) } }
    expect(await (await open(served.port, get)).rest()).toHaveLength(1)
  })
})

it('handlers see who asks, never the token (sec-82)', async () => {
  served = await serveProtected({ issuer: issuer.url })
  const token = await issuer.sign()
  served.server.tool(
    'spy',
    tool({}, (_, ctx) => {
      const names = ['authorization', 'Authorization', 'dpop', 'cookie', 'mcp-method']
      return JSON.stringify([ctx.principal, names.map((name) => ctx.head?.header(name) ?? null)])
    }),
  )
  const answer = await callTool(served.port, 'spy', { ...bearer(token), cookie: 'a=b' })
  expect(answer.text).toContain('[null,null,null,null,\\"tools/call\\"]')
  expect(answer.text).not.toContain(token)
})

describe('hierarchy and roles', () => {
  it.each([
    ['admin', ['whoami', 'read', 'hidden', 'write']],
    ['write', ['whoami', 'read', 'write']],
    ['read', ['whoami', 'read', 'write']],
    ['none', ['whoami', 'write']],
  ])('%s implies what lies below it, cycles or not (sec-73)', async (scope, expected) => {
    const hierarchy = { admin: ['write'], write: ['read'], read: ['admin-less', 'read'] }
    served = await serveProtected({ issuer: issuer.url, hierarchy })
    expect(names(await send(served.port, modern('tools/list', {}, await scoped(scope))))).toEqual(expected)
    const used = await callTool(served.port, 'write', await scoped(scope))
    expect(used.status).toBe(scope === 'admin' || scope === 'write' ? 200 : 403)
  })

  it.each([
    ['a claim', 'roles', { roles: ['operator'] }, true],
    ['a nested claim', ['realm_access', 'roles'], { realm_access: { roles: ['operator'] } }, true],
    ['a role that is not known', 'roles', { roles: ['__proto__', 'constructor'] }, false],
    ['a claim that is no list', 'roles', { roles: { operator: true } }, false],
  ])('roles grant scopes by %s', async (_, claim, claims, sees) => {
    served = await serveProtected({ issuer: issuer.url, grants: defineRoles({ operator: ['admin'] }, { claim }) })
    const answer = await callTool(served.port, 'hidden', bearer(await issuer.sign(claims)))
    expect(answer.json?.error === undefined).toBe(sees)
  })
})

describe('one rule for a whole server', () => {
  it('hides and refuses whatever it does not let pass, mounted items included', async () => {
    const seen: string[] = []
    const inner = createServer({
      name: 'inner',
      version: '1',
      tools: { a: tool({ readOnly: true }, () => 'a'), b: tool({}, () => 'b') },
    })
    const outer = createServer({
      name: 'outer',
      version: '1',
      visible: (principal, item) => {
        seen.push(`${item.kind} ${item.name}`)
        return principal?.id === 'root' || item.attributes?.annotations !== undefined
      },
      tools: { c: tool({}, () => 'c') },
      resources: { d: resource({ uri: 'file:///d' }, () => 'd') },
    })
    outer.mount('in', inner)
    const http = await serveHttp(outer, {
      port: 0,
      authenticate: (head) => createPrincipal(head.header('x-user') ?? 'guest'),
    })
    expect(names(await send(http.port, modern('tools/list')))).toEqual(['in_a'])
    expect(names(await send(http.port, modern('tools/list', {}, { 'x-user': 'root' })))).toEqual(['c', 'in_a', 'in_b'])
    expect(names(await send(http.port, modern('resources/list')))).toEqual([])
    expect((await callTool(http.port, 'c')).json?.error.message).toBe('Unknown tool: c')
    expect(seen).toContain('resource file:///d')
    await http.close()
  })
})

describe('another principal’s ids answer exactly like unknown ones', () => {
  const unknownId = '0'.repeat(40)

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'sessions of %s, on POST, GET and DELETE (sec-35)',
    async (version) => {
      served = await serveProtected({ issuer: issuer.url })
      const alice = await scoped('read', 'alice')
      const bob = await scoped('read', 'bob')
      const session = await openSession(served.port, version, alice)
      const attempt = (method: string, id: string) =>
        send(served.port, {
          ...legacy(
            call('whoami'),
            { id, headers: { ...session.headers, 'mcp-session-id': id } },
            { ...bob, accept: 'application/json, text/event-stream' },
          ),
          method,
          ...(method !== 'POST' && { body: undefined }),
        })
      for (const method of ['POST', 'GET', 'DELETE']) {
        const [theirs, unknown] = [await attempt(method, session.id), await attempt(method, unknownId)]
        expect([theirs.status, theirs.text]).toEqual([unknown.status, unknown.text])
        expect(theirs.status).toBe(404)
      }
      expect((await send(served.port, legacy(call('whoami'), session, alice))).status).toBe(200)
    },
  )

  it('streams cannot be resumed by somebody else, whatever event id they know (sec-35)', async () => {
    const authenticate = (head: { header(name: string): string | undefined }) =>
      createPrincipal(head.header('x-user') ?? '')
    const fixture = await createFixture({ authenticate })
    const session = await openSession(fixture.port, '2025-11-25', { 'x-user': 'alice' })
    const stream = await open(fixture.port, legacy(call('steps', 1, PROGRESS), session))
    const first = await stream.next()
    stream.destroy()
    fixture.gate.open()
    const resume = (user: string, id: string) =>
      send(fixture.port, {
        method: 'GET',
        headers: {
          ...session.headers,
          'mcp-session-id': id,
          'x-user': user,
          accept: 'text/event-stream',
          'last-event-id': String(first?.id),
        },
      })
    const [theirs, unknown] = [await resume('bob', session.id), await resume('bob', unknownId)]
    expect([theirs.status, theirs.text]).toEqual([unknown.status, unknown.text])
    expect((await resume('alice', session.id)).text).toContain('steps result')
    await fixture.http.close()
  })

  it('request state is refused like altered state (sec-36, sec-37)', async () => {
    const authenticate = (head: { header(name: string): string | undefined }) =>
      createPrincipal(head.header('x-user') ?? '')
    const fixture = await createFixture({ authenticate })
    const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    const ask = (user: string, extra: object = {}) =>
      send(
        fixture.port,
        modern('tools/call', { name: 'ask', arguments: {}, _meta: meta, ...extra }, { 'x-user': user }),
      )
    const asked = JSON.parse((await ask('alice')).text).result
    const [key = ''] = Object.keys(asked.inputRequests)
    const answer = { inputResponses: { [key]: { action: 'accept', content: { name: 'x' } } } }
    const borrowed = await ask('bob', { ...answer, requestState: asked.requestState })
    const unknown = await ask('bob', { ...answer, requestState: `${asked.requestState.slice(0, -4)}AAAA` })
    expect(borrowed.json?.error).toBeDefined()
    expect([borrowed.status, borrowed.text]).toEqual([unknown.status, unknown.text])
    const own = await ask('alice', { ...answer, requestState: asked.requestState })
    expect(own.json?.result.content[0].text).toBe('{"name":"x"}')
    await fixture.http.close()
  })

  it('streams of the old transport take no posts from others (sec-35)', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const stream = await open(served.port, {
      method: 'GET',
      path: '/sse',
      headers: { accept: 'text/event-stream', ...(await scoped('read', 'alice')) },
    })
    const endpoint = (await stream.next())?.data ?? ''
    const bob = await scoped('read', 'bob')
    const post = async (path: string) =>
      send(served.port, { ...legacy(initialize('2024-11-05'), undefined, bob), path })
    const [theirs, unknown] = [await post(endpoint), await post(endpoint.replace(/[0-9a-f]{40}/, unknownId))]
    expect([theirs.status, theirs.text]).toEqual([unknown.status, unknown.text])
    expect(theirs.status).toBe(404)
    stream.destroy()
  })
})
