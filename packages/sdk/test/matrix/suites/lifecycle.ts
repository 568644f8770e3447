/** Opening a conversation in both eras: what may come first, who speaks which revision (basic/lifecycle, basic/versioning). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS } from '../../../src/protocol/revision.ts'
import { ICONS } from '../fixture-content.ts'
import { type Bench, textOf } from '../run-matrix.ts'

const LEGACY = PROTOCOL_VERSIONS.filter((version) => version !== '2026-07-28')
const CLIENT = { capabilities: {}, clientInfo: { name: 'c', version: '1' } }

export function lifecycleSuite(bench: Bench): void {
  if (bench.modern) modernSuite(bench)
  else legacySuite(bench)
  identitySuite(bench)
}

function identitySuite(bench: Bench): void {
  describe('the server', () => {
    it('says who it is in the words of the revision, and what it can do', async () => {
      const opening = bench.wire.opening ?? (await bench.request('server/discover')).result
      const meta = (opening._meta ?? {}) as JsonObject
      const info = bench.modern ? meta['io.modelcontextprotocol/serverInfo'] : opening.serverInfo
      expect(info).toEqual({
        name: 'matrix',
        version: '1.2.3',
        ...(bench.atLeast('2025-06-18') && { title: 'The matrix' }),
        ...(bench.atLeast('2025-11-25') && {
          description: 'One of everything',
          websiteUrl: 'https://example.com/',
          icons: ICONS,
        }),
      })
      expect(opening.instructions).toBe('Use with care.')
      expect(opening.capabilities).toEqual({
        experimental: {
          'com.example/probe': { level: 3 },
          // The one place that older revisions have for extensions.
          ...(!bench.modern && { 'com.example/echo': { loud: true } }),
        },
        logging: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        ...(bench.atLeast('2025-03-26') && { completions: {} }),
        ...(bench.modern && { extensions: { 'com.example/echo': { loud: true } } }),
      })
    })

    it('tells handlers the revision, the client and the `_meta` of the request (trace context)', async () => {
      const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' }
      const { result } = await bench.call('context', {}, { meta: trace, id: 'named' })
      const seen = JSON.parse(textOf(result)) as JsonObject
      expect(seen).toMatchObject({
        version: bench.version,
        client: { name: 'wire', version: '1.0.0' },
        method: 'tools/call',
        requestId: 'named',
        state: { seen: 'tools/call' },
        experimental: { 'com.example/wire': { n: 1 } },
        principal: null,
        http: bench.transport === 'http' || bench.transport === 'fetch',
      })
      expect(seen.meta).toMatchObject(trace)
    })

    it.skipIf(!bench.hasUsers)('tells handlers who asks', async () => {
      const wire = await bench.open({ user: 'bob' })
      expect(JSON.parse(textOf((await wire.request('tools/call', { name: 'context' })).result))).toMatchObject({
        principal: 'bob',
      })
    })
  })
}

function legacySuite(bench: Bench): void {
  describe('initialize', () => {
    it('settles on the revision that was asked for', () => {
      expect(bench.wire.opening?.protocolVersion).toBe(bench.version)
    })

    it('comes first: before it only ping is answered; a second one is refused', async () => {
      const wire = await bench.open({ handshake: false })
      if (bench.transport === 'memory' || bench.transport === 'stdio') {
        expect((await wire.request('ping')).result).toEqual({})
        expect((await wire.request('tools/list')).error).toMatchObject({ code: -32600 })
      } else {
        expect((await wire.request('tools/list')).status).toBe(400)
      }
      await wire.request('initialize', { protocolVersion: bench.version, ...CLIENT })
      expect((await wire.request('ping')).result).toEqual({})
      const again = await wire.request('initialize', { protocolVersion: bench.version, ...CLIENT })
      expect(again.error).toMatchObject({ code: -32600 })
      await wire.notify('notifications/initialized')
      bench.adoptBare(wire)
    })

    it.skipIf(bench.transport === 'stdio').each(['1999-01-01', '2026-07-28', '2099-12-31', '', 'latest'])(
      'answers %j with the newest revision of its era',
      async (protocolVersion) => {
        const wire = await bench.open({ handshake: false })
        const { response } = await wire.request('initialize', { protocolVersion, ...CLIENT })
        expect(response.result).toMatchObject({ protocolVersion: '2025-11-25' })
      },
    )

    it.skipIf(bench.transport === 'stdio').each([
      [{ ...CLIENT }, 'protocolVersion'],
      [{ ...CLIENT, protocolVersion: 5 }, 'protocolVersion'],
      [{ ...CLIENT, protocolVersion: '2025-06-18', capabilities: [] }, 'capabilities'],
      [{ ...CLIENT, protocolVersion: '2025-06-18', clientInfo: {} }, 'clientInfo'],
    ])('refuses %j and leaves the session unopened', async (params, parameter) => {
      const wire = await bench.open({ handshake: false })
      expect((await wire.request('initialize', params)).error).toMatchObject({ code: -32602, data: { parameter } })
      expect((await wire.request('initialize', { protocolVersion: bench.version, ...CLIENT })).error).toBeUndefined()
    })

    it.skipIf(bench.transport === 'stdio')('takes a client without a version, as early ones are', async () => {
      const wire = await bench.open({ handshake: false })
      const { error } = await wire.request('initialize', {
        protocolVersion: bench.version,
        capabilities: {},
        clientInfo: { name: 'old' },
      })
      expect(error).toBeUndefined()
    })

    it.skipIf(bench.transport === 'stdio')('serves only the revisions it was told to', async () => {
      const older = LEGACY.filter((version) => version !== bench.version)
      const wire = await bench.open({ server: { versions: older }, handshake: false })
      const { response } = await wire.request('initialize', { protocolVersion: bench.version, ...CLIENT })
      expect(response.result).toMatchObject({ protocolVersion: older.at(-1) })
    })

    it.skipIf(bench.transport === 'stdio')('is refused by a server that is modern only', async () => {
      const wire = await bench.open({ server: { versions: ['2026-07-28'] }, handshake: false })
      const { error } = await wire.request('initialize', { protocolVersion: bench.version, ...CLIENT })
      expect(error?.code).toBeLessThan(0)
    })

    it('ping is answered', async () => {
      expect((await bench.request('ping')).result).toEqual({})
    })

    it.each(['server/discover', 'subscriptions/listen'])('%s is not found here', async (method) => {
      // Without the modern envelope; discover itself is a modern word, and says what is missing.
      const { error } = await bench.request(method, { notifications: {} })
      expect(error?.code).toBe(method === 'server/discover' ? -32602 : -32601)
    })
  })
}

function modernSuite(bench: Bench): void {
  describe('server/discover', () => {
    it('names every revision, newest first', async () => {
      const { result } = await bench.request('server/discover')
      expect(result.supportedVersions).toEqual([...PROTOCOL_VERSIONS].reverse())
      expect(result).toMatchObject({ resultType: 'complete', ttlMs: 5000, cacheScope: 'public' })
    })

    it.skipIf(bench.transport === 'stdio')('names only what is served', async () => {
      const wire = await bench.open({ server: { versions: ['2026-07-28', '2025-06-18'] } })
      expect((await wire.request('server/discover')).result.supportedVersions).toEqual(['2026-07-28', '2025-06-18'])
    })

    it.skipIf(bench.transport === 'stdio')('is refused by a server that is legacy only', async () => {
      const wire = await bench.open({ server: { versions: [...LEGACY] } })
      expect((await wire.request('server/discover')).error?.code).toBeLessThan(0)
    })
  })

  describe('the envelope of a request (basic, "_meta")', () => {
    const V = 'io.modelcontextprotocol/protocolVersion'
    const C = 'io.modelcontextprotocol/clientCapabilities'
    const http = bench.transport === 'http' || bench.transport === 'fetch'

    it.each(['2027-01-01', '2025-11-25', 'x'])('with version %s is -32022 with what is supported', async (version) => {
      const headers = { 'mcp-protocol-version': version }
      const { error, status } = await bench.request('tools/list', {}, { meta: { [V]: version }, headers })
      // A header that names an older revision makes it that revision's business, and there is no session.
      if (http && version < '2026') return expect(status).toBe(400)
      expect(error).toMatchObject({
        code: -32022,
        data: { requested: version, supported: [...PROTOCOL_VERSIONS].reverse() },
      })
      if (http) expect(status).toBe(400)
    })

    it.each([
      [{ [C]: null }, C],
      [{ [C]: 'all' }, C],
      [{ [V]: 5 }, V],
      [{ 'io.modelcontextprotocol/clientInfo': { name: 'x' } }, 'io.modelcontextprotocol/clientInfo'],
    ])('%j is -32602 and names the member', async (meta, parameter) => {
      const { error, status } = await bench.request('tools/list', {}, { meta })
      expect(error).toMatchObject({ code: -32602, data: { parameter } })
      if (http) expect(status).toBe(400)
    })

    it.each([
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'tasks/list',
      'constructor',
    ])('%s is -32601', async (method) => {
      const { error, status } = await bench.request(method, { uri: 'data://json' })
      expect(error).toMatchObject({ code: -32601 })
      if (http) expect(status).toBe(404)
    })
  })

  describe('every result', () => {
    it.each([
      ['tools/list', {}, { ttlMs: 5000, cacheScope: 'private' }],
      ['prompts/list', {}, { ttlMs: 5000, cacheScope: 'private' }],
      ['resources/list', {}, { ttlMs: 5000, cacheScope: 'private' }],
      ['resources/templates/list', {}, { ttlMs: 5000, cacheScope: 'private' }],
      ['resources/read', { uri: 'file:///readme.txt' }, { ttlMs: 60_000, cacheScope: 'public' }],
      ['resources/read', { uri: 'data://json' }, { ttlMs: 1000, cacheScope: 'private' }],
      ['tools/call', { name: 'echo', arguments: { text: 'x' } }, {}],
      ['prompts/get', { name: 'whole' }, {}],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'tone', value: '' } },
        {},
      ],
    ])('of %s is complete, signed and says how long it keeps', async (method, params, hints) => {
      const { result } = await bench.request(method, params)
      expect(result).toMatchObject({ resultType: 'complete', ...hints })
      expect(result._meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'matrix', version: '1.2.3' } })
      if (Object.keys(hints).length === 0) expect(result).not.toHaveProperty('ttlMs')
    })
  })

  it.runIf(bench.transport === 'memory' || bench.transport === 'stdio')(
    'shares its connection with a session of the other era',
    async () => {
      const wire = await bench.open()
      expect((await wire.request('tools/list')).result.resultType).toBe('complete')
      const params = { protocolVersion: '2025-06-18', ...CLIENT }
      await wire.raw(JSON.stringify({ jsonrpc: '2.0', id: 'old', method: 'initialize', params }), { foreign: true })
      expect(wire.log.find(({ id }) => id === 'old')).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
      expect((await wire.request('tools/list')).result.resultType).toBe('complete')
    },
  )
}
