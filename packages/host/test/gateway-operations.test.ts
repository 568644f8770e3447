/** The port for those who run a gateway: what it shows, what it does, and whom it refuses. */

import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { createPrincipal, createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { secretsFromEnvironment } from '../src/config/trust/secret-store.ts'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { MAX_REVOKED } from '../src/gateway/operations/caller-control.ts'
import { GATEWAY_METRICS } from '../src/gateway/operations/metric-list.ts'
import { metricsText } from '../src/gateway/operations/metrics-text.ts'
import { type OperationsServer, serveOperations } from '../src/gateway/operations/serve-operations.ts'
import { serveGateway } from '../src/gateway/serve.ts'
import { createLab } from './gateway-lab.ts'

const TOKEN = 'a-token-of-enough-characters'
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let gateway: Gateway
let url: string
let operations: OperationsServer
let reloads = 0
const actions: string[] = []

beforeEach(async () => {
  reloads = 0
  actions.length = 0
  const echo = createServer({
    name: 'echo',
    version: '1',
    tools: {
      say: tool({}, () => 'said'),
      fail: tool({}, () => {
        throw new Error('no')
      }),
    },
  })
  const lab = await createLab({ echo: { target: echo } })
  gateway = createGateway(lab, { onError: () => {} })
  const served = await serveGateway(gateway, {
    port: 0,
    graceMs: 0,
    authenticate: (head) => createPrincipal(head.header('x-user') ?? 'nobody'),
  })
  url = served.url
  operations = await serveOperations(gateway, {
    port: 0,
    token: TOKEN,
    allowedHosts: ['gateway.internal'],
    reload: async () => {
      reloads++
    },
    onAction: (action, subject) => actions.push(subject === undefined ? action : `${action} ${subject}`),
  })
  closers.push(
    () => lab.close(),
    () => served.close(),
    () => operations.close(),
  )
})

async function call(user: string, version: '2025-06-18' | '2026-07-28', name = 'say'): Promise<string> {
  const client = await connect(url, { versions: version, headers: { 'x-user': user } })
  try {
    const { content } = await client.callTool(name, {})
    return JSON.stringify(content)
  } finally {
    await client.close()
  }
}

interface Reply {
  readonly status: number
  readonly text: string
}

/** By hand, so that `Host` and `Origin` can be whatever they like. */
function ask(line: string, headers: { readonly [name: string]: string } = {}, body = ''): Promise<Reply> {
  const [method = '', path = ''] = line.split(' ')
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${operations.url}${path}`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(method === 'POST' ? body : undefined)
  })
}

const BEARER = { authorization: `Bearer ${TOKEN}` }
const POSTED = { ...BEARER, 'content-type': 'application/json' }

describe('metrics', () => {
  test('every metric of the list has its words, its type and a value after a call', async () => {
    await call('ada', '2026-07-28')
    await call('ada', '2025-06-18', 'fail').catch(() => {})
    const { status, text } = await ask('GET /metrics')
    expect(status).toBe(200)
    for (const { name, type } of GATEWAY_METRICS) {
      expect(text).toContain(`# TYPE ${name} ${type}\n`)
      expect(text).toMatch(new RegExp(`^${name}(\\{[^}]*\\})? [0-9.e+-]+$`, 'm'))
    }
    expect(text).toContain('portico_gateway_calls_total{server="echo",ending="ok"} 2\n')
    expect(text).toContain('portico_gateway_server_up{server="echo"} 1\n')
    expect(text).not.toContain('ada')
  })

  test('names with quotes, line ends and backslashes stay one label', () => {
    const odd = 'a"b\n\\c'
    const health = { ok: true, servers: { [odd]: { state: 'ready' } } }
    const metrics = { servers: {}, principals: {}, parked: 0, abandoned: 0, connections: 0, tasks: 0, followed: 0 }
    const text = metricsText({ metrics: () => metrics, health: () => health })
    expect(text).toContain('portico_gateway_server_up{server="a\\"b\\n\\\\c"} 1\n')
  })

  test('the guide, the dashboard and the alerts name the metrics that exist', () => {
    const known = new Set(GATEWAY_METRICS.map(({ name }) => name))
    const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
    const guide = read('docs/guide/operating.md')
    for (const { name, type } of GATEWAY_METRICS) expect(guide).toContain(`| \`${name}\` | ${type} |`)
    for (const path of ['examples/deploy/prometheus/alerts.yml', 'examples/deploy/grafana/portico-gateway.json']) {
      const named = read(path).match(/\bportico_[a-z_]+/g) ?? []
      expect(named.length).toBeGreaterThan(5)
      expect(named.filter((name) => !known.has(name))).toEqual([])
    }
  })
})

