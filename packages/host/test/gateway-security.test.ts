/** What the security requirements ask of a proxy, row by row, at a gateway on a port with real tokens. */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { requireBearer } from '@portico/sdk/bearer'
import { connect } from '@portico/sdk/client'
import { createPrincipal, createServer, type Server, tool } from '@portico/sdk/server'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createSignIn } from '../src/gateway/sign-in/sign-in.ts'
import { createCatalogue } from '../src/upstream/catalogue/catalogue.ts'
import { createUpstreams } from '../src/upstream/upstreams.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const ISSUER = 'https://id.example'
const MODERN = '2026-07-28'
const keys = await generateKeyPair('ES256')
const foreign = await generateKeyPair('ES256')
const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256', kid: 'k' }] }

interface Site {
  readonly url: string
  readonly gateway: Gateway
  /** Calls that reached a server. */
  readonly reached: string[]
  token(claims?: JWTPayload, options?: { readonly key?: typeof keys.privateKey }): Promise<string>
}

/** Two servers that call themselves the same and have a tool of the same name, behind a gateway that wants tokens. */
async function createSite(): Promise<Site> {
  const reached: string[] = []
  const searching = (own: string): Server =>
    createServer({
      name: 'the-search-server',
      version: '1',
      tools: {
        search: tool({}, () => {
          reached.push(own)
          return own
        }),
      },
    })
  const servers = new Map(['one', 'two'].map((name) => [name, searching(name)]))
  const upstreams = createUpstreams({
    watchdog: false,
    resolve: async ({ name }) => ({ target: servers.get(name) as Server, options: {} }),
  })
  const catalogue = createCatalogue(upstreams)
  await upstreams.set(
    [...servers.keys()].map((name) => defineServer(name, { kind: 'in-process', module: name, options: {} })),
  )
  await catalogue.list()
  const gateway = createGateway({ upstreams, catalogue }, { onError: () => {} })
  const port = await freePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const auth = requireBearer({
    issuer: ISSUER,
    resource,
    scopes: ['use', 'relay'],
    hierarchy: { admin: ['use', 'relay'] },
    fetch: async (input) =>
      Response.json(
        String(input).includes('well-known')
          ? { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, authorization_endpoint: ISSUER, token_endpoint: ISSUER }
          : jwks,
      ),
  })
  const http = await serveGateway(gateway, { port, graceMs: 0, auth })
  closers.push(
    () => upstreams.close(),
    async () => catalogue.close(),
    () => http.close(),
  )
  return {
    url: http.url,
    gateway,
    reached,
    token: (claims = {}, { key = keys.privateKey } = {}) =>
      new SignJWT({ ...claimsFor(resource), ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(key),
  }
}

function claimsFor(resource: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return { iss: ISSUER, sub: 'ada', aud: resource, scope: 'use relay', client_id: 'c', iat: now, exp: now + 600 }
}

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  await once(socket, 'close')
  return port
}

interface Asked {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly name?: string
}

/** A call of the newest revision as it is on the wire. */
function ask(
  { url }: Site,
  token: string | undefined,
  { method = 'POST', headers = {}, name = 'one_search' }: Asked = {},
) {
  const params = {
    name,
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  return fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) }),
  })
}

