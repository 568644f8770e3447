/** What clients of the embedded authorization server may be: by each way in that a stranger has, and by configuration. */

import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { issuer, REDIRECT, RESOURCE, start } from './authorization-world.ts'

const ALONE = { grant_type: 'client_credentials', resource: RESOURCE, scope: 'read write' }
const MACHINE = {
  client_id: 'machine',
  client_secret: 'a secret of the machine',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}
const DOCUMENT_ID = 'https://client.example/oauth.json'

type Sent = { readonly [name: string]: string }

interface Answer {
  readonly status: number
  readonly body: { readonly [name: string]: unknown }
}

async function post(path: string, body: string | URLSearchParams, headers: Sent = {}): Promise<Answer> {
  const response = await fetch(`${issuer}${path}`, { method: 'POST', body, headers })
  // Each of these endpoints answers with an object.
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

function registerAs(metadata: object): Promise<Answer> {
  return post('/reg', JSON.stringify(metadata), { 'content-type': 'application/json' })
}

function basic(id: unknown, secret: unknown): Sent {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

function assertion(id: string, key: KeyObject): { [name: string]: string } {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: id, sub: id, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60 }
  const text = [{ alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = sign('sha256', Buffer.from(text.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return {
    client_id: id,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: [...text, signature.toString('base64url')].join('.'),
  }
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwks = { keys: [publicKey.export({ format: 'jwk' })] }

/** Grants that a stranger might ask for beside, or in place of, a person's consent. */
const GRANTS = [
  ['client_credentials'],
  ['authorization_code', 'client_credentials'],
  ['refresh_token', 'client_credentials'],
  ['password'],
  ['implicit'],
  ['urn:ietf:params:oauth:grant-type:device_code'],
  ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
]

describe.each([
  ['where nobody may', {}],
  ['where a configured client may', { clients: [MACHINE] }],
])("sec-186, security D1: a token in a client's own name, %s", (_, options) => {
  it.each(
    GRANTS.flatMap((grants) => [
      { grants, metadata: { token_endpoint_auth_method: 'client_secret_basic' } },
      { grants, metadata: { token_endpoint_auth_method: 'private_key_jwt', jwks } },
      { grants, metadata: { token_endpoint_auth_method: 'none' } },
    ]),
  )('is not for one that registers itself for $grants', async ({ grants, metadata }) => {
    await start(options)
    const coded = grants.includes('authorization_code')
    const registered = await registerAs({
      ...metadata,
      grant_types: grants,
      redirect_uris: coded ? [REDIRECT] : [],
      response_types: coded ? ['code'] : [],
      application_type: 'native',
    })
    expect([registered.status, registered.body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  it('is not for one that registered for codes and asks all the same', async () => {
    await start(options)
    const { body } = await registerAs({ redirect_uris: [REDIRECT], application_type: 'native' })
    expect(body.grant_types).toEqual(['authorization_code'])
    const answer = await post('/token', new URLSearchParams(ALONE), basic(body.client_id, body.client_secret))
    expect([answer.status, 'access_token' in answer.body]).toEqual([400, false])
  })

  it.each(GRANTS.map((grants) => ({ grants })))('is not for one whose document says $grants', async ({ grants }) => {
    const document = {
      client_id: DOCUMENT_ID,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
      grant_types: grants,
      redirect_uris: [REDIRECT],
      response_types: grants.includes('authorization_code') ? ['code'] : [],
      application_type: 'native',
    }
    await start({ ...options, fetch: (async () => Response.json(document)) as typeof fetch })
    const form = new URLSearchParams({ ...ALONE, ...assertion(DOCUMENT_ID, privateKey) })
    const answer = await post('/token', form)
    expect([answer.status >= 400, 'access_token' in answer.body]).toEqual([true, false])
  })
})

describe('sec-186: a client that the operator configured', () => {
  it('gets a token of its own where its configuration says so', async () => {
    await start({ clients: [MACHINE] })
    const answer = await post(
      '/token',
      new URLSearchParams(ALONE),
      basic(MACHINE.client_id, encodeURIComponent(MACHINE.client_secret)),
    )
    expect([answer.status, answer.body.scope]).toEqual([200, 'read write'])
  })

  it('is not to be had by registering under its name', async () => {
    await start({ clients: [MACHINE] })
    const { status, body } = await registerAs({ ...MACHINE, redirect_uris: [REDIRECT], application_type: 'native' })
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  it('alone makes the grant known', async () => {
    await start()
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({ grant_types_supported: ['authorization_code', 'refresh_token'] })
  })
})

describe('attack 15: sec-253: where codes may be sent', () => {
  const register = (uri: string) =>
    registerAs({ redirect_uris: [uri], application_type: 'native', token_endpoint_auth_method: 'none' })

  it.each([
    'view-source:https://a.example/',
    'filesystem:https://a.example/temporary/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://a.example/x',
    'about:blank',
    'file:///tmp/x',
    'vbscript:x',
    'ws://a.example/',
    'myapp://callback',
    'JavaScript:alert(1)',
  ])('%s cannot be registered', async (uri) => {
    await start()
    expect(await register(uri)).toMatchObject({ status: 400 })
  })

  it.each(['com.example.app:/callback', 'https://app.example/callback', 'http://127.0.0.1:7000/callback'])(
    '%s can be registered',
    async (uri) => {
      await start()
      expect(await register(uri)).toMatchObject({ status: 201 })
    },
  )
})
