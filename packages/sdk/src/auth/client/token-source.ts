/**
 * Gets tokens for one server and one principal, and keeps them: from the store, by refresh, or by a new grant after
 * looking up again who issues tokens for the server. Whatever changes the store runs under its lock, and looks first
 * whether somebody else was quicker. When to do so is decided in `authorizer.ts`.
 */

import * as oauth from 'oauth4webapi'
import { createGuardedFetch } from '../network/guarded-fetch.ts'
import type { AuthFetch } from '../network/guarded-target.ts'
import { selectScopes } from '../scopes.ts'
import type { TlsIdentity } from '../tls-identity.ts'
import type { TokenChallenge } from './challenge.ts'
import { Credentials, type Grant, type Site } from './credentials.ts'
import { discoverIssuer, discoverLegacyIssuer, type IssuerMetadata } from './discovery-issuer.ts'
import { discoverResource, type ProtectedResource } from './discovery-resource.ts'
import { DPOP_ALGORITHM, DpopKey } from './dpop.ts'
import { authFailure, authFailureOf, plain } from './failure.ts'
import { type GrantContext, type GrantType, refreshTokens } from './grant-type.ts'
import { createMemoryTokenStore, type TokenStore } from './token-store.ts'

/** How a client signs in to a protected server. */
export interface OAuthOptions {
  /** How tokens are got: `authorizationCode`, `clientCredentials`, `workloadIdentity` or `enterpriseManaged`. */
  readonly grant: GrantType
  /** Where tokens are kept; in memory unless given. */
  readonly store?: TokenStore
  /** Whose tokens these are, where one store holds those of several. */
  readonly principal?: string
  /** Scopes to ask for besides those that the server names. */
  readonly scopes?: readonly string[]
  /** Binding tokens to a key: `auto` where both servers offer it, which is the default. */
  readonly dpop?: 'auto' | 'require' | 'off'
  /** Chooses among several authorization servers; the one used before, else the first, unless given. */
  readonly selectIssuer?: (issuers: readonly string[]) => string
  /**
   * Whether a server that publishes nothing may issue tokens itself, at fixed paths of its origin, as the revision
   * 2025-03-26 has it. `connect` allows it only where that revision may be spoken; allowed unless given.
   */
  readonly allowMissingMetadata?: boolean
  /** Used in place of the runtime's own for requests to authorization servers. */
  readonly fetch?: AuthFetch
  /** Lets authorization servers be reached without TLS on other machines. Tokens can then be read on the way. */
  readonly dangerouslyAllowPlainHttp?: boolean
}

/** Tokens in use, with the key that goes with them. */
interface Held {
  readonly grant: Grant
  readonly key: DpopKey | undefined
}

/** What made new tokens necessary. */
export interface Need {
  /** The token that was refused; undefined where none was sent. */
  readonly refused: string | undefined
  readonly challenge: TokenChallenge | undefined
  /** The token is good, but not for this: asks for more than it was got for. */
  readonly stepUp: boolean
}

interface Place {
  readonly issuer: IssuerMetadata
  readonly resource: ProtectedResource | undefined
}

export class TokenSource {
  readonly #options: OAuthOptions
  readonly #server: URL
  readonly #credentials: Credentials
  readonly #fetch: AuthFetch
  readonly #issuers = new Map<string, IssuerMetadata>()
  #site: Site | undefined
  #held: Held | undefined

