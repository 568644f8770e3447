/** Brings `auth` and `tls` of the options to the HTTP that a connection is made of. */

import type { AnswerHead, AuthHeaders, Authorizer, OutgoingHead } from '../auth/client/authorization.ts'
import type { HttpDialer } from '../transport/http-client/http-client.ts'
import { createDialer } from '../transport/http-client/http-client-dialer.ts'
import { createRepeatingDialer } from '../transport/http-client/http-client-repeat.ts'
import { createAuthorizedDialer } from './auth-dialer.ts'
import type { ConnectOptions } from './options.ts'

/** The same options with an authorizer for this server in place of what it is made from. */
export function withAuthorizer(options: ConnectOptions, server: URL): ConnectOptions {
  const { auth, tls } = options
  if (auth === undefined || isAuthorizer(auth)) return options
  // A person who signs in must not make the server seem silent.
  const patience = auth.grant.interactive ? { discoverMs: options.discoverMs ?? PATIENCE_MS } : {}
  const authorizer = new LazyAuthorizer(auth.grant.interactive, async () => {
    const { createAuthorizer } = await import('../auth/client/authorizer.ts')
    return createAuthorizer(server, { allowMissingMetadata: speaksOldest(options), ...auth }, tls)
  })
  return { ...options, ...patience, auth: authorizer }
}

/** Time for a sign-in while connecting, unless the caller has set one. */
export function withPatience(options: ConnectOptions): ConnectOptions {
  const { auth, timeouts } = options
  if (auth === undefined || !(isAuthorizer(auth) ? auth : auth.grant).interactive) return options
  return { ...options, timeouts: { connectMs: PATIENCE_MS, ...timeouts } }
}

export async function createHttpDialer(options: ConnectOptions): Promise<HttpDialer> {
  const dialer = await createDialer(options.fetch, options.tls)
  const authorizer = authorizerOf(options)
  // Outermost, so that what is sent again is authorized again: a proof of possession counts once.
  return createRepeatingDialer(authorizer === undefined ? dialer : createAuthorizedDialer(dialer, authorizer))
}

/** The authorizer of options that have been through `withAuthorizer`. */
export function authorizerOf({ auth }: ConnectOptions): Authorizer | undefined {
  return auth !== undefined && isAuthorizer(auth) ? auth : undefined
}

const PATIENCE_MS = 600_000

/** The one revision that knows servers which publish nothing about who issues their tokens. */
function speaksOldest({ versions }: ConnectOptions): boolean {
  return versions === undefined || versions.includes('2025-03-26')
}

function isAuthorizer(auth: NonNullable<ConnectOptions['auth']>): auth is Authorizer {
  return 'challenge' in auth
}

/** Loads what signs in when the first request is made: most clients never need it. */
class LazyAuthorizer implements Authorizer {
  readonly interactive: boolean
  readonly #make: () => Promise<Authorizer>
  #making: Promise<Authorizer> | undefined
  #made: Authorizer | undefined

  constructor(interactive: boolean, make: () => Promise<Authorizer>) {
    this.interactive = interactive
    this.#make = make
  }

  headers(request: OutgoingHead): AuthHeaders | Promise<AuthHeaders> {
    return this.#made?.headers(request) ?? this.#ready().then((made) => made.headers(request))
  }

  note(answer: AnswerHead, sent: AuthHeaders): boolean {
    return this.#made?.note(answer, sent) === true
  }

  async challenge(answer: AnswerHead, sent: AuthHeaders, signal?: AbortSignal): Promise<'retry' | 'fail'> {
    return (await this.#ready()).challenge(answer, sent, signal)
  }

  async signOut(): Promise<void> {
    await (await this.#ready()).signOut()
  }

  close(): void {
    this.#made?.close()
  }

  async #ready(): Promise<Authorizer> {
    this.#making ??= this.#make().catch((error: unknown) => {
      this.#making = undefined
      throw error
    })
    this.#made = await this.#making
    return this.#made
  }
}
