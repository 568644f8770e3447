/** `withOAuth(fetch, options)`: a `fetch` that signs in by itself. For programs that talk to a protected server by other means than `connect`. */

import { type AuthHeaders, MAX_RETRIES } from './authorization.ts'
import { createAuthorizer } from './authorizer.ts'
import type { OAuthOptions } from './token-source.ts'

/** How `fetch` signs in. */
export interface WithOAuthOptions extends OAuthOptions {
  /** The protected server. Only requests to its origin carry tokens. */
  readonly server: string | URL
}

/** The part of `fetch` that `withOAuth` takes and gives. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Makes a `fetch` that signs in when the server asks for it, and sends the request again: for programs that talk to a
 * protected server by other means than `connect`.
 *
 * @example
 * ```ts
 * import { clientCredentials, withOAuth } from '@portico/sdk/auth'
 *
 * const grant = clientCredentials({ clientId: 'report', clientSecret: process.env.SECRET ?? '' })
 * const signedIn = withOAuth(fetch, { server: 'https://api.example.com', grant })
 * const response = await signedIn('https://api.example.com/reports/today')
 * ```
 */
export function withOAuth(fetch: FetchLike, options: WithOAuthOptions): FetchLike {
  const authorizer = createAuthorizer(new URL(options.server), options)
  return async (input, init = {}) => {
    const request = input instanceof Request ? input : undefined
    const head = {
      method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
      url: new URL(request?.url ?? String(input)),
    }
    for (let attempt = 0; ; attempt++) {
      const sent = await authorizer.headers(head)
      const headers = withHeaders(init.headers ?? request?.headers, sent)
      // A body that is a stream can be sent once; the copy is for the next time.
      const response = await fetch(request?.clone() ?? (input as string | URL), { ...init, headers })
      const answer = { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
      const streamed = init.body instanceof ReadableStream
      if (!authorizer.note(answer, sent) || attempt === MAX_RETRIES || streamed) return response
      if ((await authorizer.challenge(answer, sent, init.signal ?? request?.signal)) === 'fail') return response
      await response.body?.cancel()
    }
  }
}

function withHeaders(given: RequestInit['headers'], sent: AuthHeaders): Headers {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(sent)) headers.set(name, value)
  return headers
}
