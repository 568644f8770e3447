/** Judges the heads of HTTP answers: what a status means for the request it answers, and when to try again. Moves no bytes. */

import type { AnswerHead } from '../auth/client/authorization.ts'
import { parseChallenges } from '../auth/client/challenge.ts'
import type { HttpFault } from '../client/link.ts'
import { parseJson } from '../framing/json.ts'
import { INVALID_REQUEST, PorticoError } from '../jsonrpc/errors.ts'
import { classify, type RequestId, type RpcResponse } from '../jsonrpc/message.ts'
import type { HttpAnswer } from '../transport/http-client/http-client.ts'
import { likelyAddress, USUAL_PATHS } from './usual-path.ts'

/** The type of a body without its parameters. */
export function contentType(answer: HttpAnswer): string {
  const type = answer.header('content-type') ?? ''
  return type === JSON_TYPE ? type : type.split(';', 1)[0]!.trim().toLowerCase()
}

/** As nearly all answers have it. */
const JSON_TYPE = 'application/json'

/** Where a redirect leads, if it may be followed: same origin, same method (sec-65). */
export function redirectOf(answer: HttpAnswer, url: URL): URL | undefined {
  if (answer.status !== 307 && answer.status !== 308) return undefined
  const location = answer.header('location')
  if (location === undefined || !URL.canParse(location, url.href)) return undefined
  const target = new URL(location, url)
  return target.origin === url.origin ? target : undefined
}

/** The error for a status that is no answer. `session` tells whether the request named one, `url` where it went. */
export function statusError(answer: AnswerHead, session: boolean, url?: URL): PorticoError {
  const { status } = answer
  const retryAfterMs = retryAfter(answer.header('retry-after'))
  const challenge = answer.header('www-authenticate')
  const sessionLost = session && status === 404
  const data: HttpFault = {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(sessionLost && { sessionLost }),
    ...(challenge !== undefined && { challenge, challenges: readChallenges(challenge) }),
  }
  // A server that has done what was asked may well point elsewhere afterwards (RFC 9110, "See Other" and its relatives).
  const mayBeDone = status >= 300 && status < 304
  const refused = (status < 500 && !mayBeDone) || (status === 503 && retryAfterMs !== undefined)
  const message = sessionLost
    ? 'The server has forgotten the session (HTTP 404)'
    : `The server answered HTTP ${status}${hint(answer, url)}`
  return new PorticoError('http-status', message, { data, delivery: refused ? 'not-sent' : 'unknown' })
}

/** As other servers say it, of the codes that are theirs to give. */
const SERVER_ERROR = -32000

/** What servers answer for a path at which there is nothing, or something else. */
const NOWHERE: readonly number[] = [404, 405, 410]

/** What a caller can do about it. */
function hint(answer: AnswerHead, url: URL | undefined): string {
  if (answer.status === 401) return ': it wants you to sign in (`auth`)'
  if (url !== undefined && NOWHERE.includes(answer.status)) {
    const likely = likelyAddress(url)
    return `: there is no MCP server at this path; ${likely === undefined ? USUAL_PATHS : `try ${likely}`}`
  }
  const location = answer.status >= 300 && answer.status < 400 ? answer.header('location') : undefined
  if (location === undefined) return ''
  // Parsed, so that it holds no line breaks and no codes for a terminal; and no query, which may hold a secret.
  const target = URL.canParse(location) ? new URL(location) : undefined
  const where = target === undefined ? '' : ` to ${`${target.origin}${target.pathname}`.slice(0, 200)}`
  return `: it redirects${where}, which is not followed; connect to the address that it has now`
}

function readChallenges(header: string): NonNullable<HttpFault['challenges']> {
  return parseChallenges(header).map(({ scheme, params }) => ({ scheme, params: Object.fromEntries(params) }))
}

/** Whether a refusal is about who asks, whatever its body says. */
export function isUnauthorized(answer: HttpAnswer): boolean {
  return answer.status === 401 || (answer.status === 403 && answer.header('www-authenticate') !== undefined)
}

/** The JSON-RPC error that the body of such an answer holds, as the answer to `id`. */
export function errorInBody(text: string, id: RequestId): RpcResponse | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok) return undefined
  const classified = classify(parsed.value)
  if (classified.kind !== 'response' || !('error' in classified.message)) return undefined
  return { ...classified.message, id }
}

/** The same error with the reason that the server gives in its body, as one short line. */
export function withReason(error: PorticoError, response: RpcResponse | undefined): PorticoError {
  if (response === undefined || !('error' in response)) return error
  // Whatever a terminal could act on is no part of a reason.
  const reason = response.error.message
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
  if (reason === '') return error
  const { code, message, data, delivery } = error
  return new PorticoError(code, `${message}: ${reason}`, { data, ...(delivery && { delivery }) })
}

const MAX_REASON = 300

/**
 * Whether an error in a body only says that there is nothing at this address: nobody looked at the request. A method that is
 * not found has the same status and another code.
 */
export function isAboutAddress({ status }: AnswerHead, response: RpcResponse): boolean {
  return (status === 404 || status === 410) && 'error' in response && ADDRESS_CODES.includes(response.error.code)
}

const ADDRESS_CODES: readonly number[] = [INVALID_REQUEST, SERVER_ERROR]

/** How long to wait before a stream is opened again: what the server asked for, within reason (sec-13). */
export function clampRetry(ms: number): number {
  return Math.min(Math.max(ms, SHORTEST_RETRY_MS), LONGEST_RETRY_MS)
}

/** The wait before attempt number `failures`, where the server has named none. */
export function backoff(failures: number): number {
  return Math.min(SHORTEST_RETRY_MS * 1.6 ** failures, 30_000) * (0.8 + 0.4 * Math.random())
}

const SHORTEST_RETRY_MS = 100
const LONGEST_RETRY_MS = 60_000

/** `Retry-After` in milliseconds: a number of seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000
  // Date.parse takes nearly anything for a date; HTTP's begin with the day of the week.
  const at = /^\s*[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
