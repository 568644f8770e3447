/**
 * OAuth on both sides of the gateway, with authorization servers that others wrote: users sign in to it with tokens for
 * it, and through it to the servers behind, whose tokens it keeps for each of them.
 */

import assert from 'node:assert/strict'
import { createSignIn } from '@portico/host/gateway'
import type { Client, ConnectOptions, ProtocolVersion } from '@portico/sdk/client'
import { type Site, type SiteOptions, STATIC_CLIENT, startSite } from './gateway-site.ts'
import { createPerson, type Person } from './person.ts'
import type { Trial } from './trial.ts'

interface Case {
  readonly name: string
  readonly options?: SiteOptions
  run(site: Site): Promise<void>
}

const MINUTE = 60_000

const cases: readonly Case[] = [
  ...(['2026-07-28', '2025-11-25'] as const).map((version) => ({
    name: `gateway: two users, tokens of their own on both sides, none passed on, ${version} (sec-65, sec-82, sec-111)`,
    run: (site: Site) => keepTokensApart(site, version),
  })),
  {
    name: 'gateway: a token for another audience, or for a server behind, does not open it (sec-66, sec-91)',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      const behind = [...site.serverTokens]
      assert.ok(behind.length > 0)
      for (const token of [...behind, 'nonsense']) {
        const answer = await fetch(site.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
        assert.equal(answer.status, 401)
        assert.match(answer.headers.get('www-authenticate') ?? '', /resource_metadata=/)
      }
    },
  },
  {
    name: 'gateway: 50 calls at once over a token that has run out make one refresh',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      // Twenty minutes later, for everybody here: the servers' tokens last fifteen, the gateway's ten hours.
      await withClockAhead(20 * MINUTE, () => callManyTimes(ada))
      assert.equal(count(site, 'POST /token refresh_token'), 1)
    },
  },
  {
    name: 'gateway: 50 calls at once with a token that the server refuses make one refresh',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      for (const token of site.serverTokens) site.refused.add(token)
      await callManyTimes(ada)
      assert.equal(count(site, 'POST /token refresh_token'), 1)
    },
  },
  {
    name: "gateway: a server's tokens that were revoked are asked for again, from that user alone (sec-84)",
    async run(site) {
      const visited: string[] = []
      const ada = await site.connect('ada', asBrowser(site, 'ada', visited))
      const bob = await site.connect('bob', asBrowser(site, 'bob', visited))
      for (const client of [ada, bob]) await client.callTool('mail_sign_in')
      assert.equal(visited.length, 2)
      await revoke(site, 'ada')
      assert.equal(textOf(await ada.callTool('mail_whoami')), 'ada')
      assert.equal(textOf(await bob.callTool('mail_whoami')), 'bob')
      assert.equal(visited.length, 3)
    },
  },
  {
    name: 'gateway: consent first, then a state that is good once and for that user (sec-83, sec-87, sec-88, sec-90)',
    run: checkVisit,
  },
  {
    name: 'gateway: a sign-in is over after ten minutes, whatever was configured (sec-84, sec-90)',
    options: { signInMs: 60 * MINUTE },
    async run(site) {
      await withVisit(site, async ({ browser, start }) => {
        const page = await browser.open(start)
        const left = await browser.submit(page)
        const back = `${site.pages}/callback?${await browser.person.open(left.location, NEVER)}`
        await withClockAhead(11 * MINUTE, async () => {
          assert.equal((await browser.open(start)).status, 410)
          assert.equal((await browser.open(back)).status, 400)
        })
      })
      assert.equal(count(site, 'POST /token authorization_code'), 0)
    },
  },
  {
    name: 'gateway: one client id for all, and each program is asked about by name (sec-83, sec-86, sec-88)',
    options: { staticClient: true },
    run: askForEachClient,
  },
  {
    name: 'gateway: where the answer goes is not for anybody to choose (sec-79, sec-89)',
    options: { staticClient: true },
    run: keepRedirect,
  },
  {
    name: 'gateway: links alone are trusted only by a name that says so',
    async run() {
      assert.throws(() => createSignIn({ url: 'https://gateway.example/sign-in' }), /whoIs/)
    },
  },
]

