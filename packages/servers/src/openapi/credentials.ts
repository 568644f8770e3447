/**
 * What the operator lets the server prove itself with, put where the description's security schemes want it. Values come
 * from the environment by name; they go to the base URL's origin only, and `redaction.ts` keeps them out of answers.
 */

import { PorticoError, ToolError } from '@portico/sdk/server'
import { type Environment, readHeaders, readSecret } from '../network/environment.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { Redactor } from '../network/redaction.ts'
import { type Description, isRecord, type Json } from './description.ts'
import type { Operation } from './operation.ts'

export interface CredentialOptions {
  /** Names of environment variables, never values. */
  readonly bearerEnv?: string | undefined
  readonly apiKeyEnv?: string | undefined
  /** Where the key goes if the description does not say; `x-api-key` unless given. */
  readonly apiKeyHeader?: string | undefined
  /** A variable with `user:password`. */
  readonly basicEnv?: string | undefined
  /** `Header-Name=VARIABLE`, sent with every request. */
  readonly headersEnv?: readonly string[] | undefined
  /** OAuth as a client on its own behalf (client credentials). */
  readonly oauthClientIdEnv?: string | undefined
  readonly oauthClientSecretEnv?: string | undefined
  /** Where tokens are got; the description's own only if that is on the service's origin. */
  readonly oauthTokenUrl?: string | undefined
  readonly oauthScopes?: readonly string[] | undefined
}

interface Proof {
  readonly headers: { readonly [name: string]: string }
  readonly query: readonly (readonly [string, string])[]
  readonly cookies: readonly string[]
}

export interface Credentials {
  readonly any: boolean
  proofFor(operation: Operation, signal: AbortSignal): Promise<Proof>
  /** The service did not accept it: a token that was got is got anew. True if that can help. */
  renew(): boolean
}

interface CredentialContext {
  readonly base: URL
  readonly description: Description
  readonly fetch: GuardedFetch
  readonly redactor: Redactor
  readonly environment?: Environment | undefined
}

export function createCredentials(options: CredentialOptions, context: CredentialContext): Credentials {
  const { description, redactor, environment } = context
  const secret = (name: string | undefined, option: string) => {
    if (name === undefined) return undefined
    const value = readSecret(name, option, environment)
    redactor.add(value)
    return value
  }
  const bearer = secret(options.bearerEnv, 'bearerEnv')
  const apiKey = secret(options.apiKeyEnv, 'apiKeyEnv')
  const basic = secret(options.basicEnv, 'basicEnv')
  const own = readHeaders(options.headersEnv ?? [], environment)
  for (const value of Object.values(own)) redactor.add(value)
  const password = basic?.slice(basic.indexOf(':') + 1)
  if (password !== undefined) redactor.add(password)
  const tokens = createTokens(options, context, secret)
  const schemes = readSchemes(description)
  return {
    any: [bearer, apiKey, basic, tokens].some((one) => one !== undefined) || Object.keys(own).length > 0,
    renew: () => tokens?.drop() ?? false,
    async proofFor({ security }, signal) {
      const wanted = wantedSchemes(security, schemes)
      const headers: { [name: string]: string } = { ...own }
      const query: [string, string][] = []
      const cookies: string[] = []
      const wants = (kind: Scheme['kind']) => wanted === 'anything' || wanted.some((scheme) => scheme.kind === kind)
      if (basic !== undefined && wants('basic'))
        headers.authorization = `Basic ${Buffer.from(basic).toString('base64')}`
      if (bearer !== undefined && wants('bearer')) headers.authorization = `Bearer ${bearer}`
      if (tokens !== undefined && wants('bearer')) headers.authorization = `Bearer ${await tokens.current(signal)}`
      if (apiKey !== undefined && wants('key')) {
        const keyed = wanted === 'anything' ? schemes.values() : wanted
        const place = [...keyed].find(({ kind }) => kind === 'key')
        const name = place?.name ?? options.apiKeyHeader ?? 'x-api-key'
        if (place?.in === 'query') query.push([name, apiKey])
        else if (place?.in === 'cookie') cookies.push(`${encodeURIComponent(name)}=${encodeURIComponent(apiKey)}`)
        else headers[name.toLowerCase()] = apiKey
      }
      return { headers, query, cookies }
    },
  }
}

