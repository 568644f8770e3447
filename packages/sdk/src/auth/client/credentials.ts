/**
 * What is remembered about one server for one principal, as records in a `TokenStore`. Everything that an authorization
 * server has given is filed under principal, server and issuer, so that nothing of one can be taken for another (sec-57,
 * sec-65).
 */

import type { JWK } from 'jose'
import type { TokenStore } from './token-store.ts'

/** Tokens, and what they were asked for. */
export interface Grant {
  readonly accessToken: string
  readonly type: 'bearer' | 'dpop'
  /** Milliseconds since 1970; absent where the authorization server did not say. */
  readonly expiresAt?: number
  readonly refreshToken?: string
  /** What was asked for; empty where nothing was. */
  readonly scopes: readonly string[]
  /** The key that a `dpop` token is bound to. */
  readonly key?: JWK
}

/** What a client is at one authorization server. */
export interface Registration {
  readonly clientId: string
  readonly clientSecret?: string
  readonly method?: string
  readonly redirectUri?: string
  /** When the secret ends, in milliseconds since 1970. */
  readonly expiresAt?: number
}

/** Which authorization server was last used for a server. */
export interface Site {
  readonly issuer: string
  readonly resource?: string
  /** The server has no resource metadata, so 2025-03-26 applies. */
  readonly legacy?: boolean
}

export class Credentials {
  readonly #store: TokenStore
  readonly #owner: readonly [principal: string, server: string]

  constructor(store: TokenStore, principal: string, server: URL) {
    this.#store = store
    this.#owner = [principal, `${server.origin}${server.pathname}${server.search}`]
  }

  exclusively<T>(action: () => Promise<T>): Promise<T> {
    return this.#store.withLock(this.#key('lock'), action)
  }

  site(): Promise<Site | undefined> {
    return this.#read<Site>(this.#key('site'), ({ issuer }) => typeof issuer === 'string')
  }

  keepSite(site: Site): Promise<void> {
    return this.#store.set(this.#key('site'), JSON.stringify(site))
  }

  grant(issuer: string): Promise<Grant | undefined> {
    return this.#read<Grant>(this.#key('grant', issuer), ({ accessToken }) => typeof accessToken === 'string')
  }

  keepGrant(issuer: string, grant: Grant): Promise<void> {
    return this.#store.set(this.#key('grant', issuer), JSON.stringify(grant))
  }

  forgetGrant(issuer: string): Promise<void> {
    return this.#store.delete(this.#key('grant', issuer))
  }

  registration(issuer: string): Promise<Registration | undefined> {
    return this.#read<Registration>(this.#key('client', issuer), ({ clientId }) => typeof clientId === 'string')
  }

  keepRegistration(issuer: string, registration: Registration): Promise<void> {
    return this.#store.set(this.#key('client', issuer), JSON.stringify(registration))
  }

  forgetRegistration(issuer: string): Promise<void> {
    return this.#store.delete(this.#key('client', issuer))
  }

  /**
   * Where a client with a secret belongs: to the first authorization server that it was used with, whichever server and
   * principal it was used for. Remembers `issuer` where there is none yet.
   */
  homeOf(clientId: string, issuer: string): Promise<string> {
    const key = JSON.stringify(['home', clientId])
    return this.#store.withLock(key, async () => {
      const home = await this.#store.get(key)
      if (home === undefined) await this.#store.set(key, issuer)
      return home ?? issuer
    })
  }

  #key(kind: string, issuer = ''): string {
    return JSON.stringify([kind, ...this.#owner, issuer])
  }

  /** A record that cannot be read counts as absent: the way to a new one is always open. */
  async #read<T extends object>(key: string, isValid: (record: Partial<T>) => boolean): Promise<T | undefined> {
    const text = await this.#store.get(key)
    if (text === undefined) return undefined
    try {
      const value: unknown = JSON.parse(text)
      // Written by the methods above; the check is for text that something else has put there.
      return typeof value === 'object' && value !== null && isValid(value as Partial<T>) ? (value as T) : undefined
    } catch {
      return undefined
    }
  }
}