  constructor(server: URL, options: OAuthOptions, tls: TlsIdentity | undefined) {
    const { store = createMemoryTokenStore(), principal = '', fetch, dangerouslyAllowPlainHttp = false } = options
    this.#options = options
    this.#server = server
    this.#credentials = new Credentials(store, principal, server)
    this.#fetch = createGuardedFetch({
      server,
      dangerouslyAllowPlainHttp,
      ...(fetch !== undefined && { fetch }),
      ...(tls !== undefined && { tls }),
    })
  }

  /** Tokens that can be used now. */
  get current(): Held | undefined {
    return this.#held !== undefined && isFresh(this.#held.grant) ? this.#held : undefined
  }

  /** Tokens that were usable and can be renewed without a person. */
  get renewable(): boolean {
    return this.#held?.grant.refreshToken !== undefined
  }

  /** Takes up what the store holds. */
  async load(): Promise<void> {
    this.#site = await this.#credentials.site()
    const grant = this.#site === undefined ? undefined : await this.#credentials.grant(this.#site.issuer)
    if (grant === undefined) this.#held = undefined
    else if (grant.accessToken !== this.#held?.grant.accessToken) this.#held = await hold(grant)
  }

  /** Renews expired tokens; afterwards there are usable ones, or none at all. */
  renew(signal: AbortSignal): Promise<void> {
    return this.#credentials.exclusively(async () => {
      await this.load()
      if (this.current !== undefined || this.#held === undefined || this.#site === undefined) return
      const { issuer, resource } = this.#site
      const place = { issuer: await this.#issuerOf(this.#site), resource: undefined }
      await this.#refresh(
        this.#context(place, { resource, scopes: this.#held.grant.scopes, dpop: this.#held.key }, signal),
        issuer,
      )
    })
  }

  /** Gets tokens that answer a challenge. */
  obtain(need: Need, signal: AbortSignal): Promise<void> {
    return this.#credentials.exclusively(async () => {
      await this.load()
      if (this.current !== undefined && this.current.grant.accessToken !== need.refused) return
      const place = await this.#discover(need.challenge)
      const { issuer } = place.issuer
      const previous = await this.#credentials.grant(issuer)
      const held = previous?.scopes ?? []
      const resource = place.resource?.resource
      if (previous?.refreshToken !== undefined && !need.stepUp && covers(held, need.challenge?.scopes)) {
        this.#held = await hold(previous)
        if (
          await this.#refresh(this.#context(place, { resource, scopes: held, dpop: this.#held.key }, signal), issuer)
        ) {
          await this.#keepSite(place)
          return
        }
      }
      const { grant, scopes: wanted = [] } = this.#options
      const scopes = selectScopes(
        {
          challenged: need.challenge?.scopes,
          published: place.resource?.scopes,
          held,
          wanted,
          offline: grant.interactive,
        },
        place.issuer,
      )
      const key = await this.#keyFor(place, need.challenge, previous)
      const added = need.stepUp ? { added: scopes.filter((scope) => !held.includes(scope)) } : {}
      const context = { ...this.#context(place, { resource, scopes, dpop: key }, signal), ...added }
      await this.#keep(context, await grant.obtain(context), undefined)
      await this.#keepSite(place)
    })
  }

  /** Tells the authorization server that the tokens are done with, and forgets them. */
  signOut(): Promise<void> {
    return this.#credentials.exclusively(async () => {
      await this.load()
      const site = this.#site
      const grant = this.#held?.grant
      this.#held = undefined
      if (site === undefined || grant === undefined) return
      await this.#credentials.forgetGrant(site.issuer)
      const issuer = await this.#issuerOf(site)
      if (issuer.revocation_endpoint === undefined) return
      const signal = AbortSignal.timeout(SIGN_OUT_MS)
      const context = this.#context(
        { issuer, resource: undefined },
        { resource: site.resource, scopes: [], dpop: undefined },
        signal,
      )
      const client = await this.#options.grant.refreshingClient(context)
      if (client === undefined) return
      const options = { [oauth.customFetch]: this.#fetch, [oauth.allowInsecureRequests]: true, signal }
      for (const token of [grant.refreshToken, grant.accessToken]) {
        if (token === undefined) continue
        await oauth.revocationRequest(issuer, client.client, client.authentication, token, options)
      }
    })
  }

  /** Looked up anew each time: a server may have moved to another authorization server (sec-57). */
  async #discover(challenge: TokenChallenge | undefined): Promise<Place> {
    const resource = await discoverResource(this.#fetch, this.#server, challenge?.resourceMetadata)
    if (resource === undefined) return { issuer: await this.#legacyIssuer(), resource }
    const { authorizationServers: offered } = resource
    const before = offered.find((issuer) => issuer === this.#site?.issuer)
    const issuer = before ?? this.#options.selectIssuer?.(offered) ?? offered[0]
    if (!offered.includes(issuer)) throw authFailure('no-metadata', `${plain(issuer)} is not among those offered`)
    const metadata = await discoverIssuer(this.#fetch, issuer)
    this.#issuers.set(issuer, metadata)
    return { issuer: metadata, resource }
  }

  async #issuerOf(site: Site): Promise<IssuerMetadata> {
    const known = this.#issuers.get(site.issuer)
    if (known !== undefined) return known
    const found = site.legacy ? await this.#legacyIssuer() : await discoverIssuer(this.#fetch, site.issuer)
    if (found.issuer !== site.issuer) throw authFailure('issuer-mismatch', 'The authorization server has changed')
    this.#issuers.set(site.issuer, found)
    return found
  }

  #legacyIssuer(): Promise<IssuerMetadata> {
    if (this.#options.allowMissingMetadata !== false) return discoverLegacyIssuer(this.#fetch, this.#server)
    throw authFailure('no-metadata', `${this.#server.host} does not say who issues tokens for it`)
  }

  #context(
    place: Place,
    { resource, scopes, dpop }: Pick<GrantContext, 'resource' | 'scopes' | 'dpop'>,
    signal: AbortSignal,
  ): GrantContext {
    return {
      issuer: place.issuer,
      previousIssuer: this.#site?.issuer,
      credentials: this.#credentials,
      fetch: this.#fetch,
      signal,
      resource,
      scopes,
      dpop,
    }
  }

  async #keyFor(
    { issuer, resource }: Place,
    challenge: TokenChallenge | undefined,
    previous: Grant | undefined,
  ): Promise<DpopKey | undefined> {
    const { dpop = 'auto' } = this.#options
    const able = issuer.dpop_signing_alg_values_supported?.includes(DPOP_ALGORITHM) === true
    const asked = resource?.dpopRequired === true || challenge?.dpop === true
    if (dpop === 'require' && !able)
      throw authFailure('token-refused', `${plain(issuer.issuer)} binds no tokens to keys`)
    if (dpop === 'off' || !able || (dpop === 'auto' && !asked)) return undefined
    return previous?.key === undefined ? DpopKey.create() : DpopKey.from(previous.key)
  }

  /** True when there are new tokens; false when the refresh token is of no more use. */
  async #refresh(context: GrantContext, issuer: string): Promise<boolean> {
    const refreshToken = this.#held?.grant.refreshToken
    try {
      const client = await this.#options.grant.refreshingClient(context)
      if (refreshToken === undefined || client === undefined) {
        this.#held = undefined
        return false
      }
      await this.#keep(context, await refreshTokens(context, client, refreshToken), refreshToken)
      return true
    } catch (error) {
      // It may be that the endpoints have moved: the next attempt looks them up again.
      this.#issuers.delete(issuer)
      const failure = authFailureOf(error)
      if (failure?.reason !== 'token-refused' || failure.error === undefined) throw error
      this.#held = undefined
      await this.#credentials.forgetGrant(issuer)
      if (failure.error === 'invalid_client') await this.#credentials.forgetRegistration(issuer)
      return false
    }
  }

  async #keep(
    context: GrantContext,
    answer: oauth.TokenEndpointResponse,
    refreshed: string | undefined,
  ): Promise<void> {
    const { access_token: accessToken, token_type: type, expires_in: lifetime, refresh_token: next } = answer
    const bound = type === 'dpop'
    if (!/^[\x21-\x7e]{1,65536}$/.test(accessToken)) throw authFailure('token-refused', 'The token cannot be sent')
    if (bound !== (context.dpop !== undefined) && (bound || this.#options.dpop === 'require')) {
      throw authFailure('token-refused', bound ? 'The token is bound to no key of ours' : 'The token is not bound')
    }
    // Rotation: a new refresh token takes the place of the one that was used, which otherwise stays good.
    const refreshToken = next ?? refreshed
    const grant: Grant = {
      accessToken,
      type: bound ? 'dpop' : 'bearer',
      scopes: context.scopes,
      ...(lifetime !== undefined && { expiresAt: usableUntil(lifetime) }),
      ...(refreshToken !== undefined && { refreshToken }),
      ...(bound && context.dpop !== undefined && { key: context.dpop.jwk }),
    }
    await this.#credentials.keepGrant(context.issuer.issuer, grant)
    this.#held = { grant, key: bound ? context.dpop : undefined }
  }

  /** Only after a success: an authorization server that gave nothing leaves no trace. */
  async #keepSite({ issuer, resource }: Place): Promise<void> {
    const site: Site = {
      issuer: issuer.issuer,
      ...(resource === undefined ? { legacy: true } : { resource: resource.resource }),
    }
    await this.#credentials.keepSite(site)
    this.#site = site
  }
}

const SIGN_OUT_MS = 10_000

/** A little before the real end, so that a token does not expire on its way; but every token is tried once. */
function usableUntil(lifetimeSeconds: number): number {
  const ms = lifetimeSeconds * 1_000
  return Date.now() + Math.max(1_000, ms - Math.min(30_000, ms / 10))
}

function isFresh({ expiresAt }: Grant): boolean {
  return expiresAt === undefined || expiresAt > Date.now()
}

function covers(held: readonly string[], needed: readonly string[] | undefined): boolean {
  return needed === undefined || needed.every((scope) => held.includes(scope))
}

async function hold(grant: Grant): Promise<Held> {
  return { grant, key: grant.key === undefined ? undefined : await DpopKey.from(grant.key) }
}