interface Scheme {
  readonly kind: 'bearer' | 'basic' | 'key' | 'other'
  readonly name?: string
  readonly in?: string
  readonly tokenUrl?: string
}

function readSchemes({ root, follow }: Description): Map<string, Scheme> {
  const components = isRecord(root.components) ? root.components : {}
  const schemes = new Map<string, Scheme>()
  for (const [id, given] of Object.entries(isRecord(components.securitySchemes) ? components.securitySchemes : {})) {
    try {
      schemes.set(id, toScheme(follow(given)))
    } catch {
      schemes.set(id, { kind: 'other' })
    }
  }
  return schemes
}

function toScheme(scheme: Json): Scheme {
  if (scheme.type === 'apiKey' && typeof scheme.name === 'string' && /^[\w.-]+$/.test(scheme.name)) {
    return { kind: 'key', name: scheme.name, in: String(scheme.in) }
  }
  if (scheme.type === 'http') return { kind: String(scheme.scheme).toLowerCase() === 'basic' ? 'basic' : 'bearer' }
  const flows = isRecord(scheme.flows) ? scheme.flows : {}
  const flow = isRecord(flows.clientCredentials) ? flows.clientCredentials : {}
  const tokenUrl = typeof flow.tokenUrl === 'string' ? { tokenUrl: flow.tokenUrl } : {}
  return scheme.type === 'oauth2' || scheme.type === 'openIdConnect'
    ? { kind: 'bearer', ...tokenUrl }
    : { kind: 'other' }
}

/** An operation that says it needs nothing gets nothing; where nothing is said, everything is sent that was given. */
function wantedSchemes(
  security: readonly Json[] | undefined,
  schemes: Map<string, Scheme>,
): readonly Scheme[] | 'anything' {
  if (security === undefined) return 'anything'
  return security.flatMap((requirement) => Object.keys(requirement)).flatMap((id) => schemes.get(id) ?? [])
}

interface Tokens {
  current(signal: AbortSignal): Promise<string>
  drop(): boolean
}

function createTokens(
  options: CredentialOptions,
  { base, description, fetch, redactor }: CredentialContext,
  secret: (name: string | undefined, option: string) => string | undefined,
): Tokens | undefined {
  const id = secret(options.oauthClientIdEnv, 'oauthClientIdEnv')
  const password = secret(options.oauthClientSecretEnv, 'oauthClientSecretEnv')
  if (id === undefined || password === undefined) return undefined
  const url = tokenUrl(options, base, description)
  let held: { token: string; until: number } | undefined
  return {
    drop() {
      const had = held !== undefined
      held = undefined
      return had
    },
    async current(signal) {
      if (held !== undefined && held.until > Date.now()) return held.token
      const form = new URLSearchParams({ grant_type: 'client_credentials' })
      if (options.oauthScopes?.length) form.set('scope', options.oauthScopes.join(' '))
      const login = `${encodeURIComponent(id)}:${encodeURIComponent(password)}`
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        secretHeaders: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
        body: form.toString(),
        redirects: 'none',
        signal,
      })
      const token = readToken(answer.status, new TextDecoder().decode(answer.body))
      redactor.add(token.access)
      held = { token: token.access, until: Date.now() + token.lifetimeMs }
      return held.token
    },
  }
}

function tokenUrl(options: CredentialOptions, base: URL, description: Description): URL {
  const named = options.oauthTokenUrl
  const described = [...readSchemes(description).values()].find((scheme) => scheme.tokenUrl !== undefined)?.tokenUrl
  const text = named ?? described
  const url = text !== undefined && URL.canParse(text, base.href) ? new URL(text, base) : undefined
  // The secret goes there: a description alone must not choose another host for it.
  if (url === undefined || (named === undefined && url.origin !== base.origin)) {
    throw new PorticoError('invalid-arguments', 'Say where tokens are got: option oauthTokenUrl.')
  }
  return url
}

function readToken(status: number, text: string): { access: string; lifetimeMs: number } {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    answer = undefined
  }
  const access = isRecord(answer) ? answer.access_token : undefined
  if (status !== 200 || !isRecord(answer) || typeof access !== 'string' || !/^[\x21-\x7e]+$/.test(access)) {
    throw new ToolError(`The authorization server gave no token (HTTP ${status}). The operator has to look at this.`)
  }
  const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : 300
  return { access, lifetimeMs: Math.max(1_000, seconds * 900) }
}
