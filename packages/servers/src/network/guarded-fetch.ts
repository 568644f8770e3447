/**
 * The one way in which this package's servers reach the network. Every hop is judged by `destination.ts`, the SDK opens
 * the socket to the very address that was judged, bodies are bounded by `body.ts`, time is bounded as a whole, and what is
 * secret goes to the origin it is meant for and nowhere else. Keeps no cookies and no connections.
 */

import type { IncomingMessage } from 'node:http'
import { dialJudged, type Resolver, timeLimit } from '@portico/sdk/internal'
import { ToolError } from '@portico/sdk/server'
import { readBody } from './body.ts'
import { createDestinations, type DestinationOptions, type Destinations, RefusedDestination } from './destination.ts'

export interface NetworkOptions extends DestinationOptions {
  readonly timeoutMs: number
  readonly maxBytes: number
  /** What the operator calls `maxBytes`. */
  readonly maxBytesOption: string
  readonly userAgent?: string
  /** How names become addresses; the system's way unless given. */
  readonly resolve?: Resolver | undefined
}

export type { Resolver }

interface NetworkRequest {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  /** Sent to the origin of the first URL only; a redirect elsewhere goes without them. */
  readonly secretHeaders?: { readonly [name: string]: string }
  /** The folder of that origin that they are for: other services may be beside it. All of it unless given. */
  readonly secretPath?: string
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal | undefined
  readonly maxBytes?: number
  /** Of a body that is longer, its end is kept; it is refused unless given. */
  readonly keepEnd?: boolean
  /** `same-origin` for services that were named by the operator; `none` hands redirects back as they are. */
  readonly redirects?: 'follow' | 'same-origin' | 'none'
}

export interface NetworkResponse {
  /** Where the answer came from in the end. */
  readonly url: URL
  readonly status: number
  header(name: string): string | undefined
  readonly body: Uint8Array
  /** Whether the beginning of the body was left out. */
  readonly cut: boolean
}

export type GuardedFetch = (url: URL | string, request?: NetworkRequest) => Promise<NetworkResponse>

export function createGuardedFetch(options: NetworkOptions): GuardedFetch {
  const destinations = createDestinations(options)
  const dial = createDial(options, destinations)
  return async (url, request = {}) => {
    const limit = timeLimit(options.timeoutMs)
    const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal])
    try {
      return await follow(toUrl(url), request, { options, destinations, dial, signal })
    } catch (error) {
      if (request.signal?.aborted) throw new ToolError('The request was cancelled.', { cause: error })
      if (limit.aborted) {
        throw new ToolError(`No full answer came within ${options.timeoutMs} ms (option timeoutMs).`, { cause: error })
      }
      throw error instanceof ToolError ? error : unreachable(toUrl(url), error)
    }
  }
}

interface Journey {
  readonly options: NetworkOptions
  readonly destinations: Destinations
  readonly dial: Dial
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 5

async function follow(start: URL, request: NetworkRequest, journey: Journey): Promise<NetworkResponse> {
  const { options, destinations, dial, signal } = journey
  const { method = 'GET', redirects = 'same-origin', secretHeaders, maxBytes = options.maxBytes } = request
  let target = start
  for (let hops = 0; ; hops++) {
    destinations.judgeUrl(target)
    const isHome = target.origin === start.origin && isWithin(target.pathname, request.secretPath ?? '/')
    const secrets = isHome ? secretHeaders : undefined
    const answer = await dial(target, { ...request, method }, secrets, signal)
    const next = redirects === 'none' ? undefined : redirectOf(answer, target, method)
    if (next === undefined) {
      const limit = { maxBytes, option: options.maxBytesOption, keepEnd: request.keepEnd === true }
      const read = await readBody(answer, method, limit)
      return { url: target, status: answer.statusCode ?? 0, header: (name) => headerOf(answer, name), ...read }
    }
    answer.destroy()
    if (hops === MAX_REDIRECTS) throw new ToolError(`${start.host} redirects more than ${MAX_REDIRECTS} times.`)
    if (redirects === 'same-origin' && next.origin !== start.origin) {
      throw new RefusedDestination(`${start.host} redirects to ${next.host}, which was not asked for.`)
    }
    target = next
  }
}

function isWithin(path: string, folder: string): boolean {
  const inside = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(inside) || path === folder
}

/** Where a redirect leads. Only reading is repeated elsewhere. */
function redirectOf(answer: IncomingMessage, target: URL, method: string): URL | undefined {
  const { location } = answer.headers
  const redirecting = [301, 302, 303, 307, 308].includes(answer.statusCode ?? 0)
  if (!redirecting || location === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (!URL.canParse(location, target.href)) throw new ToolError(`${target.host} redirects to nowhere.`)
  const next = new URL(location, target)
  next.hash ||= target.hash
  return next
}

type Dial = (
  target: URL,
  request: NetworkRequest,
  secrets: NetworkRequest['secretHeaders'],
  signal: AbortSignal,
) => Promise<IncomingMessage>

function createDial({ userAgent, resolve }: NetworkOptions, destinations: Destinations): Dial {
  return (target, { method = 'GET', headers, body }, secrets, signal) => {
    const sent = {
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
      ...headers,
      ...secrets,
    }
    return dialJudged(target, { method, headers: sent, body, signal, resolve }, (address) =>
      destinations.judgeAddress(target, address),
    )
  }
}

function headerOf(answer: IncomingMessage, name: string): string | undefined {
  return answer.headersDistinct[name.toLowerCase()]?.join(', ')
}

function toUrl(url: URL | string): URL {
  if (typeof url !== 'string') return url
  if (!URL.canParse(url)) throw new ToolError('That is not an absolute http or https address.')
  return new URL(url)
}

/** Says what happened without the message of the system's, which may hold parts of the request. */
function unreachable(url: URL, error: unknown): ToolError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'network error'
  const words = Object.hasOwn(CAUSES, code) ? `: ${CAUSES[code]}` : ''
  return new ToolError(`${url.host} could not be reached (${code})${words}.`, { cause: error })
}

/** Whether it was a name that nobody could look up: then nothing is known of the site itself. */
export function isUnknownName(error: unknown): boolean {
  const cause = error instanceof ToolError ? error.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

const CAUSES: { readonly [code: string]: string } = {
  ENOTFOUND: 'no such name is known, or this machine is offline',
  EAI_AGAIN: 'its name could not be looked up just now, or this machine is offline',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it broke the connection off',
  ETIMEDOUT: 'it did not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