describe('actions', () => {
  test('draining is told by readiness, and taken back; callers are served meanwhile', async () => {
    expect((await ask('GET /readyz')).status).toBe(200)
    expect((await ask('POST /drain', BEARER)).status).toBe(200)
    expect((await ask('GET /readyz')).status).toBe(503)
    expect((await fetch(new URL('/readyz', url))).status).toBe(503)
    expect(await call('ada', '2026-07-28')).toContain('said')
    await ask('DELETE /drain', BEARER)
    expect((await ask('GET /readyz')).status).toBe(200)
    expect(actions).toEqual(['drain', 'resume'])
  })

  test('reload reads the configuration once', async () => {
    expect((await ask('POST /reload', BEARER)).status).toBe(200)
    expect(reloads).toBe(1)
  })

  test.each(['2025-06-18', '2026-07-28'] as const)(
    'a principal is shut out of everything and let in again, %s',
    async (version) => {
      expect(await call('bob', version)).toContain('said')
      const held = await connect(url, { versions: version, headers: { 'x-user': 'bob' } })
      closers.push(() => held.close())
      expect((await ask('POST /revoke', POSTED, '{"caller":"bob"}')).status).toBe(200)
      const shutOut = /shut you out/
      await expect(held.callTool('say', {})).rejects.toThrow(shutOut)
      await expect(held.listTools({ fresh: true } as never)).rejects.toThrow(shutOut)
      await expect(call('bob', version)).rejects.toThrow()
      expect(await call('ada', version)).toContain('said')
      const { text } = await ask('GET /callers', BEARER)
      expect(JSON.parse(text)).toMatchObject({ revoked: ['bob'] })
      expect((await ask('POST /restore', POSTED, '{"caller":"bob"}')).status).toBe(200)
      expect(await call('bob', version)).toContain('said')
      expect((await ask('POST /restore', POSTED, '{"caller":"bob"}')).status).toBe(404)
    },
  )

  test('who calls is named as revoke takes it, and a name that nobody has called by is said to be one', async () => {
    await call('bob', '2026-07-28')
    const { callers } = JSON.parse((await ask('GET /callers', BEARER)).text)
    expect(callers).toEqual([{ caller: 'bob', calls: 1, running: 0, servers: expect.any(Array) }])
    const revoke = async (name: string) =>
      JSON.parse((await ask('POST /revoke', POSTED, JSON.stringify({ caller: name }))).text)
    expect(await revoke('bob')).toEqual({ revoked: 'bob', known: true })
    expect(await revoke('bbo')).toEqual({ revoked: 'bbo', known: false, note: expect.stringContaining('GET /callers') })
    expect(gateway.revoked()).toEqual(['bob', 'bbo'])
    const session = await connect(url, { versions: '2025-11-25', headers: { 'x-user': 'ada' } })
    expect(await revoke('ada')).toEqual({ revoked: 'ada', known: true })
    await session.close()
  })

  test('there is room for so many who are shut out', async () => {
    for (let i = 0; i < MAX_REVOKED; i++) await gateway.revoke(`p${i}`)
    await expect(gateway.revoke('one more')).rejects.toThrow('No more than')
    await gateway.revoke('p0')
    expect(gateway.revoked()).toHaveLength(MAX_REVOKED)
  })
})