async function keepTokensApart(site: Site, versions: ProtocolVersion): Promise<void> {
  const visited: string[] = []
  const ada = await site.connect('ada', { versions, ...asBrowser(site, 'ada', visited) })
  const bob = await site.connect('bob', { versions, ...asBrowser(site, 'bob', visited) })
  for (const [client, user] of [
    [ada, 'ada'],
    [bob, 'bob'],
  ] as const) {
    assert.deepEqual((await client.listTools()).map(({ name }) => name).sort(), ['files_sign_in', 'mail_sign_in'])
    assert.match(textOf(await client.callTool('mail_sign_in')), /signed in/)
    assert.equal(textOf(await client.callTool('mail_whoami')), user)
    assert.match(textOf(await client.callTool('files_sign_in')), /signed in/)
    assert.equal(textOf(await client.callTool('files_whoami')), user)
  }
  assert.equal(textOf(await ada.callTool('mail_whoami')), 'ada')
  assert.equal(new Set(visited).size, 4)
  // A token for each user and server behind, none of them a client's, and neither seen on the other side.
  assert.equal(site.serverTokens.size, 4)
  assert.ok(site.clientTokens.size >= 2)
  const behind = [...site.atServers, ...site.behind.seen]
  for (const token of site.clientTokens) assert.ok(!behind.some((text) => text.includes(token)))
  const secrets = [...site.serverTokens, ...[...site.kept.values()].flatMap(refreshTokens)]
  assert.ok(secrets.length > site.serverTokens.size)
  assert.ok(site.toClients.length > 0)
  for (const secret of secrets) {
    assert.ok(!site.toClients.some((text) => text.includes(secret)))
    assert.ok(!site.front.seen.some((text) => text.includes(secret)))
  }
}

