/**
 * Puts tokens on requests and answers challenges, for whatever sends the requests: `with-oauth.ts` for `fetch`,
 * `connect/auth-dialer.ts` for this library's own HTTP. Decides when tokens are needed and when to give up, and makes
 * sure that many requests at once need them only once; `token-source.ts` gets them.
 */

import type { TlsIdentity } from '../tls-identity.ts'
import type { AnswerHead, AuthHeaders, Authorizer, OutgoingHead } from './authorization.ts'
import { readTokenChallenge, type TokenChallenge } from './challenge.ts'
import { authFailure, authFailureOf } from './failure.ts'
import { type Need, type OAuthOptions, TokenSource } from './token-source.ts'

/**
 * Makes what signs in to one server. Clients that share it, as their `auth`, share its tokens and its sign-ins.
 *
 * @example
 * ```ts
 * import { clientCredentials, createAuthorizer } from '@portico/sdk/auth'
 * import { connect } from '@portico/sdk/client'
 *
 * const url = new URL('https://mcp.example.com/mcp')
 * const grant = clientCredentials({ clientId: 'report', clientSecret: process.env.SECRET ?? '' })
 * const auth = createAuthorizer(url, { grant })
 * const [first, second] = await Promise.all([connect(url, { auth }), connect(url, { auth })])
 * ```
 */
export function createAuthorizer(server: URL, options: OAuthOptions, tls?: TlsIdentity): Authorizer {
  return new OAuthAuthorizer(server, options, tls)
}

class OAuthAuthorizer implements Authorizer {
  readonly interactive: boolean
  readonly #server: URL
  readonly #source: TokenSource
  readonly #stepUps = new Map<string, number[]>()
  #loading: Promise<void> | undefined
  #flight: Flight | undefined
  /** A token that was got here, and the server has not taken yet. */
  #untried: string | undefined
  #failure: { readonly until: number; readonly error: unknown } | undefined

  constructor(server: URL, options: OAuthOptions, tls: TlsIdentity | undefined) {
    this.#server = server
    this.interactive = options.grant.interactive
    this.#source = new TokenSource(server, options, tls)
  }

