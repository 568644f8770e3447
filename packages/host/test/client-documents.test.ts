/** Clients that describe themselves by a document of theirs, hostile documents included (sec-60). */

import { once } from 'node:events'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAuthorizationServer } from '../src/authorization-server/server.ts'

const ID = 'https://client.example/oauth.json'
const REDIRECT = 'http://127.0.0.1:7777/callback'
const DOCUMENT = {
  client_id: ID,
  client_name: 'Documented',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
}

let issuer: string
let fetched: string[]
let answer: () => Response
let listening: { close(): Promise<void> }

async function start(fetchDocument?: typeof fetch): Promise<void> {
  const socket = createSocket().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  // A server that listens on a port has an address of this form.
  issuer = `http://127.0.0.1:${(socket.address() as AddressInfo).port}`
  socket.close()
  await once(socket, 'close')
  const server = createAuthorizationServer({
    issuer,
    resources: ['https://mcp.example.com/mcp'],
    scopes: ['read'],
    password: 'open sesame',
    ...(fetchDocument !== undefined && { fetch: fetchDocument }),
  })
  listening = await server.listen()
}
afterEach(() => listening.close())

/** The answer to a request for authorization: a redirect to the sign-in page, or an error page. */
async function authorize(client: string, redirect = REDIRECT): Promise<{ status: number; location: string | null }> {
  const parameters = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    scope: 'read',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  const response = await fetch(`${issuer}/auth?${new URLSearchParams(parameters)}`, { redirect: 'manual' })
  await response.body?.cancel()
  return { status: response.status, location: response.headers.get('location') }
}

describe('sec-60: a client that is described by a document', () => {
  beforeEach(() => {
    fetched = []
    return start((async (url) => {
      fetched.push(String(url))
      return answer()
    }) as typeof fetch)
  })

  it('is taken at its word where the document is in order', async () => {
    answer = () => Response.json(DOCUMENT)
    const { status, location } = await authorize(ID)
    expect([status, location?.startsWith('/interaction/') || location?.startsWith(`${issuer}/interaction/`)]).toEqual([
      303,
      true,
    ])
    expect(fetched).toEqual([ID])
  })

  it.each<[string, () => Response]>([
    ['names another client', () => Response.json({ ...DOCUMENT, client_id: `${ID}/` })],
    ['names none', () => Response.json({ ...DOCUMENT, client_id: undefined })],
    ['holds a secret', () => Response.json({ ...DOCUMENT, client_secret: 'known to all' })],
    [
      'wants to prove itself by a secret',
      () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' }),
    ],
    ['is not JSON', () => new Response('<html>', { headers: { 'content-type': 'application/json' } })],
    ['is a list', () => Response.json([DOCUMENT])],
    ['is elsewhere', () => new Response(null, { status: 302, headers: { location: 'https://inside.example/' } })],
    ['is not there', () => new Response(null, { status: 404 })],
    ['is far too long', () => Response.json({ ...DOCUMENT, client_name: 'x'.repeat(3_000_000) })],
  ])('is refused when the document %s, and nothing else is fetched', async (_, make) => {
    answer = make
    const { status, location } = await authorize(ID)
    expect([status >= 400, location]).toEqual([true, null])
    expect(fetched.every((url) => url === ID)).toBe(true)
  })

  it.each(['http://127.0.0.1:7777/other', 'https://evil.example/callback'])(
    'is not sent back to %s, which the document does not name',
    async (redirect) => {
      answer = () => Response.json(DOCUMENT)
      expect(await authorize(ID, redirect)).toEqual({ status: 400, location: null })
    },
  )

  it.each([
    'http://client.example/oauth.json',
    'https://user@client.example/oauth.json',
    'https://client.example/a/../oauth.json',
    'https://client.example/oauth.json#x',
  ])('is refused without a fetch when it is called %s', async (id) => {
    answer = () => Response.json({ ...DOCUMENT, client_id: id })
    expect((await authorize(id)).status).toBe(400)
    expect(fetched).toEqual([])
  })
})

describe('sec-60, sec-92: a document that is said to be inside', () => {
  it.each(['127.0.0.1', 'localhost', '0.0.0.0', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]'])(
    'is not asked for at %s',
    async (host) => {
      await start()
      let reached = 0
      const canary = createSocket((socket) => {
        reached++
        socket.destroy()
      }).listen(0, '::')
      await once(canary, 'listening')
      const { port } = canary.address() as AddressInfo
      expect((await authorize(`https://${host}:${port}/oauth.json`)).status).toBe(400)
      canary.close()
      expect(reached).toBe(0)
    },
  )
})
