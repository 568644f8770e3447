/** HTTPS, HTTP/2 and client certificates: how a verified certificate becomes a principal, and what never does. */

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as dialTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type HttpOptions, type HttpServer, serveHttp } from '../src/serve/adapters/http.ts'
import { toAlternativeNames, toDistinguishedName } from '../src/serve/adapters/http-certificate.ts'
import { requireBearer } from '../src/serve/bearer/bearer.ts'
import { anyOf } from '../src/serve/rules/authorization.ts'
import { requireCertificate } from '../src/serve/rules/authorization-certificate.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createIssuer, type Issuer, RESOURCE } from './auth-server-fixture.ts'
import { modern } from './http-fixture.ts'

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

interface Identity {
  readonly cert: string
  readonly key: string
}

let folder: string
let ca: string
let server: Identity
let alice: Identity
let stranger: Identity
let http: HttpServer
let issuer: Issuer

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}

function authority(name: string): void {
  openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
  )
}

function issue(name: string, by: string, subject: string, names: string): Identity {
  openssl(
    'req',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    subject,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
  )
  writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${names}`)
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    `${by}.pem`,
    '-CAkey',
    `${by}.key`,
    '-CAcreateserial',
    '-days',
    '1',
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.pem`,
  )
  return { cert: read(`${name}.pem`), key: read(`${name}.key`) }
}

const read = (file: string) => readFileSync(join(folder, file), 'utf8')

beforeAll(async () => {
  issuer = await createIssuer()
  if (!hasOpenssl) return
  folder = mkdtempSync(join(tmpdir(), 'portico-tls-'))
  authority('ca')
  authority('other')
  ca = read('ca.pem')
  server = issue('server', 'ca', '/CN=localhost', 'DNS:localhost,IP:127.0.0.1')
  alice = issue('alice', 'ca', '/O=Example/CN=alice', 'URI:spiffe://example/alice')
  stranger = issue('stranger', 'other', '/O=Example/CN=alice', 'URI:spiffe://example/alice')
})

afterAll(async () => {
  await issuer.close()
  if (hasOpenssl) rmSync(folder, { recursive: true })
})

afterEach(async () => {
  await http?.close()
})

async function serve(options: HttpOptions): Promise<void> {
  const whoami = tool({}, (_, ctx) =>
    JSON.stringify({ id: ctx.principal?.id, scopes: [...(ctx.principal?.scopes ?? [])] }),
  )
  http = await serveHttp(createServer({ name: 'tls', version: '1', tools: { whoami } }), {
    port: 0,
    graceMs: 200,
    ...options,
  })
}

interface Answered {
  readonly status: number
  readonly id?: string
  readonly scopes?: string[]
}

async function whoami(identity: Partial<Identity> = {}, headers: { [name: string]: string } = {}): Promise<Answered> {
  const sent = modern('tools/call', { name: 'whoami', arguments: {} }, headers)
  const req = request({
    host: '127.0.0.1',
    port: http.port,
    path: '/mcp',
    method: 'POST',
    headers: { ...sent.headers },
    ca,
    agent: false,
    ...identity,
  })
  req.end(sent.body)
  const [response] = await once(req, 'response')
  const body = JSON.parse(await text(response))
  return { status: response.statusCode, ...(body.result && JSON.parse(body.result.content[0].text)) }
}

const ALICE = 'certificate O=Example, CN=alice by CN=ca'

