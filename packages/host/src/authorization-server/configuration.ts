/**
 * The library's configuration for this one purpose: codes with PKCE for public clients, tokens for named resources,
 * refresh tokens that rotate, clients that register themselves or are described by a document of theirs.
 */

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { ClientMetadata, Configuration, JWKS, KoaContextWithOIDC } from 'oidc-provider'
import { ClientPolicy } from './client-policy.ts'
import { createConsentPolicy } from './consent-policy.ts'
import { createDocumentFetch } from './document-fetch.ts'
import { createMemoryStore } from './memory-store.ts'
import { pagePolicy } from './page-response.ts'
import { logoutPage, messagePage } from './pages.ts'
import { errors } from './provider.ts'
import type { Users } from './users.ts'

interface ConfigurationOptions {
  readonly issuer: string
  readonly resources: readonly string[]
  readonly scopes: readonly string[]
  readonly clients: readonly ClientMetadata[]
  readonly jwks: JWKS | undefined
  readonly tokenFormat: 'jwt' | 'opaque'
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  readonly users: Users
  readonly fetch: typeof fetch | undefined
  /** Where the request comes from that is being served. */
  readonly source?: () => string | undefined
}

export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { users, scopes, accessTokenSeconds, refreshTokenSeconds } = options
  const policy = new ClientPolicy(options.clients)
  const secure = options.issuer.startsWith('https:')
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const
  return {
    adapter: createMemoryStore(options.source && { source: options.source }),
    clients: [...options.clients],
    extraClientMetadata: createClientCheck(policy),
    jwks: options.jwks ?? createKeys(),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access', ...scopes],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      long: cookie,
      short: cookie,
      names: {
        session: `${secure ? '__Host-' : ''}portico_session`,
        interaction: `${secure ? '__Secure-' : ''}portico_interaction`,
        resume: `${secure ? '__Secure-' : ''}portico_resume`,
      },
    },
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' && (client.redirectUris ?? []).some((uri) => originOf(uri) === origin),
    findAccount: async (_ctx, id) => {
      const user = users.get(id)
      return user && { accountId: id, claims: async () => ({ sub: id, ...user.claims }) }
    },
    extraTokenClaims: async (_ctx, token) => {
      const roles =
        'accountId' in token && token.accountId !== undefined ? users.get(token.accountId)?.roles : undefined
      return roles === undefined ? undefined : { roles }
    },
    features: createFeatures(options, policy),
    interactions: { policy: createConsentPolicy() },
    renderError: async (ctx, { error, error_description: description }) => {
      setPage(ctx, messagePage('Something is not right', `${description ?? error}`))
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: refreshTokenSeconds,
      IdToken: 3600,
      Interaction: 600,
      Session: refreshTokenSeconds,
      Grant: refreshTokenSeconds,
    },
    fetch: options.fetch ?? createDocumentFetch(),
  }
}

function createFeatures(options: ConfigurationOptions, policy: ClientPolicy): NonNullable<Configuration['features']> {
  const { resources, scopes, tokenFormat, accessTokenSeconds } = options
  const served = new Set(resources)
  return {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    clientCredentials: { enabled: options.clients.some(mayActAlone) },
    dPoP: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) =>
        policy.isResourceServer(client) || token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, _client, oneOf) => oneOf ?? (resources.length === 1 ? (resources[0] ?? []) : []),
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource) => {
        if (!served.has(resource)) throw new errors.InvalidTarget()
        return {
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: accessTokenSeconds,
          accessTokenFormat: tokenFormat,
          ...(tokenFormat === 'jwt' && { jwt: { sign: { alg: 'ES256' } } }),
        }
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: async (ctx, form) => setPage(ctx, logoutPage(form)),
      postLogoutSuccessSource: async (ctx) => setPage(ctx, messagePage('Signed out', 'You may close this page.')),
    },
  }
}

/** The library calls it for every client that it makes, once for each member that is declared: one is enough. */
function createClientCheck(policy: ClientPolicy): NonNullable<Configuration['extraClientMetadata']> {
  return {
    properties: [CHECKED],
    validator: (_ctx, name, _value, metadata) => {
      policy.check(metadata)
      delete metadata[name]
    },
  }
}

const CHECKED = 'portico_checked'

function mayActAlone({ grant_types: grants }: ClientMetadata): boolean {
  return grants?.includes('client_credentials') === true
}

function setPage(ctx: KoaContextWithOIDC, html: string): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', pagePolicy())
  ctx.body = html
}

/** For tokens and, as the library's default for ID tokens, RSA. */
function createKeys(): JWKS {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  // A private key that Node has just exported: it has the members that its type needs.
  return { keys: [{ ...ec, use: 'sig', alg: 'ES256' }] as JWKS['keys'] }
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined
}
