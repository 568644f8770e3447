/**
 * The account example as a process, between an MCP client, two people with a browser each, and a stand-in for the
 * calendar. Everything that passes between client and server is recorded on the way, byte by byte.
 */

import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpListener, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect as connectSocket, createServer, type Server } from 'node:net'
import { type Client, connect } from '@portico/sdk/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAccountPage } from './account-page.ts'
import { HttpExample, modernRequest, responseOf } from './test/http-example.ts'
import { envelope, type Json } from './test/stdio-example.ts'

const ERAS = ['2025-11-25', '2026-07-28'] as const
const KEY = 'calendar-key-of-ada-7f3a'

interface Person {
  readonly id: string
  readonly token: string
  readonly password: string
}

/** What a person does with a link, and what they then tell the client. Nothing is consent. */
type Visit = (url: string) => unknown

/** A browser: it keeps its cookies, sends its origin with forms, and follows a redirect after one. */
class Browser {
  #cookie = ''

  async open(url: string, form?: { [name: string]: string }, origin = new URL(url).origin): Promise<number> {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { ...(this.#cookie && { cookie: this.#cookie }), ...(form && { origin }) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    this.#cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie
    const next = answer.headers.get('location')
    await answer.text()
    return next === null ? answer.status : this.open(next)
  }

  signIn(url: string, { id, password }: Person): Promise<number> {
    return this.open(url, { id, password })
  }
}

let example: HttpExample
let proxy: Server
let calendar: HttpListener
/** What was sent on each connection, in each direction. */
let tapes: { text: string }[]
let mcp: string
let ada: Person
let bob: Person
/** What the calendar was sent. */
let seen: { headers: IncomingHttpHeaders; url: string | undefined }[]
let clients: Client[]

beforeEach(async () => {
  clients = []
  seen = []
  tapes = []
  calendar = createHttpServer(({ headers, url }, res) => {
    seen.push({ headers, url })
    res.writeHead(headers.authorization === `Bearer ${KEY}` ? 200 : 401).end('Lunch with Grace')
  })
  const PORT = await freePort()
  example = new HttpExample('connect-account.ts', { PORT, CALENDAR_URL: await listen(calendar) })
  const [, people = ''] = await example.printed(/Serving on \S+ for (.*)\n/)
  ;[ada, bob] = JSON.parse(people)
  proxy = createRecorder(Number(PORT), tapes)
  mcp = `${await listen(proxy)}/mcp`
})

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  example.child.kill()
  for (const server of [proxy, calendar]) server.close()
})

