/** Whom a token names: a subject that is no name is refused, and never taken for a client that acts for itself. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  bearer,
  callTool,
  createIssuer,
  type Issuer,
  type Protected,
  RESOURCE,
  serveProtected,
} from './auth-server-fixture.ts'

let issuer: Issuer
let served: Protected
beforeEach(async () => {
  issuer = await createIssuer()
})
afterEach(async () => {
  await served.http.close()
  await issuer.close()
})

const NO_NAMES: readonly (readonly [string, unknown])[] = [
  ['an object', { name: 'alice' }],
  ['a list', ['alice']],
  ['a number', 7],
  ['true', true],
  ['null', null],
  ['empty', ''],
  ['of two lines', 'alice\nbob'],
  ['with a NUL', 'alice\u0000'],
  ['with a C1 control', 'alice\u0085'],
  ['with half a character', 'alice\ud800'],
  ['of 1,025 characters', 'a'.repeat(1025)],
]

describe.each(['jwt', 'introspection'])('a subject by %s', (way) => {
  async function present(claims: { readonly [name: string]: unknown }) {
    const introspection = { endpoint: `${issuer.url}/introspect`, clientId: 'rs', clientSecret: 's:cret' }
    served = await serveProtected({ issuer: issuer.url, ...(way === 'introspection' && { introspection }) })
    if (way === 'jwt') return callTool(served.port, 'whoami', bearer(await issuer.sign(claims)))
    const whole = { iss: issuer.url, aud: RESOURCE, ...claims }
    issuer.active.set('opaque', JSON.parse(JSON.stringify(whole)))
    return callTool(served.port, 'whoami', bearer('opaque'))
  }

  it.each(NO_NAMES)('that is %s is refused, also beside a client id (attack 12, sec-245)', async (_, sub) => {
    expect((await present({ sub, client_id: 'robot' })).status).toBe(401)
    expect(served.ran).toEqual([])
  })

  it.each([
    ['absent', undefined, 'client'],
    ['the client id', 'robot', 'client'],
    ['another', 'alice', 'user'],
    ['1,024 characters', 'a'.repeat(1024), 'user'],
    ['in any script', 'Ålice 王', 'user'],
  ])('that is %s makes the right kind of principal (attack 12, sec-245)', async (_, sub, kind) => {
    expect((await present({ sub, client_id: 'robot' })).status).toBe(200)
    expect(served.ran).toEqual([kind === 'client' ? `client ${issuer.url} robot` : `${issuer.url} ${sub}`])
  })
})

describe('grants that are not there at once', () => {
  it('let nobody in, and their rejection ends nothing (attack 4, sec-241)', async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown) => unheard.push(error)
    process.on('unhandledRejection', hear)
    const grants = (async () => {
      throw new Error('no database')
    }) as unknown as () => string[]
    served = await serveProtected({ issuer: issuer.url, grants })
    const { status } = await callTool(served.port, 'whoami', bearer(await issuer.sign()))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(served.ran).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })
})
