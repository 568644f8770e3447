/** OAuth on both sides of the gateway, with real authorization servers: users sign in to it, and through it to a server. */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { authorizationCode } from '@portico/sdk/auth'
import { requireBearer } from '@portico/sdk/bearer'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, expect, test, vi } from 'vitest'
import { createAuthorizationServer } from '../src/authorization-server/server.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createSignIn } from '../src/gateway/sign-in/sign-in.ts'
import { createSignInPages, toSignInListener } from '../src/gateway/sign-in/sign-in-pages.ts'
import { createCatalogue } from '../src/upstream/catalogue/catalogue.ts'
import { createUpstreams } from '../src/upstream/upstreams.ts'
import { Browser, type Page } from './browser.ts'
import { configOf } from './gateway-lab.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).reverse()) await close()
})

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  await once(socket, 'close')
  return port
}

const USERS = { ada: 'ada-secret', bob: 'bob-secret' }
type User = keyof typeof USERS

async function openIssuer(resource: string) {
  const issuer = `http://127.0.0.1:${await freePort()}`
  const server = createAuthorizationServer({
    issuer,
    resources: [resource],
    scopes: ['use'],
    users: USERS,
  })
  const seen = { tokenRequests: 0, refreshes: true }
  const node = createHttpServer((req, res) => {
    if (req.url?.startsWith('/token')) seen.tokenRequests++
    if (req.url?.startsWith('/token') && !seen.refreshes) {
      // Once: the sign-in that follows gets its tokens here too.
      seen.refreshes = true
      res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
      return
    }
    server.handler(req, res)
  })
  node.listen(Number(new URL(issuer).port), '127.0.0.1')
  await once(node, 'listening')
  closers.push(async () => {
    node.close()
    node.closeAllConnections()
  })
  return { issuer, seen }
}

/** A person at an authorization server: signs in and allows. Returns where the browser was sent. */
async function passIssuer(browser: Browser, url: string, user: User): Promise<string> {
  let page: Page = await browser.open(url)
  if (page.html.includes('Sign in'))
    page = await browser.submit(page, { name: user, password: USERS[user], decision: 'login' })
  if (page.html.includes('Allow access?')) page = await browser.submit(page, { decision: 'allow' })
  return page.url
}