describe('refusals', () => {
  const guarded = [
    'GET /callers',
    'POST /drain',
    'DELETE /drain',
    'POST /reload',
    'POST /revoke',
    'POST /restore',
    'GET /x',
  ]

  test.each(guarded)('sec-430: %s takes the token', async (line) => {
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${TOKEN.slice(0, -1)}`]) {
      expect((await ask(line, { authorization, 'content-type': 'application/json' }, '{"caller":"ada"}')).status).toBe(
        401,
      )
    }
    expect(actions).toEqual([])
    expect(gateway.revoked()).toEqual([])
    expect(gateway.health().ok).toBe(true)
  })

  test('sec-430: without a token there are no actions, and one that is short is refused', async () => {
    const open = await serveOperations(gateway, { port: 0 })
    closers.push(() => open.close())
    expect((await fetch(`${open.url}/drain`, { method: 'POST', headers: { authorization: 'Bearer ' } })).status).toBe(
      404,
    )
    await expect(serveOperations(gateway, { port: 0, token: 'short' })).rejects.toThrow('at least 24 characters')
  })

  test.each([
    ['a page', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a name that is not known', { host: 'evil.example' }],
    ['a name that looks like an address', { host: '127.0.0.1.evil.example' }],
  ])('sec-431: %s gets nothing', async (_what, headers: { readonly [name: string]: string }) => {
    for (const line of ['GET /metrics', 'GET /callers', 'POST /drain']) {
      expect((await ask(line, { ...BEARER, ...headers })).status).toBe(403)
    }
  })

  test.each(['gateway.internal', 'gateway.internal:9464', '[::1]:9464', '10.0.0.7', 'localhost:1'])(
    'is reached under %s',
    async (host) => {
      expect((await ask('GET /metrics', { host })).status).toBe(200)
    },
  )

  test.each([
    ['no body', ''],
    ['no JSON', '{'],
    ['no caller', '{}'],
    ['no text', '{"caller":1}'],
    ['empty', '{"caller":""}'],
    ['too large', JSON.stringify({ caller: 'a'.repeat(5000) })],
  ])('a body with %s is refused with words', async (_what, body) => {
    const { status, text } = await ask('POST /revoke', POSTED, body)
    expect(status).toBe(400)
    expect(text).toContain('caller')
    expect(gateway.revoked()).toEqual([])
  })

  test('a wrong method says the right one', async () => {
    const { status, text } = await ask('GET /revoke', BEARER)
    expect([status, text]).toEqual([405, 'Use POST /revoke\n'])
  })
})

describe('sessions', () => {
  interface Shown {
    readonly name: string
    readonly caller: string
  }
  const shown = async (): Promise<readonly Shown[]> => JSON.parse((await ask('GET /sessions', BEARER)).text).sessions

  test('are listed with who has them, and no id by which anybody could use one', async () => {
    const versions = ['2025-06-18', '2025-11-25'] as const
    const clients = await Promise.all(
      versions.map((version) => connect(url, { versions: version, headers: { 'x-user': 'ada' } })),
    )
    expect(await shown()).toEqual(
      expect.arrayContaining(
        versions.map((version) => expect.objectContaining({ caller: 'ada', version, name: expect.any(String) })),
      ),
    )
    expect(JSON.stringify(await shown())).not.toMatch(/[0-9a-f]{40}/)
    await Promise.all(clients.map((client) => client.close()))
    expect(await shown()).toEqual([])
  })

  test('sec-547: one is ended by name, the others go on, and only with the token', async () => {
    const open = () => connect(url, { versions: '2025-11-25', headers: { 'x-user': 'ada' } })
    const [one, other] = [await open(), await open()]
    const [{ name } = { name: '' }] = await shown()
    const body = JSON.stringify({ session: name })
    expect((await ask('POST /revoke', { 'content-type': 'application/json' }, body)).status).toBe(401)
    expect((await ask('GET /sessions')).status).toBe(401)
    expect(await ask('POST /revoke', POSTED, body)).toEqual({ status: 200, text: `{"ended":"${name}"}\n` })
    expect((await shown()).map((session) => session.name)).not.toContain(name)
    expect(await shown()).toHaveLength(1)
    expect((await ask('POST /revoke', POSTED, body)).status).toBe(404)
    expect(actions).toEqual([`revoke session ${name}`])
    // The caller itself is not shut out: its other session goes on, and it may open a new one.
    expect(gateway.revoked()).toEqual([])
    for (const client of [one, other]) expect((await client.callTool('say', {})).isError).not.toBe(true)
    await Promise.all([one.close(), other.close()])
  })
})

describe('secrets by file', () => {
  test('the variable counts before the file; a file that cannot be read is an error', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'portico-secret-')), 'key')
    await writeFile(file, 'from-file\n')
    const byFile = { PORTICO_SECRET_A_KEY_FILE: file }
    expect(await secretsFromEnvironment(byFile).get('a-key')).toBe('from-file')
    expect(await secretsFromEnvironment({ ...byFile, PORTICO_SECRET_A_KEY: 'set' }).get('a-key')).toBe('set')
    expect(await secretsFromEnvironment({}).get('a-key')).toBeUndefined()
    await expect(secretsFromEnvironment({ PORTICO_SECRET_A_KEY_FILE: `${file}.gone` }).get('a-key')).rejects.toThrow(
      'ENOENT',
    )
    await expect(secretsFromEnvironment({ PORTICO_SECRET_A_KEY_FILE: tmpdir() }).get('a-key')).rejects.toThrow(
      'no file',
    )
  })
})
