/**
 * Fetching what a verifier needs from the authorization server that its operator named: metadata, keys, answers about
 * tokens. Bounded in time and size, no redirects, and not again at once after a failure.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'

export interface FetchRules {
  readonly fetch?: typeof fetch
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Fetches and returns the whole answer, its body read within the bounds. */
export async function fetchBounded(url: string, init: RequestInit, rules: FetchRules): Promise<Response> {
  const request = rules.fetch ?? fetch
  const signal = AbortSignal.timeout(rules.timeoutMs)
  // `manual` rather than `error`: some runtimes know only the former, and a redirect is then no answer either way.
  const response = await request(url, { ...init, redirect: 'manual', signal })
  const body = await readBounded(response, rules.maxBytes)
  return new Response(response.status === 204 || response.status === 304 ? null : body, {
    status: response.status === 0 ? 502 : response.status,
    headers: response.headers,
  })
}

/** Throws when a URL is neither `https` nor `http` on this very machine (OAuth 2.1: endpoints are served over TLS). */
export function requireSecureUrl(url: string, what: string, allowHttp: boolean): URL {
  if (!URL.canParse(url)) throw new PorticoError('invalid-definition', `${what} is not a URL`)
  const parsed = new URL(url)
  const secure = parsed.protocol === 'https:' || (parsed.protocol === 'http:' && (allowHttp || isLoopback(parsed)))
  if (!secure) throw new PorticoError('invalid-definition', `${what} must be an https URL`)
  return parsed
}

/** Runs at most one attempt at a time, and after a failure none for a while: the same failure is reported again. */
export class Cooldown<T> {
  readonly #coolMs: number
  #running: Promise<T> | undefined
  #failed: { readonly at: number; readonly error: unknown } | undefined

  constructor(coolMs: number) {
    this.#coolMs = coolMs
  }

  run(attempt: () => Promise<T>): Promise<T> {
    if (this.#running !== undefined) return this.#running
    if (this.#failed !== undefined && performance.now() - this.#failed.at < this.#coolMs) {
      return Promise.reject(this.#failed.error)
    }
    const running = attempt().then(
      (value) => {
        this.#failed = undefined
        this.#running = undefined
        return value
      },
      (error: unknown) => {
        this.#failed = { at: performance.now(), error }
        this.#running = undefined
        throw error
      },
    )
    this.#running = running
    return running
  }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new PorticoError('limit-exceeded', `The authorization server sent more than ${maxBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
