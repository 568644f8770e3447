import { createPrincipal } from '@portico/sdk/server'
import { describe, expect, it } from 'vitest'
import { readGatewaySettings, toViews } from './gateway-settings.ts'

const read = (gateway: unknown, scope: 'user' | 'project' = 'user') =>
  readGatewaySettings({ extras: [{ file: 'portico.json', scope, gateway }] })

describe('the section gateway', () => {
  it('is taken as it is where everything in it is known', () => {
    const section = {
      port: 8443,
      auth: { way: 'oauth', issuer: 'https://login.example.com' },
      signIn: { url: 'https://gateway.example.com/sign-in', clientId: 'gateway' },
      tasks: { sqlite: 'state.db', ttlMs: 60_000 },
      state: { redis: 'REDIS_URL', prefix: 'office', keys: ['STATE_KEY', 'OLD_STATE_KEY'] },
      limits: { callsPerMinute: 60, tools: { 'mail_*': { maxConcurrent: 1 } } },
      views: [{ roles: ['admin'] }, { servers: ['docs'], search: true }],
    }
    expect(read(section)).toEqual({ settings: section, problems: [] })
  })

  it.each([
    [{ port: '80' }, 'gateway.port must be a whole number'],
    [{ colour: 'red' }, 'gateway.colour is not known'],
    [{ auth: { way: 'magic' } }, 'gateway.auth.way must be one of oauth, token, certificate, none'],
    [{ auth: { way: 'token', tokens: { ada: 1 } } }, 'gateway.auth.tokens.ada must be text'],
    [{ signIn: { trustLinks: true } }, 'gateway.signIn.trustLinks is not known'],
    [{ tasks: { store: 'redis' } }, 'gateway.tasks.store is not known'],
    [{ state: { mysql: 'x' } }, 'gateway.state.mysql is not known'],
    [{ state: { sqlite: 'x', keys: 'K' } }, 'gateway.state.keys must be a list of texts'],
    [{ views: [{ servers: 'docs' }] }, 'gateway.views[0].servers must be a list of texts'],
    [
      { limits: { tools: { a: { maxConcurrent: -1 } } } },
      'gateway.limits.tools.a.maxConcurrent must be a whole number',
    ],
    [[], 'gateway must be an object'],
    [JSON.parse('{"__proto__":{"port":1}}'), 'gateway.__proto__ is not known'],
  ])('%j is refused by its place, and nothing of it counts', (section, problem) => {
    expect(read(section)).toEqual({ settings: {}, problems: [problem] })
  })

  it('of a project’s file does not count', () => {
    expect(read({ auth: { way: 'none' } }, 'project')).toEqual({ settings: {}, problems: [] })
  })
})

describe('views', () => {
  const views = toViews([
    { principals: ['https://login.example.com ada'], hidden: ['x'] },
    { principals: ['*@example.com'], servers: ['mail'] },
    { roles: ['admin'], search: true },
  ])

  it.each([
    ['https://login.example.com ada', [], { hidden: ['x'] }],
    ['bo@example.com', [], { servers: ['mail'] }],
    ['bo@example.com.evil', [], undefined],
    ['cy', ['admin', 'other'], { search: true }],
    ['cy', ['other'], undefined],
  ])('%s with the roles %j sees %j', (id, roles, expected) => {
    expect(views(createPrincipal(id, [], { roles }))).toEqual(expected)
  })

  it('show nothing to strangers where there are rows, and everything to everybody where there are none', () => {
    expect(views(undefined)).toBeUndefined()
    expect(toViews(undefined)(undefined)).toEqual({})
  })
})