describe.skipIf(!hasOpenssl)('TLS', () => {
  it('serves HTTPS under an https URL', async () => {
    await serve({ tls: server })
    expect(http.url).toBe(`https://127.0.0.1:${http.port}/mcp`)
    expect((await whoami()).status).toBe(200)
  })

  it('ends connections without a certificate of the authority where one is required', async () => {
    await serve({ tls: { ...server, ca, clientCertificate: 'required' }, auth: requireCertificate() })
    expect(await whoami(alice)).toEqual({ status: 200, id: ALICE, scopes: [] })
    await expect(whoami()).rejects.toThrow()
    await expect(whoami(stranger)).rejects.toThrow()
  })

  it('never counts a certificate that was not verified, where they are optional', async () => {
    await serve({ tls: { ...server, ca, clientCertificate: 'optional' }, auth: requireCertificate() })
    expect((await whoami(alice)).status).toBe(200)
    expect((await whoami(stranger)).status).toBe(403)
    expect((await whoami()).status).toBe(403)
  })

  it('maps certificates by name or fingerprint, and turns away whom the rules do not know', async () => {
    const scopes = () => ['read']
    const identity = ({ names }: { names: readonly string[] }) =>
      names.find((name) => name.startsWith('URI:spiffe://other/'))
    for (const [rules, expected] of [
      [
        { identity: 'name', scopes },
        { status: 200, id: 'certificate URI:spiffe://example/alice by CN=ca', scopes: ['read'] },
      ],
      [
        { identity: 'fingerprint' },
        { status: 200, id: expect.stringMatching(/^certificate [0-9a-f]{64}$/), scopes: [] },
      ],
      [{ identity }, { status: 403 }],
    ] as const) {
      await serve({ tls: { ...server, ca, clientCertificate: 'required' }, auth: requireCertificate(rules) })
      expect(await whoami(alice)).toEqual(expected)
      await http.close()
    }
  })

  it('insists on authorities of one’s own for client certificates', async () => {
    await expect(serve({ tls: { ...server, clientCertificate: 'required' } })).rejects.toThrow(/tls.ca/)
    await expect(serve({ http2: true })).rejects.toThrow(/http2 needs tls/)
  })

  it('holds certificate-bound tokens to their certificate (RFC 8705)', async () => {
    const bob = issue('bob', 'ca', '/CN=bob', 'DNS:bob')
    const auth = requireBearer({ issuer: issuer.url, resource: RESOURCE, certificateBound: true })
    await serve({ tls: { ...server, ca, clientCertificate: 'optional' }, auth })
    openssl('x509', '-in', 'alice.pem', '-outform', 'DER', '-out', 'alice.der')
    const digest = await crypto.subtle.digest('SHA-256', readFileSync(join(folder, 'alice.der')))
    const bound = await issuer.sign({ cnf: { 'x5t#S256': Buffer.from(digest).toString('base64url') } })
    const headers = { authorization: `Bearer ${bound}` }
    expect(await whoami(alice, headers)).toMatchObject({ status: 200, id: `${issuer.url} alice` })
    expect((await whoami(bob, headers)).status).toBe(401)
    expect((await whoami({}, headers)).status).toBe(401)
    expect((await whoami(alice, { authorization: `Bearer ${await issuer.sign()}` })).status).toBe(401)
  })

  it('takes a certificate or a token where either will do', async () => {
    const auth = anyOf(requireCertificate(), requireBearer({ issuer: issuer.url, resource: RESOURCE }))
    await serve({ tls: { ...server, ca, clientCertificate: 'optional' }, auth })
    expect((await whoami(alice)).id).toBe(ALICE)
    expect((await whoami({}, { authorization: `Bearer ${await issuer.sign()}` })).id).toBe(`${issuer.url} alice`)
    expect((await whoami()).status).toBe(401)
  })

  it('speaks HTTP/2 with certificates, HTTP/1.1 beside it, and closes both', async () => {
    await serve({ tls: { ...server, ca, clientCertificate: 'required' }, http2: true, auth: requireCertificate() })
    expect((await whoami(alice)).id).toBe(ALICE)
    const session = connectHttp2(`https://localhost:${http.port}`, { ca, ...alice })
    const { headers, body } = modern('tools/call', { name: 'whoami', arguments: {} })
    const stream = session.request({ ':method': 'POST', ':path': '/mcp', ...headers })
    stream.end(body)
    const [head] = await once(stream, 'response')
    expect(head[':status']).toBe(200)
    expect(JSON.parse(JSON.parse(await text(stream)).result.content[0].text).id).toBe(ALICE)
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const events = session.request({ ':method': 'POST', ':path': '/mcp', ...listen.headers })
    events.end(listen.body)
    const [first] = await once(events.setEncoding('utf8'), 'data')
    expect(first).toContain('acknowledged')
    const closed = once(session, 'close')
    await http.close()
    await closed
  })
})

it.runIf(hasOpenssl)('gives HTTP/2 requests a time to arrive in, too', async () => {
  await serve({ tls: server, http2: true, limits: { requestTimeoutMs: 50 } })
  const session = connectHttp2(`https://localhost:${http.port}`, { ca })
  const { headers } = modern('tools/list')
  const stream = session.request({ ':method': 'POST', ':path': '/mcp', ...headers })
  stream.write('{')
  await once(stream, 'close')
  session.close()
})

it.runIf(hasOpenssl)(
  'ends connections beside HTTP/2 on which nothing is asked, and keeps those that listen (sec-637)',
  async () => {
    await serve({ tls: server, http2: true, limits: { requestTimeoutMs: 3000, headersTimeoutMs: 3000 } })
    const at = `https://localhost:${http.port}`
    const [used, idle] = [connectHttp2(at, { ca }), connectHttp2(at, { ca })]
    const { headers, body } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const events = used.request({ ':method': 'POST', ':path': '/mcp', ...headers })
    events.end(body)
    await once(events.setEncoding('utf8'), 'data')
    const half = dialTls({ port: http.port, host: 'localhost', ca, ALPNProtocols: ['http/1.1'] })
    half.on('error', () => {}).write('POST /mcp HT')
    await Promise.all([once(idle, 'close'), once(half.resume(), 'close')])
    expect(used.destroyed).toBe(false)
    used.destroy()
  },
)

it.runIf(!hasOpenssl)('the TLS tests were left out: there is no openssl here', () => {})

describe('names in certificates', () => {
  it.each([
    ['DNS:a.example, URI:spiffe://x', ['DNS:a.example', 'URI:spiffe://x']],
    ['DNS:"x, URI:spiffe://admin", email:a@b.example', ['DNS:x, URI:spiffe://admin', 'email:a@b.example']],
    ['IP Address:0:0:0:0:0:0:0:1', ['IP Address:0:0:0:0:0:0:0:1']],
    ['', []],
  ])('%s', (list, names) => {
    expect(toAlternativeNames(list)).toEqual(names)
  })

  it('a value cannot pass for two', () => {
    expect(toDistinguishedName({ CN: 'eve, O=Admins' })).toBe('CN=eve\\, O\\=Admins')
    expect(toDistinguishedName({ OU: ['a', 'b'] })).toBe('OU=a, OU=b')
  })
})
