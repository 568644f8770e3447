/** Tokens that are bound to a DPoP key (RFC 9449): only the key's holder may use them, once per proof. */

import { calculateJwkThumbprint, exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  callTool,
  challengeOf,
  createIssuer,
  type Issuer,
  type Protected,
  RESOURCE,
  serveProtected,
} from './auth-server-fixture.ts'

let issuer: Issuer
let served: Protected
let keys: GenerateKeyPairResult
let jwk: JWK
let token: string

beforeEach(async () => {
  issuer = await createIssuer()
  keys = await generateKeyPair('ES256', { extractable: true })
  jwk = await exportJWK(keys.publicKey)
  token = await issuer.sign({ cnf: { jkt: await calculateJwkThumbprint(jwk) } })
})

afterEach(async () => {
  await served?.http.close()
  await issuer.close()
})

async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('base64url')
}

async function prove(claims: object = {}, header: object = {}, key = keys): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    htm: 'POST',
    htu: RESOURCE,
    iat: now,
    jti: crypto.randomUUID(),
    ath: await digest(token),
    ...claims,
  }
  const known = JSON.parse(JSON.stringify(payload))
  return new SignJWT(known).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }).sign(key.privateKey)
}

const present = (proof: string) => callTool(served.port, 'whoami', { authorization: `DPoP ${token}`, dpop: proof })

describe('a bound token', () => {
  it('passes with a proof, whatever the query and spelling of the address', async () => {
    served = await serveProtected({ issuer: issuer.url })
    for (const htu of [RESOURCE, `${RESOURCE}?x=1#y`, 'HTTPS://MCP.example.com:443/mcp']) {
      expect((await present(await prove({ htu }))).status).toBe(200)
    }
  })

  it.each([
    ['no proof', undefined],
    ['a bearer presentation', 'bearer'],
  ])('does not pass with %s', async (_, as) => {
    served = await serveProtected({ issuer: issuer.url })
    const scheme = as === 'bearer' ? 'Bearer' : 'DPoP'
    const answer = await callTool(served.port, 'whoami', { authorization: `${scheme} ${token}` })
    expect([answer.status, challengeOf(answer).scheme, challengeOf(answer).algs]).toEqual([
      401,
      'DPoP',
      expect.stringContaining('ES256'),
    ])
  })

  const now = Math.floor(Date.now() / 1000)
  it.each([
    ['another method', { htm: 'GET' }, {}],
    ['another address', { htu: 'https://other.example/mcp' }, {}],
    ['no address', { htu: undefined }, {}],
    ['another token', { ath: 'AAAA' }, {}],
    ['no token', { ath: undefined }, {}],
    ['an hour ago', { iat: now - 3600 }, {}],
    ['the future', { iat: now + 3600 }, {}],
    ['no time', { iat: undefined }, {}],
    ['no id', { jti: undefined }, {}],
    ['an id of a kilobyte', { jti: 'x'.repeat(1024) }, {}],
    ['another type', {}, { typ: 'JWT' }],
  ])('does not pass with a proof for %s', async (_, claims, header) => {
    served = await serveProtected({ issuer: issuer.url })
    const answer = await present(await prove(claims, header))
    expect([answer.status, challengeOf(answer).error]).toEqual([401, 'invalid_dpop_proof'])
    expect(served.ran).toEqual([])
  })

  it('does not pass with a proof by another key, nor with a key that is not the signer’s', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const other = await generateKeyPair('ES256', { extractable: true })
    const foreign = await exportJWK(other.publicKey)
    for (const proof of [await prove({}, { jwk: foreign }, other), await prove({}, {}, other)]) {
      expect((await present(proof)).status).toBe(401)
    }
  })

  it('passes once with each proof: replays are refused, also at the same time', async () => {
    served = await serveProtected({ issuer: issuer.url })
    const proof = await prove()
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => present(proof)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 401, 401, 401])
  })

  it('needs two headers in one to be one proof', async () => {
    served = await serveProtected({ issuer: issuer.url })
    expect((await present(`${await prove()}, ${await prove()}`)).status).toBe(401)
  })
})

describe('what can be asked of clients', () => {
  it('a nonce of this server, which is told and then accepted', async () => {
    served = await serveProtected({ issuer: issuer.url, dpop: { nonce: true } })
    const first = await present(await prove())
    const nonce = first.headers['dpop-nonce']
    expect([first.status, challengeOf(first).error]).toEqual([401, 'use_dpop_nonce'])
    expect((await present(await prove({ nonce }))).status).toBe(200)
    // The first character: the last one of base64url may hold bits that nobody reads.
    const altered = String(nonce).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    expect(challengeOf(await present(await prove({ nonce: altered }))).error).toBe('use_dpop_nonce')
  })

  it('bound tokens only', async () => {
    served = await serveProtected({ issuer: issuer.url, dpop: { required: true } })
    const loose = await issuer.sign()
    const answer = await callTool(served.port, 'whoami', { authorization: `Bearer ${loose}` })
    expect([answer.status, challengeOf(answer).scheme]).toEqual([401, 'DPoP'])
    expect(
      (await callTool(served.port, 'whoami', { authorization: `DPoP ${loose}`, dpop: await prove() })).status,
    ).toBe(401)
    expect((await present(await prove())).status).toBe(200)
  })

  it('not more proofs at a time than are remembered', async () => {
    served = await serveProtected({ issuer: issuer.url, dpop: { maxProofsPerPrincipal: 2 } })
    const statuses = []
    for (let round = 0; round < 3; round++) statuses.push((await present(await prove())).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe('several processes that remember proofs together', () => {
  it('sec-445: refuse a proof that another one has seen, and everything while nobody can say', async () => {
    const seen = new Set<string>()
    let isAway = false
    const isNew = async (proof: string): Promise<boolean> => {
      if (isAway) throw new Error('away')
      return !seen.has(proof) && seen.add(proof).size > 0
    }
    served = await serveProtected({ issuer: issuer.url, dpop: { isNew } })
    const other = await serveProtected({ issuer: issuer.url, dpop: { isNew } })
    const proof = await prove()
    expect((await present(proof)).status).toBe(200)
    const again = await callTool(other.port, 'whoami', { authorization: `DPoP ${token}`, dpop: proof })
    expect(again.status).toBe(401)
    isAway = true
    expect((await present(await prove())).status).toBe(503)
    await other.http.close()
  })
})
