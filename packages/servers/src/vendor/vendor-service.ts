/**
 * One service of a vendor, as the servers for GitHub and its like reach it: one base address, one token that goes nowhere
 * else, answers that are bounded and cleaned, and patience where the service asks for it.
 */

import { isUtf8 } from 'node:buffer'
import { setTimeout as pause } from 'node:timers/promises'
import { type AskingContext, PorticoError, ToolError } from '@portico/sdk/server'
import { type Environment, findSecret, readSecret } from '../network/environment.ts'
import { createGuardedFetch, type GuardedFetch, type NetworkResponse } from '../network/guarded-fetch.ts'
import { createRedactor, type Redactor } from '../network/redaction.ts'
import { waitOf } from './rate-limit.ts'
import { fixedToken, type TokenSource } from './token-source.ts'
import { toList, toObject, toText } from './values.ts'
import type { VendorPath } from './vendor-path.ts'

/** Options that every server for a vendor's service has. Times are in milliseconds. */
export interface VendorOptions {
  /** The address of the service, for installations of your own. */
  readonly base?: string | undefined
  /** The name of the environment variable that holds the token. */
  readonly tokenEnv?: string | undefined
  /** How long to wait where the service says that it is asked too often. */
  readonly maxWaitMs?: number | undefined
  readonly maxResponseBytes?: number | undefined
  readonly timeoutMs?: number | undefined
  /** `host:port` of an installation on a private address. */
  readonly allowPrivate?: readonly string[] | undefined
  /** Where the named variable is looked up; this process's own environment unless given. */
  readonly environment?: Environment | undefined
}

/** The limits of a vendor's server where its options give no others. */
export const VENDOR_LIMITS = { maxWaitMs: 60_000, maxResponseBytes: 2_000_000, timeoutMs: 30_000 } as const

/** A failure by the service's own word for it, and what it says besides. */
interface VendorFailure {
  readonly code: string
  readonly words?: string
}

/** What is particular to one vendor. */
export interface Vendor {
  readonly name: string
  readonly base: string
  readonly tokenEnv: string
  /** The variables to set, where it is not that one alone. */
  readonly tokenHint?: string
  /** The variable may be unset: the service answers strangers too. */
  readonly tokenOptional: boolean
  readonly headers: { readonly [name: string]: string }
  /** What to tell a model when the service answers so: by status, or by the word that the service has for it. */
  readonly hints: { readonly [code: string | number]: string }
  /** The service's own word for a failure in an answer whose status says nothing of it. */
  readonly failureIn?: (json: unknown) => VendorFailure | undefined
  /** Where tokens come from that are not in a variable; undefined where the variable is to be used. */
  readonly tokens?: (environment: Environment, fetch: GuardedFetch, redactor: Redactor) => TokenSource | undefined
}

export interface VendorRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly body?: object
  readonly accept?: string
  /** What the answer is; `json` unless given. A text may call itself JSON, as `…raw+json` of GitHub does, and stays text. */
  readonly as?: 'json' | 'text'
  /** Of an answer that is longer than it may be, the end is kept, where the whole is refused unless given. */
  readonly keepEnd?: boolean
  /** Follows a redirect to where files lie, without the token. */
  readonly elsewhere?: boolean
}

export interface VendorAnswer {
  readonly status: number
  /** The text of the answer, as a person would see it. */
  readonly text: string
  /** Whether its bytes are text. */
  readonly isText: boolean
  /** Whether its beginning was left out. */
  readonly cut: boolean
  /** The value of a JSON answer, cleaned. */
  readonly json: unknown
  header(name: string): string | undefined
}

/** Who waits for an answer, and hears how long it takes. */
export type Patience = Pick<AskingContext, 'signal' | 'progress'>

/** For reading on behalf of somebody who hears nothing meanwhile. */
export function quietly({ signal }: { readonly signal: AbortSignal }): Patience {
  return { signal, progress: () => {} }
}

/** A service said no: `answered` is the status, or its own word for it. */
export class VendorError extends ToolError {
  readonly answered: number | string

  constructor(answered: number | string, message: string) {
    super(message)
    this.answered = answered
  }
}

export class VendorService {
  readonly #vendor: Vendor
  readonly #base: URL
  readonly #fetch: GuardedFetch
  readonly #tokens: TokenSource
  readonly #redactor: Redactor
  readonly #maxWaitMs: number

