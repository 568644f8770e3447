/** What a gateway tells its callers about the servers behind it, on every revision. */

import { connect, PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { createPrincipal, createServer } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { createGateway, type GatewayOptions } from '../src/gateway/gateway.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createCatalogue } from '../src/upstream/catalogue/catalogue.ts'
import { createPinStore } from '../src/upstream/pins/pins.ts'
import { createUpstreams } from '../src/upstream/upstreams.ts'
import { closeAll, closers } from './gateway-site.ts'
import { configOf } from './upstream/fixture.ts'

afterEach(closeAll)

const ICON = { src: 'https://example.com/i.png', mimeType: 'image/png' }
const INFO = { title: 'Weather', websiteUrl: 'https://example.com', description: 'Tells the weather' }
const described = (instructions?: string, more = {}) =>
  createServer({
    name: 'inner',
    version: '9.9.9',
    ...INFO,
    icons: [ICON, { src: 'file:///etc/passwd' }],
    ...(instructions !== undefined && { instructions }),
    ...more,
  })

async function open(
  servers: { readonly [name: string]: ReturnType<typeof described> },
  options: GatewayOptions = {},
  pins = createPinStore(),
) {
  const names = Object.keys(servers)
  const inProcess = new Map(names.map((name) => [name, async () => ({ server: servers[name] as never })]))
  const upstreams = createUpstreams({ watchdog: false, inProcess })
  const catalogue = createCatalogue(upstreams, { pins })
  await upstreams.set(names.map((name) => configOf(name, { kind: 'in-process', module: name, options: {} })))
  await catalogue.list()
  const gateway = createGateway({ upstreams, catalogue }, { onError: () => {}, ...options })
  const http = await serveGateway(gateway, {
    port: 0,
    graceMs: 0,
    authenticate: (head) => createPrincipal(/^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1] ?? 'nobody'),
  })
  closers.push(
    () => upstreams.close(),
    () => catalogue.close(),
    () => gateway.close(0),
    () => http.close(),
  )
  return async (versions: (typeof PROTOCOL_VERSIONS)[number] = '2026-07-28', user = 'ada') => {
    const client = await connect(http.url, { versions, headers: { authorization: `Bearer ${user}` } })
    closers.push(() => client.close())
    return client.server
  }
}

describe('sec-279: before a single server', () => {
  const has = (version: string, since: string) => version >= since

  test.each(PROTOCOL_VERSIONS)(
    'what it says of itself is passed on, as far as %s has words for it',
    async (version) => {
      const join = await open({ one: described('Ask for a city.') })
      const { info, instructions } = await join(version)
      expect([info?.name, instructions]).toEqual(['portico-gateway', 'Ask for a city.'])
      expect(info?.title).toBe(has(version, '2025-06-18') ? INFO.title : undefined)
      expect(info?.websiteUrl).toBe(has(version, '2025-11-25') ? INFO.websiteUrl : undefined)
      expect(info?.description).toBe(has(version, '2025-11-25') ? INFO.description : undefined)
      // What a client would have to read from this machine is no icon.
      expect(info?.icons).toEqual(has(version, '2025-11-25') ? [ICON] : undefined)
    },
  )

  test('the gateway’s own words come first, and are its own', async () => {
    const join = await open({ one: described('Theirs.') }, { title: 'Ours', instructions: 'Ours.' })
    const { info, instructions } = await join()
    expect([info?.title, instructions]).toEqual(['Ours', 'Ours.\n\nTheirs.'])
  })

  test('nothing arrives raw (host 21)', async () => {
    const raw = 'a\u001b[2J\u202eb'
    const { info, instructions } = await (await open({ one: described(raw, { title: raw, description: raw }) }))()
    expect(JSON.stringify([info, instructions])).not.toMatch(/\\u001b|\u202e/)
    expect(info?.title).toContain('b')
  })

  test('what has changed since it was approved is not passed on (host 12, host 35)', async () => {
    const pins = createPinStore()
    await (await open({ one: described('Before.') }, {}, pins))()
    const join = await open({ one: described('After.', { description: 'Changed' }) }, {}, pins)
    const withheld = await join()
    expect([withheld.instructions, withheld.info?.description]).toEqual([undefined, undefined])
    pins.approve('one')
    const shown = await join()
    expect([shown.instructions, shown.info?.description]).toEqual(['After.', 'Changed'])
  })

  test('who does not see the server hears nothing of it', async () => {
    const views = (who?: { id: string }) => (who?.id === 'ada' ? {} : { servers: [] })
    const join = await open({ one: described('Secret.') }, { views })
    expect((await join('2025-11-25', 'ada')).instructions).toBe('Secret.')
    const { instructions, info } = await join('2025-11-25', 'bob')
    expect([instructions, info?.title]).toEqual([undefined, undefined])
  })
})

describe('sec-279: before several', () => {
  test.each(PROTOCOL_VERSIONS)('instructions stand under the names of their servers: %s', async (version) => {
    const join = await open({ one: described('First.'), two: described('# Mine\n## one\nSecond.'), mute: described() })
    const { instructions, info } = await join(version)
    expect(instructions).toBe('## one\n\nFirst.\n\n## two\n\n### Mine\n### one\nSecond.')
    expect(info?.title).toBeUndefined()
  })

  test('a caller that sees one of them is told of that one', async () => {
    const views = () => ({ servers: ['two'] })
    const join = await open({ one: described('First.'), two: described('Second.') }, { views })
    expect((await join()).instructions).toBe('Second.')
  })

  test('their length is bounded, and what does not fit is left out whole', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `s${at}`)
    const join = await open(Object.fromEntries(names.map((name) => [name, described(name.repeat(3_500))])))
    const { instructions = '' } = await join()
    expect(instructions.length).toBeLessThanOrEqual(32_000)
    expect(instructions.match(/^## s\d$/gm)).toHaveLength(4)
  })
})
