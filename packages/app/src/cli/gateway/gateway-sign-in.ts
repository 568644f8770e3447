/**
 * Servers behind `portico serve` that each user signs in to: those whose entry says `"auth": { "perUser": true }`. Makes
 * the gateway's pages for it, with tokens and consents in the state folder, and finds out whose browser comes by the way
 * in which callers are identified.
 */

import { join } from 'node:path'
import type { HostOptions } from '@portico/host'
import type { LoadedConfig, ServerConfig } from '@portico/host/config'
import {
  createSignIn,
  createSignInConsents,
  createSignInPages,
  createVisitors,
  type GatewayPages,
  type SignIn,
  type SignInOptions,
  toSignInListener,
} from '@portico/host/gateway'
import type { SharedState } from '@portico/host/state'
import { createFileTokenStore, isLoopbackHost } from '@portico/sdk/auth-node'
import type { Protection } from '@portico/sdk/bearer'
import { createServer, type Server } from '@portico/sdk/server'
import { CliError } from '../../exit-codes.ts'
import { stateOf } from '../host-places.ts'
import type { Io } from '../terminal/io.ts'
import { resourceOf } from './gateway-entrance.ts'
import type { GatewaySettings } from './gateway-settings.ts'

export interface GatewaySignIn {
  readonly signIn: SignIn
  /** Where browsers find the pages. */
  readonly url: string
  readonly pages: GatewayPages
  /** Gives each user's connections that user's tokens. */
  readonly resolve: NonNullable<HostOptions['resolve']>
}

/** Whether each user signs in to a server: one that is behind a URL and says so. */
export function isPersonal({ target, settings }: Pick<ServerConfig, 'target' | 'settings'>): boolean {
  return (target.kind === 'http' || target.kind === 'sse') && settings.auth?.perUser === true
}

/** Undefined where no server wants it. */
export function createGatewaySignIn(
  { servers }: Pick<LoadedConfig, 'servers'>,
  settings: GatewaySettings,
  { protection, state }: { readonly protection: Protection | undefined; readonly state: SharedState | undefined },
  io: Io,
): GatewaySignIn | undefined {
  const personal = servers.filter(isPersonal)
  if (personal.length === 0) return undefined
  const names = personal.map(({ name }) => `"${name}"`).join(', ')
  if (protection === undefined) {
    throw new CliError(
      'config',
      `Each user signs in to ${names}, and nothing says who a user is`,
      'Choose another way than `none` in gateway.auth.',
    )
  }
  const url = pagesUrl(settings)
  const byName = new Map(personal.map((server) => [server.name, server.settings.auth ?? {}]))
  const stateDir = stateOf(io)
  const warn = (message: string): void => io.say(`${io.paint.yellow('warning')}: ${message}`)
  const signIn = createSignIn({
    url,
    store: state?.tokens('gateway-token') ?? createFileTokenStore({ folder: join(stateDir, 'gateway-tokens') }),
    consents: createSignInConsents({
      file: state?.text('sign-in-consents') ?? join(stateDir, 'sign-in-consents.json'),
      onWarning: warn,
    }),
    client: (server) => {
      const { clientId } = byName.get(server) ?? {}
      return { clientName: 'Portico gateway', ...(typeof clientId === 'string' && { client: { clientId } }) }
    },
    scopes: (server) => {
      const { scopes } = byName.get(server) ?? {}
      return Array.isArray(scopes) ? scopes.map(String) : []
    },
    ...whoseBrowser(url, settings, protection, warn),
  })
  const { origin, pathname } = new URL(url)
  return {
    signIn,
    url,
    pages: { path: pathname, listener: toSignInListener(createSignInPages(signIn), origin) },
    resolve: (plain) => async (config, wish) => {
      if (isPersonal(config) && wish.principal === undefined) return { target: createEmptyServer(config.name) }
      const resolved = await plain(config, wish)
      if (wish.principal === undefined || !isPersonal(config)) return resolved
      // The file may have changed since the start.
      byName.set(config.name, config.settings.auth ?? {})
      const own = signIn.connectOptions(config.name, wish.principal)
      const timeouts = { ...resolved.options?.timeouts, ...own.timeouts }
      return { ...resolved, options: { ...resolved.options, ...own, timeouts } }
    },
  }
}

/** What such a server is for the gateway itself, which has no account there: up, with nothing to show. */
function createEmptyServer(name: string): Server {
  // With sessions, so that users' sessions are kept apart until it is known whether the real one has any.
  return createServer({ name, version: '0', versions: ['2025-11-25'], tools: {} })
}

/** How browsers prove whose they are: at the issuer whose tokens callers bring, or by the token itself. */
function whoseBrowser(
  url: string,
  settings: GatewaySettings,
  protection: Protection,
  warn: (message: string) => void,
): Pick<SignInOptions, 'visitors' | 'dangerouslyTrustLinks'> {
  const { auth, signIn } = settings
  if (signIn?.dangerouslyTrustLinks === true) {
    warn(
      'gateway.signIn.dangerouslyTrustLinks: whoever has a link connects their account for the user it was made for.',
    )
    return { dangerouslyTrustLinks: true }
  }
  if (auth?.way === 'oauth') {
    const client = signIn?.clientId === undefined ? {} : { client: { client: { clientId: signIn.clientId } } }
    return { visitors: createVisitors({ url, protection, issuer: { resource: resourceOf(settings), ...client } }) }
  }
  if (auth?.way === 'token') return { visitors: createVisitors({ url, protection }) }
  throw new CliError(
    'config',
    'Browsers cannot be identified by client certificates yet, so nobody can sign in to servers',
    'Choose the way `oauth` or `token` in gateway.auth, or set gateway.signIn.dangerouslyTrustLinks.',
  )
}

/** As it is configured, or beside the address under which clients know the gateway. */
function pagesUrl(settings: GatewaySettings): string {
  const { signIn, auth, port } = settings
  const named = signIn?.url ?? (auth?.way === 'oauth' ? auth.resource : undefined)
  if (named === undefined && port === 0) {
    throw new CliError('config', 'The pages for signing in need an address', 'Give gateway.signIn.url, or a port.')
  }
  const found = signIn?.url ?? `${originOf(named ?? resourceOf(settings))}/sign-in`
  const url = URL.canParse(found) ? new URL(found) : undefined
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  const plain = url !== undefined && url.search === '' && url.hash === '' && url.pathname.length > 1
  if (safe && plain) return url.href.replace(/\/+$/, '')
  throw new CliError(
    'config',
    `The pages for signing in cannot be at "${found}"`,
    'Give gateway.signIn.url: an https address with a path, or http on this machine.',
  )
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text
}