async function checkVisit(site: Site): Promise<void> {
  await withVisit(
    site,
    async ({ browser, start }) => {
      const callback = `${site.pages}/callback`
      const page = await browser.open(start)
      assert.equal(page.status, 200)
      assert.deepEqual(page.cookies, [])
      for (const words of ['mail', 'read', callback, 'wants to use']) assert.ok(page.html.includes(words))
      assert.equal(page.headers.get('x-frame-options'), 'DENY')
      assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      // Another user, nobody, a form without its token, one from elsewhere, an answer before consent.
      assert.equal((await createBrowser('bob', site).open(start)).status, 403)
      assert.equal((await createBrowser('', site).open(start)).status, 403)
      assert.equal((await browser.submit(page, { csrf: 'guess' })).status, 403)
      assert.equal((await browser.submit(page, {}, 'https://evil.example')).status, 403)
      const early = new URLSearchParams({ state: site.signIn.visit(ticketOf(start))?.state ?? '', code: 'x' })
      assert.equal((await browser.open(`${callback}?${early}`)).status, 400)
      const left = await browser.submit(page)
      assert.equal(left.status, 303)
      assert.equal(left.location.origin, site.behind.issuer)
      const [cookie = ''] = left.cookies
      assert.match(cookie, /^__Host-[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
      assert.ok(Number(/Max-Age=(\d+)/.exec(cookie)?.[1]) <= 600)
      const state = left.location.searchParams.get('state') ?? ''
      assert.ok(state.length >= 32)
      const answer = await browser.person.open(left.location, NEVER)
      // Another state, a cookie that was altered, a browser without it, another user's.
      const other = new URLSearchParams({ ...Object.fromEntries(answer), state: `${state}x` })
      assert.equal((await browser.open(`${callback}?${other}`)).status, 400)
      assert.equal((await browser.altered().open(`${callback}?${answer}`)).status, 400)
      assert.equal((await createBrowser('ada', site).open(`${callback}?${answer}`)).status, 400)
      assert.notEqual((await browser.as('bob').open(`${callback}?${answer}`)).status, 200)
      assert.equal((await browser.open(`${callback}?${answer}`)).status, 200)
      assert.equal((await browser.open(`${callback}?${answer}`)).status, 400)
    },
    true,
  )
  assert.equal(count(site, 'POST /token authorization_code'), 1)
}

/** The browser that agreed for one program comes for another: the person at the authorization server is not asked again. */
async function askForEachClient(site: Site): Promise<void> {
  const browser = createBrowser('ada', site)
  const links = new Set<string>()
  const shown: string[] = []
  const program = async (): Promise<Client> => {
    const url = async ({ url: start }: { url: string }) => {
      if (!links.has(start)) shown.push(await visit(browser, start, site.pages))
      links.add(start)
      return { action: 'accept' as const }
    }
    return site.connect('ada', { elicitation: { url } })
  }
  const first = await program()
  assert.match(textOf(await first.callTool('mail_sign_in')), /signed in/)
  const asked = browser.person.shown.length
  const second = await program()
  // What the user allowed the first is no answer for the second, at the same server and in the same browser.
  const names = async (client: Client) => (await client.listTools()).map(({ name }) => name)
  assert.ok((await names(second)).includes('mail_sign_in'))
  await assert.rejects(second.callTool('mail_whoami'))
  assert.match(textOf(await second.callTool('mail_sign_in')), /signed in/)
  assert.equal(textOf(await second.callTool('mail_whoami')), 'ada')
  assert.ok(!(await names(first)).includes('mail_sign_in'))
  assert.equal(shown.length, 2)
  const clients = shown.map((html) => /<strong>([^<]+)<\/strong> wants to use/.exec(html)?.[1])
  assert.equal(new Set(clients).size, 2)
  for (const client of clients) assert.notEqual(client, STATIC_CLIENT)
  // They are who the gateway's own authorization server registered.
  for (const client of clients) assert.ok(site.front.seen.some((text) => text.includes(`"client_id":"${client}"`)))
  assert.equal(count(site, 'POST /reg'), 0)
  assert.ok(browser.person.shown.length >= asked)
}

async function keepRedirect(site: Site): Promise<void> {
  await withVisit(site, async ({ browser, start }) => {
    const evil = encodeURIComponent('https://evil.example/callback')
    const page = await browser.open(`${start}&redirect_uri=${evil}&client_id=evil`)
    const left = await browser.submit(page, { redirect_uri: 'https://evil.example/callback' })
    assert.equal(left.location.searchParams.get('redirect_uri'), `${site.pages}/callback`)
    assert.equal(left.location.searchParams.get('client_id'), STATIC_CLIENT)
    for (const variant of ['/', '/../callback', '?x=1', '#x', '%2f']) {
      const altered = new URL(left.location)
      altered.searchParams.set('redirect_uri', `${site.pages}/callback${variant}`)
      const answer = await fetch(altered, { redirect: 'manual' })
      assert.equal(answer.status, 400, variant)
    }
  })
}

interface Visiting {
  readonly browser: Browser
  /** The link that the caller was shown. */
  readonly start: string
}

/** A call that wants a sign-in, and what is done with the link that it shows; whether the call then succeeds. */
async function withVisit(site: Site, check: (visiting: Visiting) => Promise<void>, finishes = false): Promise<void> {
  const browser = createBrowser('ada', site)
  let show = (_checked: Promise<void>): void => {}
  const checked = new Promise<void>((resolve) => {
    show = resolve
  })
  const url = async ({ url: start }: { url: string }) => {
    show(check({ browser, start }))
    show = () => {}
    await checked
    return { action: 'accept' as const }
  }
  const ada = await site.connect('ada', { elicitation: { url } })
  const ending = new AbortController()
  const call = ada.callTool('mail_sign_in', {}, { signal: ending.signal })
  await Promise.race([checked, call.then((result) => assert.match(textOf(result), /signed in/))])
  await checked
  if (!finishes) ending.abort()
  const end = await call.then(textOf, () => 'cancelled')
  assert.match(end, finishes ? /signed in/ : /cancelled/)
}

interface Page {
  readonly status: number
  readonly url: string
  readonly html: string
  readonly headers: Headers
  readonly cookies: readonly string[]
  /** Where it sends the browser. */
  readonly location: URL
}

/** A person's browser at the gateway's pages; at authorization servers it is the person of the other cases. */
interface Browser {
  readonly person: Person
  open(url: string): Promise<Page>
  submit(page: Page, fields?: { readonly [name: string]: string }, origin?: string): Promise<Page>
  /** The same cookies in the hands of another user of the gateway. */
  as(user: string): Browser
  /** The same with cookies that somebody has changed. */
  altered(): Browser
}

function createBrowser(
  user: string,
  site: Site,
  cookies = new Map<string, string>(),
  person = createPerson(user),
): Browser {
  const send = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).concat(`gateway-user=${user}`)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: cookie.join('; ') },
    })
    const set = response.headers.getSetCookie()
    for (const line of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = new URL(response.headers.get('location') ?? '', site.pages)
    const { status, headers } = response
    return { status, url, headers, cookies: set, location, html: await response.text() }
  }
  return {
    person,
    open: (url) => send(url),
    submit(page, fields = {}, origin = new URL(page.url).origin) {
      const hidden = [...page.html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
      return send(page.url, { method: 'POST', headers: { origin }, body })
    },
    as: (other) => createBrowser(other, site, new Map(cookies), person),
    altered() {
      const flip = (value: string) => `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`
      return createBrowser(user, site, new Map([...cookies].map(([name, value]) => [name, flip(value)])), person)
    },
  }
}