describe.each(ERAS)('connecting an account on %s', (versions) => {
  test('whoever made the call connects the account in their browser, and the call succeeds (sec-110)', async () => {
    const asked: string[] = []
    const client = await join(versions, ada, async (url) => {
      asked.push(url)
      // Consent comes first; the visit takes place when the client is asked again because nothing is connected yet.
      if (asked.length < 2) return
      const browser = new Browser()
      expect(await browser.open(url)).toBe(401)
      expect(await browser.open(url, { id: 'ada', password: bob.password })).toBe(401)
      expect(await browser.signIn(url, ada)).toBe(200)
      expect(await browser.open(url, { key: KEY })).toBe(200)
    })
    expect(await today(client)).toBe('Lunch with Grace')
    expect(new Set(asked).size).toBe(1)
    expect(await today(client)).toBe('Lunch with Grace')
    expect(asked.length).toBe(2)
    expect(recorded().includes('-32042')).toBe(versions === '2025-11-25')
  })

  test('somebody else who opens the link is refused, and nothing is connected for anyone (sec-108, sec-110)', async () => {
    const statuses: number[] = []
    const victim = new Browser()
    const client = await join(versions, ada, async (url) => {
      statuses.push(await victim.signIn(url, bob), await victim.open(url, { key: KEY }))
      // Another site may not sign the victim in as the owner of the link.
      const { id, password } = ada
      statuses.push(await new Browser().open(url, { id, password }, 'https://evil.example'))
      return statuses.length > 3 ? 'decline' : 'accept'
    })
    expect(await today(client).catch((error) => error.message)).toMatch(/connect/)
    expect(statuses.length).toBe(6)
    expect(new Set(statuses)).toEqual(new Set([403]))
    expect(await today(await join(versions, bob, decline))).toBe('Your calendar is not connected.')
    expect(await today(await join(versions, ada, decline))).toBe('Your calendar is not connected.')
    expect(seen).toEqual([])
  })

  test('a link that was edited or used before is refused (sec-110)', async () => {
    const browser = new Browser()
    let used = ''
    const client = await join(versions, ada, async (url) => {
      used = url
      expect(await browser.signIn(url, ada)).toBe(200)
      const state = new URL(url).searchParams.get('state') ?? ''
      const other = `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}`
      const edits = [
        url.replace(state, other),
        url.replace(state, ''),
        `${url}&owner=bob`,
        url.replace('?', '?state=x&'),
      ]
      for (const edited of edits) expect(await browser.open(edited, { key: 'stolen' })).toBe(403)
      expect(await browser.open(url, { key: KEY })).toBe(200)
    })
    expect(await today(client)).toBe('Lunch with Grace')
    expect(await browser.open(used)).toBe(403)
    expect(await browser.open(used, { key: 'another' })).toBe(403)
    expect(await today(client)).toBe('Lunch with Grace')
  })

  test('the link names nobody, carries no credential and is not signed in by itself (sec-109)', async () => {
    const links: string[] = []
    const client = await join(versions, ada, (url) => {
      links.push(url)
      return 'decline'
    })
    expect(await today(client)).toBe('Your calendar is not connected.')
    const link = String(links[0])
    const { searchParams } = new URL(link)
    expect([...searchParams.keys()]).toEqual(['state'])
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
    for (const secret of [ada.id, ada.token, ada.password]) expect(link).not.toContain(secret)
    expect(await new Browser().open(link)).toBe(401)
  })

  test('the calendar’s key never passes the client, and the client’s token never reaches the calendar (sec-111)', async () => {
    const client = await join(versions, ada, async (url) => {
      const browser = new Browser()
      await browser.signIn(url, ada)
      await browser.open(url, { key: KEY })
    })
    expect(await today(client)).toBe('Lunch with Grace')
    const wire = recorded()
    // The recording is worth something: it holds what did pass.
    for (const passed of [ada.token, 'Lunch with Grace', '/connect?state=']) expect(wire).toContain(passed)
    for (const secret of [KEY, ada.password, btoa(KEY)]) expect(wire).not.toContain(secret)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`])
    expect(JSON.stringify(seen)).not.toContain(ada.token)
    // Nor is the key a way in.
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    expect((await fetch(mcp, { method: 'POST', headers, body: '{}' })).status).toBe(401)
  })
})

test('the state of a call is of no use to another caller (sec-108)', async () => {
  const call = async ({ token }: Person, more: Json = {}): Promise<Json> => {
    const { headers } = modernRequest(mcp, 'tools/call', { name: 'today' })
    headers.set('authorization', `Bearer ${token}`)
    const params = { name: 'today', arguments: {}, ...more, _meta: envelope({ elicitation: { url: {} } }) }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return responseOf(await fetch(mcp, { method: 'POST', headers, body }))
  }
  const first = (await call(ada)).result
  const link = first.inputRequests.connect.params.url
  expect((await call(bob)).result.inputRequests.connect.params.url).not.toBe(link)
  const answered = { requestState: first.requestState, inputResponses: { connect: { action: 'accept' } } }
  expect((await call(bob, answered)).error).toMatchObject({ code: -32602 })
  const again = (await call(ada, answered)).result
  expect(Object.values<Json>(again.inputRequests).map(({ params }) => params.url)).toEqual([link])
})

test('a link ends after ten minutes (sec-110)', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const web = createHttpServer(async (req, res) => {
    const [status, html, headers] = await page.answer(req)
    res.writeHead(status, headers).end(html)
  })
  const page = createAccountPage(await listen(web), [ada])
  try {
    const url = page.createLink('ada')
    const browser = new Browser()
    expect(await browser.signIn(url, ada)).toBe(200)
    vi.setSystemTime(Date.now() + 600_001)
    expect(await browser.open(url)).toBe(403)
    expect(await browser.open(url, { key: KEY })).toBe(403)
    expect(page.keys.size).toBe(0)
  } finally {
    vi.useRealTimers()
    web.close()
  }
})

/** Connects as a person, through the recorder. */
async function join(versions: (typeof ERAS)[number], { token }: Person, visit: Visit): Promise<Client> {
  const elicitation = {
    async url({ url }: { url: string }) {
      return { action: (await visit(url)) === 'decline' ? ('decline' as const) : ('accept' as const) }
    },
  }
  const headers = { authorization: `Bearer ${token}` }
  const client = await connect(mcp, { versions, headers, elicitation, negotiations: false })
  clients.push(client)
  return client
}

function decline(): string {
  return 'decline'
}

async function today(client: Client): Promise<string> {
  const { content } = await client.callTool('today')
  const [block] = content
  return block?.type === 'text' ? block.text : ''
}

function recorded(): string {
  return tapes.map(({ text }) => text).join('\n')
}

/** Passes bytes on to the port, both ways, and records them as they are. */
function createRecorder(port: number, tapes: { text: string }[]): Server {
  return createServer((near) => {
    const far = connectSocket(port, '127.0.0.1')
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      const tape = { text: '' }
      tapes.push(tape)
      from.on('data', (chunk) => {
        tape.text += chunk.toString('latin1')
      })
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  })
}

async function listen(server: Server | HttpListener): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function freePort(): Promise<string> {
  const socket = createServer()
  const { port } = new URL(await listen(socket))
  socket.close()
  await once(socket, 'close')
  return port
}