  headers(request: OutgoingHead): AuthHeaders | Promise<AuthHeaders> {
    if (request.url.origin !== this.#server.origin) return NONE
    const held = this.#source.current
    if (held !== undefined && held.key === undefined) return { authorization: `Bearer ${held.grant.accessToken}` }
    return this.#headers(request)
  }

  note(answer: AnswerHead, sent: AuthHeaders): boolean {
    const nonce = answer.header('dpop-nonce')
    if (nonce !== undefined) this.#source.current?.key?.noteNonce(nonce)
    if (answer.status !== 401 && tokenIn(sent) === this.#untried) this.#untried = undefined
    return answer.status === 401 || answer.status === 403
  }

  async challenge(answer: AnswerHead, sent: AuthHeaders, signal?: AbortSignal): Promise<'retry' | 'fail'> {
    const header = answer.header('www-authenticate')
    const challenge = readTokenChallenge(header)
    // A challenge that asks for something else is not ours to answer.
    if (challenge === undefined && header !== undefined) return 'fail'
    const token = tokenIn(sent)
    if (challenge?.error === 'use_dpop_nonce' && answer.header('dpop-nonce') !== undefined) return 'retry'
    const scoped = challenge?.error === 'insufficient_scope' && challenge.scopes !== undefined
    if (answer.status === 403 && !scoped) return 'fail'
    if (this.#isNewer(token)) return 'retry'
    if (scoped && token !== undefined) {
      if (!this.#mayStepUp(challenge)) return 'fail'
      await this.#obtain({ refused: token, challenge, stepUp: true }, signal)
      return 'retry'
    }
    if (token !== undefined && token === this.#untried) {
      throw authFailure('token-rejected', `${this.#server.host} does not take a token that was issued for it just now`)
    }
    await this.#obtain({ refused: token, challenge, stepUp: false }, signal)
    return 'retry'
  }

  async signOut(): Promise<void> {
    await this.#source.signOut()
  }

  close(): void {
    this.#flight?.controller.abort()
  }

  async #headers({ method, url }: OutgoingHead): Promise<AuthHeaders> {
    // A store that failed once may be there the next time.
    this.#loading ??= this.#source.load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    await this.#loading
    if (this.#source.current === undefined && this.#source.renewable) {
      await this.#once('renew', (flying) => this.#source.renew(flying))
    }
    const held = this.#source.current
    if (held === undefined) return NONE
    const { accessToken } = held.grant
    if (held.key === undefined) return { authorization: `Bearer ${accessToken}` }
    return { authorization: `DPoP ${accessToken}`, dpop: await held.key.proof(method, url, accessToken) }
  }

  /** There is a token already that the request did not carry. */
  #isNewer(token: string | undefined): boolean {
    const { current } = this.#source
    return current !== undefined && current.grant.accessToken !== token
  }

  async #obtain(need: Need, signal: AbortSignal | undefined): Promise<void> {
    const key = JSON.stringify([need.refused, need.stepUp, need.challenge?.scopes])
    while (this.#flight !== undefined && this.#flight.key !== key) {
      await this.#flight.done.catch(() => {})
      if (this.#isNewer(need.refused)) return
    }
    const action = async (flying: AbortSignal) => {
      // Whoever asks again at once, such as a connection that restores itself, must not open one page after the other.
      if (this.#failure !== undefined && performance.now() < this.#failure.until) throw this.#failure.error
      try {
        await this.#source.obtain(need, flying)
        this.#untried = this.#source.current?.grant.accessToken
        this.#failure = undefined
      } catch (error) {
        const pause = this.interactive ? INTERACTIVE_PAUSE_MS : MACHINE_PAUSE_MS
        this.#failure = { until: performance.now() + pause, error }
        throw toFailure(error)
      }
    }
    await this.#once(key, action, signal)
  }

  /** One at a time; those who want the same share its outcome, and when all of them have left it ends. */
  async #once(key: string, action: (signal: AbortSignal) => Promise<void>, signal?: AbortSignal): Promise<void> {
    while (this.#flight !== undefined && this.#flight.key !== key) await this.#flight.done.catch(() => {})
    this.#flight ??= this.#begin(key, action)
    const flight = this.#flight
    flight.waiting++
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        flight.waiting--
        if (flight.waiting === 0) flight.controller.abort()
        reject(authFailure('cancelled', 'The request was given up'))
      }
      if (signal?.aborted) leave()
      else signal?.addEventListener('abort', leave, { once: true })
      void flight.done.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave))
    })
  }

  #begin(key: string, action: (signal: AbortSignal) => Promise<void>): Flight {
    const controller = new AbortController()
    const done = action(controller.signal).finally(() => {
      this.#flight = undefined
    })
    // Those who wait get the rejection; when nobody does any more, it must not count as unhandled.
    done.catch(() => {})
    return { key, done, controller, waiting: 0 }
  }

  /** The same scopes are asked for twice within a while at most, and once where they had been asked for before (sec-72). */
  #mayStepUp({ scopes = [] }: TokenChallenge): boolean {
    const key = [...scopes].sort().join(' ')
    const now = Date.now()
    const recent = (this.#stepUps.get(key) ?? []).filter((at) => now - at < STEP_UP_WINDOW_MS)
    const held = this.#source.current?.grant.scopes ?? []
    const limit = scopes.every((scope) => held.includes(scope)) ? 1 : MAX_STEP_UPS
    if (recent.length >= limit) return false
    if (this.#stepUps.size >= MAX_TRACKED) this.#stepUps.clear()
    this.#stepUps.set(key, [...recent, now])
    return true
  }
}

/** Getting tokens, under way. */
interface Flight {
  readonly key: string
  readonly done: Promise<void>
  readonly controller: AbortController
  waiting: number
}

const NONE: AuthHeaders = {}
const MAX_STEP_UPS = 2
const MAX_TRACKED = 1_000
const STEP_UP_WINDOW_MS = 300_000
const INTERACTIVE_PAUSE_MS = 30_000
const MACHINE_PAUSE_MS = 1_000

function tokenIn({ authorization }: AuthHeaders): string | undefined {
  return authorization?.slice(authorization.indexOf(' ') + 1)
}

/** What is no failure of ours (a store that cannot be read) is one that says so. */
function toFailure(error: unknown): unknown {
  if (authFailureOf(error) !== undefined) return error
  return authFailure('unreachable', `Authorization failed: ${error instanceof Error ? error.message : 'unknown'}`)
}