  constructor(vendor: Vendor, options: VendorOptions) {
    this.#vendor = vendor
    this.#base = readBase(options.base ?? vendor.base)
    this.#redactor = createRedactor()
    this.#maxWaitMs = options.maxWaitMs ?? VENDOR_LIMITS.maxWaitMs
    this.#fetch = createGuardedFetch({
      timeoutMs: options.timeoutMs ?? VENDOR_LIMITS.timeoutMs,
      maxBytes: options.maxResponseBytes ?? VENDOR_LIMITS.maxResponseBytes,
      maxBytesOption: 'maxResponseBytes',
      userAgent: `portico-${vendor.name.toLowerCase()}/0.1.0`,
      allowPrivate: options.allowPrivate,
    })
    const own = vendor.tokens?.(options.environment ?? process.env, this.#fetch, this.#redactor)
    this.#tokens = own ?? fixedToken(readToken(vendor, options), this.#redactor)
  }

  /** Where the service is, for people to read. */
  get host(): string {
    return this.#base.host
  }

  /** A text that was decoded from an answer, as a person would see it and without the token: decoding brings back what was cleaned. */
  clean(text: string): string {
    return this.#redactor.text(text)
  }

  /** Sends a request, waits where the service asks for it, and throws a `ToolError` for anything but success. */
  async send({ path }: VendorPath, request: VendorRequest, ctx: Patience): Promise<VendorAnswer> {
    const url = new URL(this.#base.href.replace(/\/$/, '') + path)
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#authorized(url, request, ctx.signal)
      // A service that is unavailable may have begun what it was asked for; one that refuses for its limits has not.
      const repeatable = answer.status !== 503 || (request.method ?? 'GET') === 'GET'
      const waitMs = repeatable ? waitOf(answer) : undefined
      if (waitMs === undefined) return this.#read(answer, request.as)
      if (waitMs > this.#maxWaitMs || attempt === MAX_ATTEMPTS) throw this.#tooOften(waitMs)
      await this.#wait(waitMs, ctx)
    }
  }

  /** Sends once more with a new token where the last one was refused: then nothing was done. */
  async #authorized(url: URL, request: VendorRequest, signal: AbortSignal): Promise<NetworkResponse> {
    const token = await this.#tokens.current()
    const answer = await this.#once(url, request, token, signal)
    if (answer.status !== 401 || !(await this.#tokens.renew(token))) return answer
    return this.#once(url, request, await this.#tokens.current(), signal)
  }

  #once(
    url: URL,
    { method = 'GET', body, accept, elsewhere, keepEnd = false }: VendorRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<NetworkResponse> {
    return this.#fetch(url, {
      method,
      headers: {
        ...this.#vendor.headers,
        ...(accept !== undefined && { accept }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(token !== undefined && { secretHeaders: { authorization: `Bearer ${token}` } }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirects: elsewhere === true ? 'follow' : 'same-origin',
      secretPath: this.#base.pathname,
      keepEnd,
      signal,
    })
  }

  #read(answer: NetworkResponse, as: VendorRequest['as'] = 'json'): VendorAnswer {
    const { status, body, cut } = answer
    const text = toDecoded(body, cut)
    if (status >= 300) throw this.#failure(status, reasonIn(isJson(answer) ? tryParse(text) : undefined) || text)
    const isText = isUtf8(body) && !body.includes(0)
    const shown = {
      status,
      text: this.#redactor.text(text),
      isText,
      cut,
      header: (name: string) => answer.header(name),
    }
    if (as === 'text') return { ...shown, json: undefined }
    const json = isJson(answer) ? this.#redactor.json(parse(text)) : undefined
    const failure = this.#vendor.failureIn?.(json)
    if (failure !== undefined) throw this.#failure(failure.code, failure.words ?? failure.code)
    return { ...shown, json }
  }

  #failure(code: number | string, reason: string): VendorError {
    const words = this.#redactor.excerpt(reason, 300)
    const hint = Object.hasOwn(this.#vendor.hints, code) ? this.#vendor.hints[code] : undefined
    return new VendorError(
      code,
      `${this.#vendor.name} answered ${code}${words === code ? '' : `: ${words}`}${hint === undefined ? '' : `\n${hint}`}`,
    )
  }

  #tooOften(waitMs: number): ToolError {
    const seconds = Math.ceil(waitMs / 1000)
    return new ToolError(
      `${this.#vendor.name} is asked too often and wants to be left alone for ${seconds} s (option maxWaitMs). Nothing was done. Try again then.`,
    )
  }

  /** A second at a time, so that whoever waits sees that it goes on. */
  async #wait(waitMs: number, ctx: Patience): Promise<void> {
    const until = performance.now() + waitMs
    const total = Math.ceil(waitMs / 1000)
    for (let left = waitMs; left > 0; left = until - performance.now()) {
      ctx.progress(
        total - Math.ceil(left / 1000),
        total,
        `${this.#vendor.name} asks to wait ${Math.ceil(left / 1000)} s`,
      )
      await pause(Math.min(left, 1_000), undefined, { signal: ctx.signal })
    }
  }
}

const MAX_ATTEMPTS = 3

function readBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  // Paths are written behind it: behind a query they would be part of that.
  if (url === undefined || !isWeb || url.href !== url.origin + url.pathname) {
    throw new PorticoError(
      'invalid-arguments',
      'The option base must be an http or https address, and nothing behind its path.',
    )
  }
  return url
}

function readToken({ tokenEnv, tokenOptional, tokenHint, name }: Vendor, options: VendorOptions): string | undefined {
  const variable = options.tokenEnv ?? tokenEnv
  const environment = options.environment ?? process.env
  // A name that the operator gave must lead to something.
  if (tokenOptional && options.tokenEnv === undefined && findSecret(variable, environment) === undefined)
    return undefined
  try {
    return readSecret(variable, 'tokenEnv', environment)
  } catch (error) {
    throw new PorticoError(
      'invalid-arguments',
      `${name} needs a token: set ${tokenHint ?? variable}; the guide of this server says where to get one`,
      {
        cause: error,
      },
    )
  }
}

/** What a service says went wrong: as `message`, as or within `error` (Slack, Google), or the first of `errors` (Asana). */
function reasonIn(json: unknown): string {
  const { message, error, errors } = toObject(json)
  return toText(message) || toText(error) || toText(toObject(error).message) || toText(toList(errors)[0]?.message)
}

function isJson(answer: NetworkResponse): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(answer.header('content-type') ?? '')
}

/** Without the first line where the beginning was left out: it is not whole, and neither is a secret in it. */
function toDecoded(body: Uint8Array, cut: boolean): string {
  const text = new TextDecoder().decode(body)
  if (!cut) return text
  const line = text.indexOf('\n')
  return text.slice(line === -1 ? MAX_SECRET : line + 1)
}

const MAX_SECRET = 4_096

/** What is said of a failure may be anything. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ToolError('The service sent JSON that cannot be read.')
  }
}
