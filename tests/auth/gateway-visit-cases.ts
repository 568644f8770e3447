/** The gateway's own pages around a sign-in: consent, state, cookies, whose browser it is and where it is sent. */

import assert from 'node:assert/strict'
import { createSignIn } from '@portico/host/gateway'
import type { Client } from '@portico/sdk/client'
import { count, createBrowser, NEVER, textOf, ticketOf, visit, withClockAhead, withVisit } from './gateway-browser.ts'
import { type Site, type SiteOptions, STATIC_CLIENT } from './gateway-site.ts'

export interface GatewayCase {
  readonly name: string
  readonly options?: SiteOptions
  run(site: Site): Promise<void>
}

const MINUTE = 60_000

export const visitCases: readonly GatewayCase[] = [
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
