/** Where the token of a vendor's service comes from: a variable, or a token server that gives a new one for a refresh token. */

import { PorticoError, ToolError } from '@portico/sdk/server'
import { type Environment, readSecret } from '../network/environment.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { Redactor } from '../network/redaction.ts'
import { toObject, toText } from './values.ts'

export interface TokenSource {
  /** The token to send; undefined for strangers. */
  current(): Promise<string | undefined>
  /** Forgets a token that was refused; true if another can be had. */
  renew(refused: string | undefined): Promise<boolean>
}

/** One token for as long as the server runs. */
export function fixedToken(token: string | undefined, redactor: Redactor): TokenSource {
  if (token !== undefined) redactor.add(token)
  return { current: async () => token, renew: async () => false }
}

interface RefreshOptions {
  /** Where new tokens are given out. */
  readonly tokenUrl: string
  /** The variables that hold the client's id, its secret and the refresh token. */
  readonly variables: { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string }
}

/** A little earlier than the service says, so that no request is sent with a token that ends on its way. */
const MARGIN_MS = 60_000

/** Tokens that are got for a refresh token: one at a time, however many requests want it. */
export class RefreshedToken implements TokenSource {
  readonly #tokenUrl: string
  readonly #form: URLSearchParams
  readonly #fetch: GuardedFetch
  readonly #redactor: Redactor
  #token: Promise<{ readonly value: string; readonly until: number }> | undefined

  constructor(
    { tokenUrl, variables }: RefreshOptions,
    environment: Environment,
    fetch: GuardedFetch,
    redactor: Redactor,
  ) {
    const [clientId, clientSecret, refreshToken] = [
      variables.clientId,
      variables.clientSecret,
      variables.refreshToken,
    ].map((name) => {
      try {
        return readSecret(name, 'tokenEnv', environment)
      } catch (error) {
        const all = Object.values(variables).join(', ')
        throw new PorticoError('invalid-arguments', `To get new tokens, ${name} is needed: set ${all}`, {
          cause: error,
        })
      }
    }) as [string, string, string]
    for (const secret of [clientSecret, refreshToken]) redactor.add(secret)
    this.#tokenUrl = tokenUrl
    this.#form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
    })
    this.#fetch = fetch
    this.#redactor = redactor
  }

  async current(): Promise<string> {
    const known = this.#token
    const token = await known?.catch(() => undefined)
    if (token !== undefined && token.until > Date.now()) return token.value
    // Whoever came first has asked already.
    if (this.#token === known) this.#token = this.#ask()
    return this.#token === undefined ? this.current() : (await this.#token).value
  }

  async renew(refused: string | undefined): Promise<boolean> {
    const known = this.#token
    const token = await known?.catch(() => undefined)
    if (this.#token === known && token?.value === refused) this.#token = undefined
    return true
  }

  async #ask(): Promise<{ value: string; until: number }> {
    const answer = await this.#fetch(this.#tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: this.#form.toString(),
      redirects: 'none',
    })
    const said = readAnswer(answer.body)
    const value = toText(said.access_token)
    if (answer.status !== 200 || value === '') {
      const reason = this.#redactor.excerpt(toText(said.error), 100) || `status ${answer.status}`
      throw new ToolError(
        `No new token was given (${reason}). The refresh token may have been taken back: sign in again to get another.`,
      )
    }
    this.#redactor.add(value)
    const seconds = Number(said.expires_in)
    return { value, until: Date.now() + (Number.isFinite(seconds) ? seconds * 1000 : 0) - MARGIN_MS }
  }
}

function readAnswer(body: Uint8Array): ReturnType<typeof toObject> {
  try {
    return toObject(JSON.parse(new TextDecoder().decode(body)))
  } catch {
    return {}
  }
}
