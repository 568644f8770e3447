/**
 * Slack's Web API: one way to call it, which waits where Slack says so, repeats what may be repeated, and sends the token to
 * Slack and to nobody else.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '@portico/sdk/client'
import { isObject, timeLimit } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'

/** Slack said no; `code` is its word for why. */
export class SlackError extends Error {
  readonly code: string

  constructor(method: string, code: string) {
    super(`Slack refused ${method}: ${code}`)
    this.name = 'SlackError'
    this.code = code
  }
}

interface SlackApiOptions {
  readonly token: string
  /** Where the methods are; `https://slack.com/api` unless given. */
  readonly base?: string
  readonly fetch?: typeof fetch
  /** How often something is tried that did not get through. */
  readonly tries?: number
}

const TRIES = 5
const MAX_WAIT_MS = 120_000
const TIMEOUT_MS = 20_000
const MAX_REPLY_CHARS = 2_000_000
/** Doing these twice comes to the same. */
const REPEATABLE = new Set(['chat.update', 'auth.test', 'apps.connections.open', 'files.info', 'views.open'])

export class SlackApi {
  readonly #options: SlackApiOptions
  readonly #base: URL
  /** Until when a method is not to be called. */
  readonly #blocked = new Map<string, number>()
  readonly #closing = new AbortController()

  constructor(options: SlackApiOptions) {
    this.#options = options
    this.#base = new URL(`${(options.base ?? 'https://slack.com/api').replace(/\/+$/, '')}/`)
  }

  close(): void {
    this.#closing.abort(new PorticoError('closed', 'The chat host is closed'))
  }

  async call(method: string, args: JsonObject): Promise<JsonObject> {
    for (let tries = 1; ; tries++) {
      await this.#wait(method)
      let failure: unknown
      try {
        const response = await this.#post(method, args)
        if (response.status === 429) {
          const seconds = Number(response.headers.get('retry-after') ?? '1')
          await response.body?.cancel()
          this.#blocked.set(method, Date.now() + (Number.isFinite(seconds) ? seconds * 1000 : 1000))
          failure = new SlackError(method, 'ratelimited')
        } else if (response.status < 500) return await read(method, response)
        else failure = new SlackError(method, `http_${response.status}`)
        if (response.status !== 429 && !REPEATABLE.has(method)) throw failure
      } catch (error) {
        // A connection that broke is tried again: an answer that stands there twice is better than none.
        const mayRepeat = REPEATABLE.has(method) || error instanceof TypeError
        if (error instanceof SlackError || !mayRepeat || this.#closing.signal.aborted) throw error
        failure = error
      }
      if (tries >= (this.#options.tries ?? TRIES))
        throw failure instanceof SlackError ? failure : unreachable(this.#base.host, failure)
      if (!this.#blocked.has(method)) await pause(250 * 2 ** tries, undefined, { signal: this.#closing.signal })
    }
  }

  /** What is at an address of Slack's, up to a size. */
  async download(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { fetch: send = fetch, token } = this.#options
    this.requireSlack(url)
    const headers = { authorization: `Bearer ${token}` }
    const response = await send(url, { headers, redirect: 'error', signal })
    if (!response.ok) throw new SlackError('download', `http_${response.status}`)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new PorticoError('limit-exceeded', `The file is larger than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** The address is one that Slack gave out for this file; it needs no token. */
  async put(url: string, bytes: Uint8Array): Promise<void> {
    const { fetch: send = fetch } = this.#options
    this.requireSlack(url)
    const signal = AbortSignal.timeout(3 * TIMEOUT_MS)
    // A copy of its own, which is what `fetch` takes.
    const response = await send(url, { method: 'POST', body: new Uint8Array(bytes), redirect: 'error', signal })
    await response.body?.cancel()
    if (!response.ok) throw new SlackError('upload', `http_${response.status}`)
  }

  /** Throws unless an address is Slack's, or that of the service that is in its place. */
  requireSlack(address: string): void {
    const url = URL.canParse(address) ? new URL(address) : undefined
    const isSafe = url?.protocol === 'https:' || url?.protocol === 'wss:'
    const isSlacks =
      url !== undefined && isSafe && (url.hostname === 'slack.com' || url.hostname.endsWith('.slack.com'))
    if (isSlacks || url?.host === this.#base.host) return
    throw new PorticoError('input-refused', 'Slack named an address that is not Slack’s')
  }

  async #wait(method: string): Promise<void> {
    const until = this.#blocked.get(method)
    if (until === undefined) return
    const ms = until - Date.now()
    if (ms > MAX_WAIT_MS) throw new SlackError(method, 'ratelimited')
    if (ms > 0) await pause(ms, undefined, { signal: this.#closing.signal })
    if ((this.#blocked.get(method) ?? 0) <= Date.now()) this.#blocked.delete(method)
  }

  #post(method: string, args: JsonObject): Promise<Response> {
    const { fetch: send = fetch, token } = this.#options
    const signal = timeLimit(TIMEOUT_MS, this.#closing.signal)
    const isForm = FORM_METHODS.has(method)
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8'
    const body = isForm ? new URLSearchParams(toTexts(args)).toString() : JSON.stringify(args)
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    return send(new URL(method, this.#base), { method: 'POST', headers, body, redirect: 'error', signal })
  }
}

/** In place of "fetch failed": where it was to go, and the word of the network for why it did not. */
function unreachable(host: string, error: unknown): PorticoError {
  const { cause, name } = error as { readonly cause?: unknown; readonly name?: unknown }
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  const why = typeof code === 'string' ? code : name === 'TimeoutError' ? 'no answer in time' : 'no connection'
  return new PorticoError('connect-failed', `Slack could not be reached at ${host}: ${why}`, { cause: error })
}

/** These take no JSON. */
const FORM_METHODS = new Set(['files.getUploadURLExternal', 'files.info', 'auth.test', 'apps.connections.open'])

function toTexts(args: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))
}

async function read(method: string, response: Response): Promise<JsonObject> {
  const text = await response.text()
  if (text.length > MAX_REPLY_CHARS) throw new SlackError(method, 'reply_too_large')
  let reply: unknown
  try {
    reply = JSON.parse(text)
  } catch {
    throw new SlackError(method, `http_${response.status}`)
  }
  if (!isObject(reply)) throw new SlackError(method, 'no_object')
  if (reply.ok !== true)
    throw new SlackError(method, typeof reply.error === 'string' ? reply.error.slice(0, 100) : 'unknown')
  const scopes = response.headers.get('x-oauth-scopes')
  const date = response.headers.get('date')
  // What the doctor looks at.
  return { ...(reply as JsonObject), ...(scopes !== null && { scopes }), ...(date !== null && { date }) }
}
