/** The embedded authorization server and what every test of it needs: clients, people with a browser, tokens. */

import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { type AuthorizationServerOptions, createAuthorizationServer } from '../src/authorization-server/server.ts'
import { Browser, type Page } from './browser.ts'

export const REDIRECT = 'http://127.0.0.1:7777/callback'
export const RESOURCE = 'https://mcp.example.com/mcp'

export let issuer: string
export let closers: (() => Promise<void>)[]

beforeEach(async () => {
  closers = []
  issuer = `http://127.0.0.1:${await freePort()}`
})

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

export async function start(options: Partial<AuthorizationServerOptions> = {}): Promise<void> {
  const users = { alice: { password: 'correct horse', roles: ['editor'] }, bob: 'battery staple' }
  const server = createAuthorizationServer({
    issuer,
    resources: [RESOURCE],
    scopes: ['read', 'write'],
    users,
    ...options,
  })
  const listening = await server.listen()
  closers.push(() => listening.close())
}

export async function register(metadata: object = {}): Promise<{ client_id: string; [name: string]: unknown }> {
  const response = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      application_type: 'native',
      client_name: 'Test <b>client</b>',
      ...metadata,
    }),
  })
  // What the endpoint answers is what the tests look at.
  return (await response.json()) as { client_id: string }
}

export interface Attempt {
  readonly url: string
  readonly verifier: string
}

export function authorizationUrl(client: string, extra: { [name: string]: string | undefined } = {}): Attempt {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    scope: 'read',
    state: 'st',
    resource: RESOURCE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...extra,
  }
  const known = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { url: `${issuer}/auth?${new URLSearchParams(known)}`, verifier }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly error?: string
}

export async function token(parameters: { readonly [name: string]: string }): Promise<Tokens> {
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(parameters) })
  return (await response.json()) as Tokens
}

/** Signs in, allows, and returns where the browser was sent. */
export async function goThrough(
  browser: Browser,
  url: string,
  name = 'alice',
  password = 'correct horse',
): Promise<URL> {
  let page: Page = await browser.open(url)
  if (page.html.includes('Sign in')) page = await browser.submit(page, { name, password, decision: 'login' })
  if (page.html.includes('Allow access?')) page = await browser.submit(page, { decision: 'allow' })
  return new URL(page.url)
}

export async function signIn(
  scope = 'read',
  browser = new Browser(),
  client?: string,
): Promise<Tokens & { client: string }> {
  const id = client ?? (await register()).client_id
  const { url, verifier } = authorizationUrl(id, { scope })
  const code = (await goThrough(browser, url)).searchParams.get('code') ?? ''
  const redeemed = { grant_type: 'authorization_code', code, client_id: id, redirect_uri: REDIRECT }
  return { client: id, ...(await token({ ...redeemed, code_verifier: verifier, resource: RESOURCE })) }
}
