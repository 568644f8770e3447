/** `portico serve` with a server that each user signs in to: a real process, real authorization servers, plain browsers. */

import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { authorizationCode, createMemoryTokenStore, type TokenStore } from '@portico/sdk/auth'
import { requireBearer } from '@portico/sdk/bearer'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { createFolder, type Running, startCli } from './cli.ts'
import { Visitor } from './visitor.ts'

const USERS = { ada: 'ada-secret', bob: 'bob-secret' }
type User = keyof typeof USERS
const BACK = 'http://127.0.0.1:7777/callback'
const TOKENS = { ADA_TOKEN: 'the-token-of-ada-0123', BOB_TOKEN: 'the-token-of-bob-0123' }

let folder: Awaited<ReturnType<typeof createFolder>>
const closers: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  folder = await createFolder()
  closers.push(() => folder.close())
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function openIssuer(resource: string, callback?: string): Promise<string> {
  const issuer = `http://127.0.0.1:${await freePort()}`
  const client = {
    client_id: 'the-gateway',
    redirect_uris: [callback],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const clients = callback === undefined ? {} : { clients: [client as never] }
  const server = createAuthorizationServer({ issuer, resources: [resource], scopes: ['use'], users: USERS, ...clients })
  const listening = await server.listen()
  closers.push(() => listening.close())
  return issuer
}

/** A mailbox whose issuer knows the gateway, an issuer for the gateway, and the file that puts them together. */
async function prepare(gateway: (issuer: string, url: string) => object) {
  const [port, mailPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}/mcp`
  const mailUrl = `http://127.0.0.1:${mailPort}/mcp`
  const mailIssuer = await openIssuer(mailUrl, `http://127.0.0.1:${port}/sign-in/callback`)
  const mail = await serveHttp(
    createServer({
      name: 'mail',
      version: '1',
      tools: { whoami: tool({}, (_args, ctx) => String(ctx.principal?.claims?.sub)) },
    }),
    { port: mailPort, graceMs: 0, auth: requireBearer({ issuer: mailIssuer, resource: mailUrl }) },
  )
  closers.push(() => mail.close())
  const issuer = await openIssuer(url)
  const auth = { perUser: true, clientId: 'the-gateway', scopes: ['use'] }
  const config = { servers: { mail: { url: mailUrl, auth } }, gateway: { port, ...gateway(issuer, url) } }
  await writeFile(join(folder.path, 'gateway.json'), JSON.stringify(config))
  return { url, pages: `http://127.0.0.1:${port}/sign-in` }
}

async function serve(url: string): Promise<Running> {
  const running = startCli(['serve', 'gateway.json'], { cwd: folder.path, env: { ...folder.env, ...TOKENS } })
  closers.push(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  expect((await running.until('stdout', /http:\S+/))[0]).toBe(url)
  return running
}

function visitorOf(user: User): Visitor {
  const token = TOKENS[`${user.toUpperCase() as 'ADA' | 'BOB'}_TOKEN`]
  return new Visitor({ name: user, password: USERS[user], token }, BACK)
}

/** A program of a user's, which shows the user the links that it gets. */
async function program(url: string, user: User, visitor: Visitor, store: TokenStore, options: ConnectOptions = {}) {
  const door = visitorOf(user)
  const userAgent = {
    redirectUri: () => BACK,
    open: async (page: URL) => (await door.walk(page.href)).url.searchParams,
  }
  const seen = new Set<string>()
  const client: Client = await connect(url, {
    auth: { grant: authorizationCode({ userAgent }), scopes: ['use'], store },
    timeouts: { callMs: 60_000 },
    elicitation: {
      url: async ({ url: link }) => {
        if (!seen.has(link)) expect((await visitor.walk(link)).html).toContain('Thank you')
        seen.add(link)
        return { action: 'accept' }
      },
    },
    ...options,
  })
  closers.push(() => client.close())
  return client
}

const textOf = ({ content }: { readonly content: readonly { readonly type: string }[] }) =>
  content.map((block) => (block as { text?: string }).text).join()

it('sec-86: users sign in with their browsers, each to their own account, and are asked once for each program', async () => {
  const { url, pages } = await prepare((issuer, resource) => ({ auth: { way: 'oauth', issuer, resource } }))
  const first = await serve(url)
  await first.until('stderr', /Users sign in to servers at (\S+);/)
  expect((await fetch(`${pages}/start?ticket=guess`)).status).toBe(410)
  expect((await fetch(`${pages}/elsewhere`)).status).toBe(404)
  expect((await fetch(`${new URL(url).origin}/readyz`)).status).toBe(200)

  const store = createMemoryTokenStore()
  const ada = visitorOf('ada')
  const own = await program(url, 'ada', ada, store)
  expect((await own.listTools()).map(({ name }) => name)).toEqual(['mail_sign_in'])
  expect(textOf(await own.callTool('mail_sign_in'))).toContain('signed in')
  expect(textOf(await own.callTool('mail_whoami'))).toBe('ada')
  expect(ada.titles).toContain('Sign in to mail')

  // A link that went to somebody else: they are who they are, and it is not theirs.
  const bob = visitorOf('bob')
  const links: string[] = []
  const url2 = async ({ url: link }: { url: string }) => {
    links.push(link)
    expect(await bob.walk(link)).toMatchObject({ status: 403 })
    return { action: 'decline' as const }
  }
  const second = await program(url, 'ada', ada, createMemoryTokenStore(), { elicitation: { url: url2 } })
  expect(await second.callTool('mail_sign_in')).toMatchObject({ isError: true })
  expect(links).toHaveLength(1)
  await Promise.all([own.close(), second.close()])
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0 })

  const consents = join(folder.path, 'state', 'sign-in-consents.json')
  expect((await stat(consents)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(consents, 'utf8')).consents).toHaveLength(1)
  await rm(join(folder.path, 'state', 'gateway-tokens'), { recursive: true })
  await serve(url)
  ada.titles.length = 0
  const again = await program(url, 'ada', ada, store)
  expect(textOf(await again.callTool('mail_sign_in'))).toContain('signed in')
  expect(textOf(await again.callTool('mail_whoami'))).toBe('ada')
  expect(ada.titles).not.toContain('Sign in to mail')
  const another = await program(url, 'ada', ada, createMemoryTokenStore())
  expect(textOf(await another.callTool('mail_sign_in'))).toContain('signed in')
  expect(ada.titles).toContain('Sign in to mail')
})

