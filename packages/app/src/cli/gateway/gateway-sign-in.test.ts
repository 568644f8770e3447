import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineServer } from '@portico/host/config'
import { createPrincipal } from '@portico/sdk/server'
import { describe, expect, it } from 'vitest'
import type { Io } from '../terminal/io.ts'
import { acceptTokens } from './caller-identity.ts'
import type { GatewaySettings } from './gateway-settings.ts'
import { createGatewaySignIn } from './gateway-sign-in.ts'

const target = { kind: 'http', url: 'https://mail.example/mcp', headers: {} } as const
const mail = defineServer('mail', target, { auth: { perUser: true, scopes: ['read'], clientId: 'known' } })
const docs = defineServer('docs', target)
const said: string[] = []
// Nothing else of it is used here, and nothing is written before somebody signs in.
const io = {
  env: { PORTICO_STATE_DIR: join(tmpdir(), 'portico-no-such-folder') },
  say: (line: string) => void said.push(line),
  paint: { yellow: (text: string) => text },
} as unknown as Io
const protection = acceptTokens(new Map([['ada', 'a-long-enough-token']]))
const create = (settings: GatewaySettings, servers = [mail, docs]) =>
  createGatewaySignIn(
    { servers },
    settings,
    { protection: settings.auth?.way === 'none' ? undefined : protection, state: undefined },
    io,
  )

describe('signing in to servers behind `portico serve`', () => {
  it('is for entries that say so, and for no others', async () => {
    expect(create({ auth: { way: 'token' } }, [docs])).toBeUndefined()
    const made = create({ auth: { way: 'token' } })
    const resolve = made?.resolve(async () => ({ target: 'https://plain.example/mcp' }))
    const principal = createPrincipal('ada')
    expect(await resolve?.(docs, { principal })).toEqual({ target: 'https://plain.example/mcp' })
    const own = await resolve?.(mail, { principal })
    expect(own?.target).toBe('https://plain.example/mcp')
    expect(own?.options?.auth).toMatchObject({ scopes: ['read'] })
    // The gateway itself has no account there, and needs none to be ready.
    expect(typeof (await resolve?.(mail, {}))?.target).toBe('object')
  })

  it.each<[string, GatewaySettings]>([
    ['http://127.0.0.1:3000/sign-in', { auth: { way: 'token' } }],
    ['http://127.0.0.1:8080/sign-in', { port: 8080, auth: { way: 'token' } }],
    ['https://g.example/sign-in', { port: 0, auth: { way: 'oauth', resource: 'https://g.example/mcp' } }],
    ['https://g.example/here', { port: 0, auth: { way: 'token' }, signIn: { url: 'https://g.example/here/' } }],
  ])('has its pages at %s', (url, settings) => {
    const made = create(settings)
    expect(made?.url).toBe(url)
    expect(made?.pages.path).toBe(new URL(url).pathname)
  })

  it.each<[string, GatewaySettings, string]>([
    ['callers whom nobody knows', { auth: { way: 'none' } }, 'nothing says who a user is'],
    ['certificates', { auth: { way: 'certificate' } }, 'client certificates'],
    ['no port', { port: 0, auth: { way: 'token' } }, 'need an address'],
    ['plain http elsewhere', { auth: { way: 'token' }, signIn: { url: 'http://g.example/x' } }, 'cannot be at'],
    ['an address without a path', { auth: { way: 'token' }, signIn: { url: 'https://g.example' } }, 'cannot be at'],
    ['all addresses of the machine', { host: '0.0.0.0', auth: { way: 'token' } }, 'cannot be at'],
  ])('is refused with %s', (_, settings, message) => {
    expect(() => create(settings)).toThrow(message)
  })

  it('trusts links only by a name that says so, and warns', () => {
    said.length = 0
    create({ auth: { way: 'certificate' }, signIn: { dangerouslyTrustLinks: true, url: 'https://g.example/x' } })
    expect(said.join()).toContain('dangerouslyTrustLinks')
  })
})
