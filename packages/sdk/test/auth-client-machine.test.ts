/** The grants without a person, tokens bound to keys, and client certificates. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { DpopKey } from '../src/auth/client/dpop.ts'
import { authFailureOf } from '../src/auth/client/failure.ts'
import { clientCredentials, enterpriseManaged, workloadIdentity } from '../src/auth/client/grant-machine.ts'
import type { GrantType } from '../src/auth/client/grant-type.ts'
import { connect } from '../src/connect/connect.ts'
import { createHttpHandler } from '../src/serve/adapters/http.ts'
import { createServer } from '../src/server/server.ts'
import { type Vices, World } from './auth-client-world.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(vices?: Vices): Promise<World> {
  const world = await World.start(vices)
  cleanups.push(() => world.stop())
  return world
}

async function call(world: World, grant: GrantType): Promise<void> {
  const client = await connect(world.server, { auth: { grant }, negotiations: false })
  cleanups.push(() => client.close())
  await client.callTool('hello')
}

const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`

test.each<[readonly string[] | undefined, 'basic' | 'post']>([
  [undefined, 'basic'],
  [['client_secret_basic', 'client_secret_post'], 'basic'],
  [['client_secret_post'], 'post'],
])('client credentials with a secret where %j are offered: %s', async (offered, way) => {
  const world = await start({
    issuer: () => ({ token_endpoint_auth_methods_supported: offered }),
    resource: () => ({ scopes_supported: ['jobs'] }),
  })
  await call(world, clientCredentials({ clientId: 'job-1', clientSecret: 's:e/c' }))
  const [request] = world.grants('client_credentials')
  expect(request!.form.get('resource')).toBe(world.server)
  expect(request!.form.get('scope')).toBe('jobs')
  expect(request!.headers.authorization).toBe(way === 'basic' ? basic('job-1', 's%3Ae%2Fc') : undefined)
  expect(request!.form.get('client_secret')).toBe(way === 'post' ? 's:e/c' : null)
})

test('client credentials with a private key: an assertion for the issuer, new each time', async () => {
  const world = await start()
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  await call(world, clientCredentials({ clientId: 'job-1', privateKey: await exportPKCS8(privateKey), keyId: 'k' }))
  const assertion = world.grants('client_credentials')[0]!.form.get('client_assertion') ?? ''
  const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, { audience: world.issuer })
  expect(payload).toMatchObject({ iss: 'job-1', sub: 'job-1' })
  expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'k' })
})

test('an expired machine token is asked for anew', async () => {
  const world = await start()
  const client = await connect(world.server, {
    auth: { grant: clientCredentials({ clientId: 'job', clientSecret: 'x' }) },
    negotiations: false,
  })
  cleanups.push(() => client.close())
  world.tokens.clear()
  world.refreshTokens.clear()
  await Promise.all([client.callTool('hello'), client.callTool('hello')])
  expect(world.grants('client_credentials')).toHaveLength(2)
})

test('workload identity: the platform token is the assertion, and a refusal is final', async () => {
  const world = await start()
  const audiences: string[] = []
  const assertion = (issuer: string) => {
    audiences.push(issuer)
    return 'platform-token'
  }
  await call(world, workloadIdentity({ clientId: 'w', assertion }))
  const form = world.asked('/token')[0]!.form
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  expect(form.get('assertion')).toBe('platform-token')
  expect(audiences).toEqual([world.issuer])

  const strict = await start({ token: () => ({ error: 'invalid_grant', error_description: 'no' }) })
  const failed = await call(strict, workloadIdentity({ clientId: 'w', assertion })).catch(authFailureOf)
  expect(failed).toEqual({ reason: 'token-refused', error: 'invalid_grant' })
  expect(strict.asked('/token')).toHaveLength(1)
})

test('enterprise-managed: the ID token goes to the identity provider alone, its grant to the authorization server', async () => {
  const idp = await start({
    token: () => ({
      access_token: 'the-id-jag',
      token_type: 'N_A',
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    }),
  })
  const world = await start({ resource: () => ({ scopes_supported: ['mail'] }) })
  await call(
    world,
    enterpriseManaged({
      client: { clientId: 'app', clientSecret: 'app-secret' },
      idp: { clientId: 'at-idp', issuer: idp.issuer, tokenEndpoint: `${idp.issuer}/token` },
      idToken: () => 'the-id-token',
    }),
  )
  expect(Object.fromEntries(idp.asked('/token')[0]!.form)).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token: 'the-id-token',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: world.issuer,
    resource: world.server,
    scope: 'mail',
    client_id: 'at-idp',
  })
  const [request] = world.asked('/token')
  expect(request!.form.get('assertion')).toBe('the-id-jag')
  expect(request!.headers.authorization).toBe(basic('app', 'app-secret'))
  expect(JSON.stringify(world.toIssuer)).not.toContain('the-id-token')
  expect(JSON.stringify(idp.toIssuer)).not.toContain('app-secret')
})

test('RFC 9449: proofs are fresh, name the request without its query, and bind the token and the nonce', async () => {
  const key = await DpopKey.create()
  const again = await DpopKey.from(key.jwk)
  const url = new URL('https://mcp.example/mcp?x=1#y')
  const first = await key.proof('POST', url, 'token')
  expect(key.noteNonce('n1')).toBe(true)
  expect(key.noteNonce('n1')).toBe(false)
  expect(key.noteNonce('bad nonce\r\n')).toBe(false)
  const second = await key.proof('POST', url, 'token')
  expect(decodeJwt(first)).toMatchObject({
    htm: 'POST',
    htu: 'https://mcp.example/mcp',
    ath: 'PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A',
  })
  expect(decodeJwt(second).nonce).toBe('n1')
  expect(decodeJwt(second).jti).not.toBe(decodeJwt(first).jti)
  const header = decodeProtectedHeader(first)
  expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
  expect(header.jwk).not.toHaveProperty('d')
  expect(await again.handle.calculateThumbprint()).toBe(await key.handle.calculateThumbprint())
})

test('mTLS: the certificate is shown to the server, and the server is known by the given authority alone', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  try {
    openssl('version')
  } catch {
    return context.skip()
  }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...key, '-days', '1', '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem')
  writeFileSync(join(folder, 'ext'), 'subjectAltName=IP:127.0.0.1')
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'ext']
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`)
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const seen: string[] = []
  const handle = createHttpHandler(createServer({ name: 'tls', version: '1' }))
  const server = createHttpsServer(
    { cert: read('server.pem'), key: read('server.key'), ca: read('ca.pem'), requestCert: true },
    (req, res) => {
      // Declared for sockets without TLS too; this server has none of those.
      const { getPeerCertificate } = req.socket as unknown as { getPeerCertificate(): { subject?: { CN: string } } }
      seen.push(getPeerCertificate.call(req.socket).subject?.CN ?? 'nobody')
      handle(req, res)
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const tls = { cert: read('client.pem'), key: read('client.key'), ca: read('ca.pem') }
  const client = await connect(url, { tls, negotiations: false })
  await client.close()
  expect(new Set(seen)).toEqual(new Set(['client']))
  await expect(connect(url, { tls: { cert: tls.cert, key: tls.key }, negotiations: false })).rejects.toMatchObject({
    code: 'connect-failed',
  })
  await expect(connect(url, { tls, fetch: (input, init) => fetch(input, init) })).rejects.toThrow('Node')
})