it('a browser is known by the caller’s token where callers bring one, and by a form of its own alone', async () => {
  const tokens = { ada: 'ADA_TOKEN', bob: 'BOB_TOKEN' }
  const { url, pages } = await prepare(() => ({ auth: { way: 'token', tokens } }))
  await serve(url)
  const ada = visitorOf('ada')
  const bob = visitorOf('bob')
  const links: string[] = []
  const client = await connect(url, {
    headers: { authorization: `Bearer ${TOKENS.ADA_TOKEN}` },
    elicitation: {
      url: async ({ url: link }) => {
        if (links.includes(link)) return { action: 'accept' }
        links.push(link)
        const refused = await bob.walk(link)
        expect(refused.status).toBe(403)
        const [, again = ''] = /href="([^"]+)"/.exec(refused.html) ?? []
        expect(await (await fetch(again)).text()).toContain('Who are you?')
        expect((await fetch(again.replace(/ticket=.*/, 'ticket=guess'))).status).toBe(410)
        // A form that somebody else has filled in: nobody is made another user by it.
        const ticket = new URL(link).searchParams.get('ticket') ?? ''
        const forged = new URLSearchParams({ ticket, token: TOKENS.ADA_TOKEN, csrf: 'guess' })
        expect((await fetch(`${pages}/who`, { method: 'POST', body: forged })).status).toBe(403)
        const page = await fetch(link)
        const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
        const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? ''
        const send = (token: string, headers: { [name: string]: string }) =>
          fetch(`${pages}/who`, {
            method: 'POST',
            redirect: 'manual',
            headers,
            body: new URLSearchParams({ ticket, token, csrf }),
          })
        expect((await send(TOKENS.ADA_TOKEN, {})).status).toBe(403)
        expect((await send(TOKENS.ADA_TOKEN, { cookie, origin: 'https://evil.example' })).status).toBe(403)
        expect((await send('wrong', { cookie })).status).toBe(401)
        const known = await send(TOKENS.ADA_TOKEN, { cookie })
        expect(known.status).toBe(303)
        expect(known.headers.getSetCookie()[0]).toMatch(
          /^__Host-[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
        )
        expect((await ada.walk(link)).html).toContain('Thank you')
        return { action: 'accept' }
      },
    },
  })
  closers.push(() => client.close())
  expect(textOf(await client.callTool('mail_sign_in'))).toContain('signed in')
  expect(textOf(await client.callTool('mail_whoami'))).toBe('ada')
  expect(ada.titles[0]).toBe('Who are you?')
})
