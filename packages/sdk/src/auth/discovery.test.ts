import { expect, test } from 'vitest'
import { discoverIssuer, discoverLegacyIssuer, issuerMetadataUrls } from './client/discovery-issuer.ts'
import { discoverResource, isResourceOf, resourceMetadataUrls } from './client/discovery-resource.ts'
import { authFailureOf } from './client/failure.ts'
import type { AuthFetch } from './network/guarded-target.ts'

const hrefs = (urls: readonly URL[]) => urls.map(({ href }) => href)

/** A web of documents; everything else is not there. Remembers what was asked for. */
function web(documents: { readonly [url: string]: unknown }): AuthFetch & { readonly asked: string[] } {
  const asked: string[] = []
  const fetch: AuthFetch = async (url) => {
    asked.push(url)
    const document = documents[url]
    if (typeof document === 'number') return new Response('', { status: document })
    return document === undefined ? new Response('', { status: 404 }) : Response.json(document)
  }
  return Object.assign(fetch, { asked })
}

const reasonOf = (error: unknown) => authFailureOf(error)?.reason

test.each([
  [
    'https://h/public/mcp',
    ['https://h/.well-known/oauth-protected-resource/public/mcp', 'https://h/.well-known/oauth-protected-resource'],
  ],
  ['https://h/', ['https://h/.well-known/oauth-protected-resource']],
  ['https://h', ['https://h/.well-known/oauth-protected-resource']],
])('sec-52: %s is looked up at %j', (server, expected) => {
  expect(hrefs(resourceMetadataUrls(new URL(server)))).toEqual(expected)
})

test.each([
  [
    'https://h/t1',
    [
      'https://h/.well-known/oauth-authorization-server/t1',
      'https://h/.well-known/openid-configuration/t1',
      'https://h/t1/.well-known/openid-configuration',
    ],
  ],
  ['https://h', ['https://h/.well-known/oauth-authorization-server', 'https://h/.well-known/openid-configuration']],
  ['https://h/', ['https://h/.well-known/oauth-authorization-server', 'https://h/.well-known/openid-configuration']],
])('sec-54: the issuer %s is looked up at %j', (issuer, expected) => {
  expect(hrefs(issuerMetadataUrls(issuer))).toEqual(expected)
})

test.each([
  ['https://h/mcp', 'https://h/mcp', true],
  ['https://h/', 'https://h/mcp', true],
  ['https://h', 'https://h/mcp', true],
  ['https://h/mcp/', 'https://h/mcp', true],
  ['HTTPS://H/mcp', 'https://h/mcp', true],
  ['https://h:443/mcp', 'https://h/mcp', true],
  ['https://h/mc', 'https://h/mcp', false],
  ['https://h/mcp/more', 'https://h/mcp', false],
  ['https://h/MCP', 'https://h/mcp', false],
  ['https://h:8443/mcp', 'https://h/mcp', false],
  ['http://h/mcp', 'https://h/mcp', false],
  ['https://evil.example/mcp', 'https://h/mcp', false],
  ['https://h.evil.example/mcp', 'https://h/mcp', false],
  ['https://h@evil.example/mcp', 'https://h/mcp', false],
  ['https://x@h/mcp', 'https://h/mcp', false],
  ['https://h/mcp#x', 'https://h/mcp', false],
  ['https://h/mcp?tenant=a', 'https://h/mcp?tenant=b', false],
  ['https://h/mcp?tenant=a', 'https://h/mcp?tenant=a', true],
  ['urn:mcp', 'https://h/mcp', false],
  ['', 'https://h/mcp', false],
])('sec-62, sec-63: %s stands for %s: %s', (resource, server, expected) => {
  expect(isResourceOf(resource, new URL(server))).toBe(expected)
})

const server = new URL('https://h/mcp')
const document = { resource: 'https://h/mcp', authorization_servers: ['https://as'] }

test('sec-52: the address in the challenge is the only one asked', async () => {
  const fetch = web({ 'https://h/elsewhere': document })
  expect(await discoverResource(fetch, server, 'https://h/elsewhere')).toMatchObject({ resource: 'https://h/mcp' })
  expect(fetch.asked).toEqual(['https://h/elsewhere'])
  expect(await discoverResource(web({}), server, 'https://h/elsewhere').catch(reasonOf)).toBe('no-metadata')
  expect(await discoverResource(web({}), server, 'not a url').catch(reasonOf)).toBe('no-metadata')
})

test.each<[string, unknown, unknown]>([
  ['without a resource', { authorization_servers: ['https://as'] }, 'resource-mismatch'],
  ['for another resource', { ...document, resource: 'https://evil.example' }, 'resource-mismatch'],
  ['with a resource that is no text', { ...document, resource: { toString: 1 } }, 'resource-mismatch'],
  ['without an authorization server', { ...document, authorization_servers: [] }, 'no-metadata'],
  ['with authorization servers that are no text', { ...document, authorization_servers: [1, null] }, 'no-metadata'],
  ['that is an array', [], undefined],
])('sec-50: metadata %s is not used', async (_, found, reason) => {
  const fetch = web({ 'https://h/.well-known/oauth-protected-resource/mcp': found })
  expect(await discoverResource(fetch, server).catch(reasonOf)).toBe(reason)
})

test('sec-55: a server that fails is not taken for one without metadata', async () => {
  const fetch = web({ 'https://h/.well-known/oauth-protected-resource/mcp': 503 })
  expect(await discoverResource(fetch, server).catch(reasonOf)).toBe('unreachable')
})

test.each([
  'https://as/',
  'https://AS',
  'HTTPS://as',
  'https://as:443',
  'https://as/%2e',
  'https://attacker.example',
  '',
  undefined,
])('sec-56: metadata issued by %s is not used for https://as', async (issuer) => {
  const fetch = web({ 'https://as/.well-known/oauth-authorization-server': { issuer, token_endpoint: 'https://as/t' } })
  expect(await discoverIssuer(fetch, 'https://as').catch(reasonOf)).toBe('issuer-mismatch')
  expect(fetch.asked).toHaveLength(1)
})

test.each(['https://as?x', 'https://as#x', 'as', 'javascript:alert(1)'])('%s is no issuer', async (issuer) => {
  const fetch = web({})
  expect(await discoverIssuer(fetch, issuer).catch(reasonOf)).toBe('no-metadata')
  expect(fetch.asked).toEqual([])
})

test('sec-55: without any metadata 2025-03-26 has three fixed paths', async () => {
  expect(await discoverLegacyIssuer(web({}), new URL('https://h/v1/mcp'))).toEqual({
    issuer: 'https://h',
    authorization_endpoint: 'https://h/authorize',
    token_endpoint: 'https://h/token',
    registration_endpoint: 'https://h/register',
    code_challenge_methods_supported: ['S256'],
  })
})