describe('tokens', () => {
  const now = Math.floor(Date.now() / 1000)
  const claims: readonly (readonly [string, JWTPayload])[] = [
    ['for another audience', { aud: 'https://other.example/mcp' }],
    ['for a path beneath', { aud: 'http://127.0.0.1/mcp/more' }],
    ['for no audience', { aud: undefined }],
    ['that has expired', { exp: now - 60 }],
    ['that is not valid yet', { nbf: now + 600 }],
    ['of another issuer', { iss: 'https://id.example.evil' }],
  ]

  test.each(claims)(
    'sec-49, sec-51, sec-66, sec-91: a token %s is answered 401 and reaches nothing',
    async (_, wrong) => {
      const site = await createSite()
      const answer = await ask(site, await site.token(wrong))
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token".*resource_metadata="http/)
      expect(site.reached).toEqual([])
    },
  )

  test('sec-49, sec-51, sec-66: no token, one that nobody signed, and one that another signed', async () => {
    const site = await createSite()
    const { origin } = new URL(site.url)
    const unsigned = new UnsecuredJWT(claimsFor(site.url)).encode()
    const other = await site.token({}, { key: foreign.privateKey })
    for (const token of [undefined, 'nonsense', unsigned, other]) {
      const answer = await ask(site, token)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain(
        `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      )
    }
    expect(site.reached).toEqual([])
    expect((await ask(site, await site.token())).status).toBe(200)
    expect(site.reached).toEqual(['one'])
  })

  test('sec-50: the gateway says at both places whose tokens it takes', async () => {
    const site = await createSite()
    const { origin } = new URL(site.url)
    for (const place of ['', '/mcp']) {
      const found = await fetch(`${origin}/.well-known/oauth-protected-resource${place}`)
      expect(await found.json()).toMatchObject({ resource: site.url, authorization_servers: [ISSUER] })
    }
  })

  test('sec-67, sec-68, sec-71: too few scopes are answered 403 with all that are needed, once', async () => {
    const site = await createSite()
    for (const scope of ['', 'other', 'use', 'relay']) {
      const answer = await ask(site, await site.token({ scope }))
      expect(answer.status).toBe(403)
      const challenge = answer.headers.get('www-authenticate') ?? ''
      expect(challenge).toMatch(/error="insufficient_scope"/)
      expect(challenge).toMatch(/resource_metadata="/)
      const asked = /scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? []
      expect(asked).toEqual(expect.arrayContaining(['use', 'relay']))
    }
    expect(site.reached).toEqual([])
  })

  test('sec-73: a broader scope is as good as those that it holds', async () => {
    const site = await createSite()
    expect((await ask(site, await site.token({ scope: 'admin' }))).status).toBe(200)
  })

  test('sec-67: a token beside the header is no token', async () => {
    const site = await createSite()
    const token = await site.token()
    const inQuery = await fetch(`${site.url}?access_token=${token}`, { method: 'POST' })
    expect([400, 401]).toContain(inQuery.status)
    expect((await ask(site, undefined, { headers: { authorization: `Basic ${token}` } })).status).toBe(401)
    expect(site.reached).toEqual([])
  })
})

test.each(['POST', 'GET', 'DELETE', 'OPTIONS'])(
  'sec-1, sec-2: foreign origins are refused with 403 on %s',
  async (method) => {
    const site = await createSite()
    const token = await site.token()
    const port = Number(new URL(site.url).port)
    const origins = [
      'http://evil.example',
      'null',
      'http://localhost.evil.com',
      'http://127.0.0.1.evil',
      `http://127.0.0.1:${port + 1}`,
    ]
    for (const origin of origins) {
      const answer = await ask(site, token, { method, headers: { origin } })
      expect([origin, answer.status]).toEqual([origin, 403])
      await answer.text()
    }
    expect(site.reached).toEqual([])
  },
)

test('sec-19: an encoded header is decoded before it is compared, and one that cannot be is refused', async () => {
  const site = await createSite()
  const token = await site.token()
  const encoded = Buffer.from('one_search').toString('base64')
  for (const [value, status] of [
    [`=?base64?${encoded}?=`, 200],
    [`=?base64?${Buffer.from('two_search').toString('base64')}?=`, 400],
    [`=?base64?${encoded.replace(/=+$/, '')}?=`, 400],
    ['=?base64?*?=', 400],
    [`=?BASE64?${encoded}?=`, 400],
  ] as const) {
    const answer = await ask(site, token, { headers: { 'mcp-name': value } })
    expect([value, answer.status]).toEqual([value, status])
  }
  expect(site.reached).toEqual(['one'])
})

test('sec-29: session ids are random, long and never the same', async () => {
  const site = await createSite()
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${await site.token()}`,
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const ids: string[] = []
  for (let round = 0; round < 30; round++) {
    const answer = await fetch(site.url, { method: 'POST', headers, body })
    ids.push(answer.headers.get('mcp-session-id') ?? '')
    await answer.text()
  }
  expect(new Set(ids).size).toBe(30)
  for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{22,}$/)
  // At every place, ids differ: nothing counts up and nothing is fixed, but for the marks of a UUID.
  const fixed = [...(ids[0] ?? '')].filter((char, at) => ids.every((id) => id[at] === char)).length
  expect((ids[0]?.length ?? 0) - fixed).toBeGreaterThanOrEqual(21)
})

test('sec-130, sec-141: servers of one name with tools of one name are told apart by the configuration', async () => {
  const site = await createSite()
  const client = await connect(site.url, { headers: { authorization: `Bearer ${await site.token()}` } })
  closers.push(() => client.close())
  expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(['one_search', 'two_search'])
  for (const own of ['two', 'one']) {
    expect((await client.callTool(`${own}_search`)).content).toEqual([{ type: 'text', text: own }])
  }
  expect(site.reached).toEqual(['two', 'one'])
})

test.each([
  ['a cloud’s own metadata', 'http://169.254.169.254/latest'],
  ['a private network', 'http://10.0.0.1/prm'],
  ['the same in another spelling', 'http://0xa9fea9fe/latest'],
  ['a file', 'file:///etc/passwd'],
])('sec-92: a server behind cannot send the gateway to %s', async (_, metadata) => {
  const hostile = createHttpServer((_req, res) => {
    res.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
  })
  hostile.listen(0, '127.0.0.1')
  await once(hostile, 'listening')
  closers.push(async () => {
    hostile.closeAllConnections()
    hostile.close()
  })
  const asked: string[] = []
  const signIn = createSignIn({ url: 'https://gateway.example/sign-in', whoIs: () => 'ada' })
  const options = signIn.connectOptions('hostile', createPrincipal('ada'))
  const target = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/mcp`
  const watching: typeof fetch = (input, init) => {
    asked.push(String(input instanceof Request ? input.url : input))
    return fetch(input, init)
  }
  const auth = { ...(options.auth as object), fetch: watching }
  await expect(connect(target, { ...options, auth } as never)).rejects.toThrow()
  expect(asked.filter((url) => !url.startsWith('http://127.0.0.1'))).toEqual([])
})
