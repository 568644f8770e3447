/** What is tried with a real browser: challenged, signed in, renewed, revoked, asked for more, signed out. */

import assert from 'node:assert/strict'
import {
  type Authorizer,
  authFailureOf,
  authorizationCode,
  createAuthorizer,
  createMemoryTokenStore,
  type OAuthOptions,
} from '@portico/sdk/auth'
import { type Client, connect } from '@portico/sdk/client'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import type { Trial } from '../support/suite.ts'
import { type Visitor, withVisitor } from './chromium.ts'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'

const SIGN_IN = ['Sign in', 'Allow access?', 'back']

export const browserTrials: readonly Trial[] = [
  browse('login and consent are clicked through, and the tool is called', {}, async ({ visitor, open }) => {
    visitor.habits = { ...visitor.habits, password: 'wrong at first' }
    const client = await open()
    assert.equal(await textOf(client, 'look'), 'seen by alice')
    assert.deepEqual(visitor.seen, ['Sign in', ...SIGN_IN])
    assert.deepEqual(visitor.asked, ['read', 'offline_access'])
  }),
  browse('a person who refuses is not asked again by the same call', {}, async ({ visitor, open }) => {
    visitor.habits = { ...visitor.habits, consent: 'Refuse' }
    const failure = await open().catch(authFailureOf)
    assert.deepEqual([failure, visitor.seen], [{ reason: 'denied', error: 'access_denied' }, SIGN_IN])
  }),
  browse(
    'a token that runs out is renewed without the person',
    { accessTokenSeconds: 2 },
    async ({ lab, visitor, open }) => {
      const client = await open()
      const until = Date.now() + 15_000
      // The first time for the code, the others for refresh tokens, each of which is good once.
      while (lab.posts('/token') < 3) {
        assert.equal(await textOf(client, 'look'), 'seen by alice')
        assert.ok(Date.now() < until, 'no token was renewed')
      }
      assert.deepEqual(visitor.seen, SIGN_IN)
    },
  ),
  browse('a revoked token is noticed at once, and the person allows anew', { opaque: true }, async (place) => {
    const { lab, visitor, open } = place
    const kept = createMemoryTokenStore()
    let grant = ''
    const store = {
      ...kept,
      set: (key: string, value: string) => {
        if (value.includes('refreshToken')) grant = value
        return kept.set(key, value)
      },
    }
    const client = await open({ grant: authorizationCode({ userAgent: visitor.userAgent }), store })
    await client.callTool('look')
    await revoke(lab, JSON.parse(grant).refreshToken, await clientIdOf(lab, JSON.parse(grant).accessToken))
    assert.equal(await textOf(client, 'look'), 'seen by alice')
    // The browser is still signed in; the permission is gone.
    assert.deepEqual(visitor.seen, [...SIGN_IN, 'Allow access?', 'back'])
  }),
  browse('a tool that needs more asks for the old and the new together', {}, async ({ lab, visitor, open }) => {
    const client = await open()
    await client.callTool('look')
    assert.equal(await textOf(client, 'change'), 'changed')
    assert.deepEqual(visitor.seen, [...SIGN_IN, 'Allow access?', 'back'])
    assert.deepEqual(visitor.asked, ['read', 'write', 'offline_access'])
    assert.equal(await textOf(client, 'look'), 'seen by alice')
    assert.equal(lab.posts('/token'), 2)
  }),
  browse(
    'after signing out on both sides the next call begins with the password',
    {},
    async ({ lab, visitor, open }) => {
      const grant = authorizationCode({ userAgent: visitor.userAgent })
      const authorizer = createAuthorizer(new URL(lab.url), { grant })
      const client = await open(authorizer)
      await client.callTool('look')
      await authorizer.signOut()
      assert.equal(lab.posts('/token/revocation'), 2)
      await visitor.signOut(lab.issuer)
      assert.equal(await textOf(client, 'look'), 'seen by alice')
      assert.deepEqual(visitor.seen, [...SIGN_IN, ...SIGN_IN])
    },
  ),
]

interface Place {
  readonly lab: Embedded
  readonly visitor: Visitor
  /** Connects to the protected server; signs in with the visitor's browser unless told otherwise. */
  open(auth?: OAuthOptions | Authorizer): Promise<Client>
}

function browse(name: string, options: EmbeddedOptions, run: (place: Place) => Promise<void>): Trial {
  return {
    name: `browser: ${name}`,
    missing: () => (findChromium() === undefined ? NO_CHROMIUM : undefined),
    async run() {
      const lab = await startEmbedded(options)
      const clients: Client[] = []
      try {
        await withVisitor((visitor) => {
          const grant = authorizationCode({ userAgent: visitor.userAgent, clientName: 'The lab' })
          const open = async (auth: OAuthOptions | Authorizer = { grant }) => {
            const client = await connect(lab.url, { auth, negotiations: false })
            clients.push(client)
            return client
          }
          return run({ lab, visitor, open })
        })
      } finally {
        for (const client of clients) await client.close()
        await lab.stop()
      }
    },
  }
}

async function textOf(client: Client, name: string): Promise<string | undefined> {
  const [first] = (await client.callTool(name)).content
  return first?.type === 'text' ? first.text : undefined
}

/** As somebody who has the token can: by the standard's endpoint, from outside of the client. */
async function revoke(lab: Embedded, token: string, clientId: string): Promise<void> {
  const body = new URLSearchParams({ token, client_id: clientId })
  assert.equal((await fetch(`${lab.issuer}/token/revocation`, { method: 'POST', body })).status, 200)
}

async function clientIdOf(lab: Embedded, token: string): Promise<string> {
  const authorization = `Basic ${btoa('server:a+secret+of+the+server+alone')}`
  const response = await fetch(`${lab.issuer}/token/introspection`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ token }),
  })
  // The answer of RFC 7662, which names the client.
  return ((await response.json()) as { client_id: string }).client_id
}