async function createSite(options: { readonly signInMs?: number; readonly whoIs?: (request: Request) => string } = {}) {
  const upstreamPort = await freePort()
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}/mcp`
  const up = await openIssuer(upstreamUrl)
  const tokens = new Set<string>()
  /** Tokens that were taken back. */
  const revoked = new Set<string>()
  const behind = requireBearer({ issuer: up.issuer, resource: upstreamUrl })
  const upstream = await serveHttp(
    createServer({
      name: 'behind',
      version: '1',
      tools: { whoami: tool({}, (_args, ctx) => String(ctx.principal?.claims?.sub)) },
    }),
    {
      port: upstreamPort,
      graceMs: 0,
      auth: {
        ...behind,
        authenticate: (head) => {
          const token = head.header('authorization') ?? 'none'
          tokens.add(token)
          if (!revoked.has(token)) return behind.authenticate(head)
          return { status: 401, message: 'revoked', headers: ['www-authenticate', 'Bearer error="invalid_token"'] }
        },
      },
    },
  )
  closers.push(() => upstream.close())
  const pagesPort = await freePort()
  const origin = `http://127.0.0.1:${pagesPort}`
  // The gateway's own web session, which is the embedding program's: here, a cookie that names the user.
  const whoIs = (request: Request) => /gateway-user=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  const signIn = createSignIn({
    url: `${origin}/sign-in`,
    scopes: () => ['use', 'offline_access'],
    ...(options.signInMs !== undefined && { signInMs: options.signInMs }),
    whoIs: options.whoIs ?? ((request) => ids.get(whoIs(request) ?? '')),
  })
  const pages = createHttpServer(toSignInListener(createSignInPages(signIn), origin))
  pages.listen(pagesPort, '127.0.0.1')
  await once(pages, 'listening')
  closers.push(async () => void pages.close())

  const gatewayPort = await freePort()
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}/mcp`
  const front = await openIssuer(gatewayUrl)
  const upstreams = createUpstreams({
    watchdog: false,
    resolve: async ({ name }, { principal }) => ({
      target: upstreamUrl,
      options: principal === undefined ? {} : signIn.connectOptions(name, principal),
    }),
  })
  const catalogue = createCatalogue(upstreams)
  await upstreams.set([configOf('behind', { lazy: true })])
  const gateway = createGateway(
    { upstreams, catalogue },
    { onError: () => {}, signIn, personal: () => true, ownNames: true, visits: { visitMs: 3_000 } },
  )
  /** Principal ids by the names that people sign in with. */
  const ids = new Map<string, string>()
  const frontTokens = new Set<string>()
  const bearer = requireBearer({ issuer: front.issuer, resource: gatewayUrl })
  const http = await serveGateway(gateway, {
    port: gatewayPort,
    graceMs: 0,
    auth: {
      ...bearer,
      authenticate: async (head) => {
        frontTokens.add(head.header('authorization') ?? 'none')
        const found = await bearer.authenticate(head)
        if (found !== undefined && 'id' in found) ids.set(String(found.claims?.sub), found.id)
        return found
      },
    },
  })
  closers.push(
    () => upstreams.close(),
    async () => catalogue.close(),
    () => http.close(),
  )
  return { up, tokens, revoked, frontTokens, signIn, gateway, url: http.url, origin }
}

type Site = Awaited<ReturnType<typeof createSite>>

/** A client whose user signs in to the gateway, and opens what the gateway shows. */
async function connectAs(site: Site, user: User, visited: string[], options: ConnectOptions = {}): Promise<Client> {
  const frontBrowser = new Browser()
  const redirect = 'http://127.0.0.1:7777/callback'
  const userAgent = {
    redirectUri: () => redirect,
    open: async (page: URL) => new URL(await passIssuer(frontBrowser, page.href, user)).searchParams,
  }
  const client = await connect(site.url, {
    auth: { grant: authorizationCode({ userAgent }), scopes: ['use'] },
    timeouts: { callMs: 60_000 },
    elicitation: {
      url: async ({ url }) => {
        visited.push(url)
        await visit(user, url)
        return { action: 'accept' }
      },
    },
    ...options,
  })
  closers.push(() => client.close())
  return client
}

/** Goes through the gateway's page, the server's authorization server, and back. */
async function visit(user: User, url: string): Promise<Page> {
  const browser = new Browser()
  const session = { headers: { cookie: `gateway-user=${user}` } }
  const page = await openWith(browser, url, session)
  // Whoever has agreed before, for the same program and server, is sent on at once.
  const known = page.headers.get('location')
  if (known === null) expect(page.html).toContain('behind')
  const back = await passIssuer(browser, known ?? (await submitWith(browser, page, user)).url, user)
  return openWith(browser, back, session)
}

/** The browser's own cookies, with that of the gateway's web session beside them. */
async function openWith(browser: Browser, url: string, init: { headers: { cookie: string } }): Promise<Page> {
  const stored = browser.received.filter((line) => line.startsWith('__Host-')).map((line) => line.split(';')[0])
  const cookie = [init.headers.cookie, ...stored].join('; ')
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
  browser.received.push(...response.headers.getSetCookie())
  return { status: response.status, url, headers: response.headers, html: await response.text() }
}

async function submitWith(
  browser: Browser,
  page: Page,
  user: User,
  fields: { [name: string]: string } = {},
): Promise<Page> {
  const hidden = [...page.html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
  const response = await fetch(page.url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: `gateway-user=${user}`,
      origin: new URL(page.url).origin,
    },
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
  })
  browser.received.push(...response.headers.getSetCookie())
  return {
    status: response.status,
    url: response.headers.get('location') ?? '',
    headers: response.headers,
    html: await response.text(),
  }
}

const textOf = (result: { content: readonly { type: string }[] }) =>
  (result.content[0] as unknown as { text: string }).text

test.each(['2026-07-28', '2025-11-25'] as const)(
  'sec-65, sec-82, sec-111: each user has tokens of their own at the server, and none is passed through (%s)',
  async (versions) => {
    const site = await createSite()
    const visited: string[] = []
    const ada = await connectAs(site, 'ada', visited, { versions })
    const bob = await connectAs(site, 'bob', visited, { versions })
    expect(textOf(await ada.callTool('behind_sign_in'))).toContain('signed in')
    expect(textOf(await ada.callTool('whoami'))).toBe('ada')
    expect(textOf(await bob.callTool('behind_sign_in'))).toContain('signed in')
    expect(textOf(await bob.callTool('whoami'))).toBe('bob')
    expect(textOf(await ada.callTool('whoami'))).toBe('ada')
    expect((await ada.listTools()).map(({ name }) => name)).toEqual(['whoami'])
    expect(new Set(visited).size).toBe(2)
    const front = [...site.frontTokens].filter((token) => token !== 'none')
    expect(front.length).toBeGreaterThanOrEqual(2)
    expect([...site.tokens].filter((token) => front.includes(token))).toEqual([])
  },
)

test('50 calls at once over an expired token make one refresh', async () => {
  const site = await createSite()
  const ada = await connectAs(site, 'ada', [])
  await ada.callTool('behind_sign_in')
  expect(textOf(await ada.callTool('whoami'))).toBe('ada')
  const before = site.up.seen.tokenRequests
  // Twenty minutes later, for everybody in this process: tokens last fifteen.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * 60_000 })
  const results = await Promise.all(Array.from({ length: 50 }, () => ada.callTool('whoami')))
  expect(results.map(textOf)).toEqual(Array.from({ length: 50 }, () => 'ada'))
  expect(site.up.seen.tokenRequests - before).toBe(1)
})

test('a list waits for nobody to sign in, and shows the tool for it', async () => {
  const site = await createSite()
  const ada = await connectAs(site, 'ada', [])
  expect((await ada.listTools()).map(({ name }) => name)).toEqual(['behind_sign_in'])
})

test('sec-84: a call whose tokens were taken back asks for a new sign-in, and goes on', async () => {
  const site = await createSite()
  const visited: string[] = []
  const ada = await connectAs(site, 'ada', visited)
  await ada.callTool('behind_sign_in')
  for (const token of site.tokens) site.revoked.add(token)
  site.up.seen.refreshes = false
  expect(await site.signIn.consents.list()).toHaveLength(1)
  expect(textOf(await ada.callTool('whoami'))).toBe('ada')
  expect(visited.length).toBe(2)
})

test('sec-83, sec-86: what a user allowed one program is no answer for another', async () => {
  const site = await createSite()
  const visited: string[] = []
  const first = await connectAs(site, 'ada', visited)
  const second = await connectAs(site, 'ada', visited)
  await first.callTool('behind_sign_in')
  expect((await second.listTools()).map(({ name }) => name)).toEqual(['behind_sign_in'])
  await expect(second.callTool('whoami')).rejects.toThrow('Unknown tool')
  expect(textOf(await second.callTool('behind_sign_in'))).toContain('signed in')
  expect(textOf(await second.callTool('whoami'))).toBe('ada')
  expect(textOf(await first.callTool('whoami'))).toBe('ada')
  expect(visited.length).toBe(2)
})

test('a client that cannot show a URL is told where to sign in, and which permissions it is for (newcomer 12)', async () => {
  const site = await createSite()
  const ada = await connectAs(site, 'ada', [], { elicitation: {} })
  const result = await ada.callTool('behind_sign_in')
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain(`${site.origin}/sign-in/start?ticket=`)
  expect(textOf(result)).toMatch(/wants you to sign in and to allow [\w, ]+: open http/)
})

test('sec-83, sec-86, sec-87, sec-88, sec-90: consent comes first, by a form of the page, and its answer is taken once', async () => {
  const site = await createSite()
  const pages: string[] = []
  const ada = await connectAs(site, 'ada', [], {
    elicitation: {
      url: async ({ url }) => {
        pages.push(url)
        await checks(url)
        return { action: 'accept' }
      },
    },
  })
  const checks = async (url: string): Promise<void> => {
    if (pages.length > 1) return
    const browser = new Browser()
    const session = { headers: { cookie: 'gateway-user=ada' } }
    const page = await openWith(browser, url, session)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.getSetCookie()).toEqual([])
    // Who wants what, and where it leads; nothing is forwarded yet, also for a browser that was here before.
    expect([page.status, page.headers.get('location')]).toEqual([200, null])
    for (const words of ['wants to use', 'use offline_access', `${site.origin}/sign-in/callback`])
      expect(page.html).toContain(words)
    expect((await openWith(browser, url, session)).status).toBe(200)
    // Another user's browser, a form without its token, an answer before consent.
    expect((await openWith(browser, url, { headers: { cookie: 'gateway-user=bob' } })).status).toBe(403)
    expect((await submitWith(browser, page, 'ada', { csrf: 'guess' })).status).toBe(403)
    expect((await openWith(browser, `${site.origin}/sign-in/callback?state=x&code=y`, session)).status).toBe(400)
    const left = await submitWith(browser, page, 'ada')
    expect(left.status).toBe(303)
    expect(left.headers.getSetCookie()[0]).toMatch(
      /^__Host-[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    )
    const back = await passIssuer(browser, left.url, 'ada')
    const altered = back.replace(/state=[^&]+/, 'state=other')
    expect((await openWith(browser, altered, session)).status).toBe(400)
    expect((await openWith(browser, back, session)).status).toBe(200)
    expect((await openWith(browser, back, session)).status).toBe(400)
  }
  expect(textOf(await ada.callTool('behind_sign_in'))).toContain('signed in')
  expect(pages.length).toBeGreaterThan(0)
})

test('sec-84: a sign-in that nobody finishes in time is over, for the call and for the page', async () => {
  const site = await createSite({ signInMs: 2_000 })
  const pages: string[] = []
  const ada = await connectAs(site, 'ada', [], {
    elicitation: {
      url: ({ url }) => {
        pages.push(url)
        return { action: 'accept' }
      },
    },
  })
  const result = await ada.callTool('behind_sign_in')
  expect(result.isError).toBe(true)
  expect(pages.length).toBeGreaterThan(0)
  const late = await openWith(new Browser(), String(pages[0]), { headers: { cookie: 'gateway-user=ada' } })
  expect(late.status).toBe(410)
})