/** From the gateway's page to the servers' authorization server and back; returns what the page said. */
async function visit(browser: Browser, start: string, pages: string): Promise<string> {
  const page = await browser.open(start)
  const left = await browser.submit(page)
  const answer = await browser.person.open(left.location, NEVER)
  assert.equal((await browser.open(`${pages}/callback?${answer}`)).status, 200)
  return page.html
}

/** A client whose user opens the links that the gateway shows, once each. */
function asBrowser(site: Site, user: string, visited: string[] = []): ConnectOptions {
  const browser = createBrowser(user, site)
  return {
    elicitation: {
      url: async ({ url }) => {
        if (!visited.includes(url)) {
          visited.push(url)
          await visit(browser, url, site.pages)
        }
        return { action: 'accept' }
      },
    },
  }
}

const NEVER = new AbortController().signal

async function callManyTimes(client: Client): Promise<void> {
  const results = await Promise.all(Array.from({ length: 50 }, () => client.callTool('mail_whoami')))
  assert.deepEqual(new Set(results.map(textOf)), new Set(['ada']))
}

/** Takes a user's tokens away at the authorization server, and makes the servers refuse what is left of them. */
async function revoke(site: Site, user: string): Promise<void> {
  for (const token of site.serverTokens) {
    const { sub, client_id: client } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    if (sub !== user) continue
    site.refused.add(token)
    const held = [...site.kept.values()].filter((value) => value.includes(token)).flatMap(refreshTokens)
    assert.ok(held.length > 0)
    for (const refresh of held) {
      const body = new URLSearchParams({ token: refresh, client_id: client })
      const answer = await fetch(`${site.behind.issuer}/token/revocation`, { method: 'POST', body })
      assert.equal(answer.status, 200)
    }
  }
}

function refreshTokens(value: string): string[] {
  return [...value.matchAll(/"refreshToken":"([^"]+)"/g)].map(([, token]) => String(token))
}

function ticketOf(start: string): string {
  return new URL(start).searchParams.get('ticket') ?? ''
}

function count(site: Site, what: string): number {
  return site.behind.asked.filter((line) => line === what).length
}

function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? block.type).join()
}

/** Runs `work` as if it were later, for everything in this process that looks at the clock. */
async function withClockAhead<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const real = Date
  class Ahead extends real {
    constructor(...given: unknown[]) {
      // Whatever the constructor was given, it is given; without anything, now is later.
      super(...((given.length === 0 ? [Ahead.now()] : given) as [number]))
    }
    static override now(): number {
      return real.now() + ms
    }
  }
  globalThis.Date = Ahead as DateConstructor
  try {
    return await work()
  } finally {
    globalThis.Date = real
  }
}

export const gatewayTrials: readonly Trial[] = cases.map(({ name, options, run }) => ({
  name,
  async run() {
    const site = await startSite(options)
    try {
      await run(site)
    } finally {
      await site.stop()
    }
  },
}))
