/**
 * How the client's half of authorization fails: one error code, with the reason as data. Whatever came from an
 * authorization server is cut down to its error code and a short description here, because the objects that carry such
 * errors also carry requests and tokens.
 */

import * as oauth from 'oauth4webapi'
import { PorticoError } from '../../jsonrpc/errors.ts'

/** Why signing in failed. */
export type AuthFailureReason =
  | 'blocked-target'
  | 'insecure-url'
  | 'no-metadata'
  | 'resource-mismatch'
  | 'issuer-mismatch'
  | 'pkce-unsupported'
  | 'no-client'
  | 'registration-refused'
  | 'response-refused'
  | 'denied'
  | 'token-refused'
  | 'token-rejected'
  | 'scope-refused'
  | 'unreachable'
  | 'cancelled'

/** The `data` of an `auth-failed` error. */
export interface AuthFailure {
  readonly reason: AuthFailureReason
  /** The authorization server's own code, such as `invalid_grant`. */
  readonly error?: string
}

export function authFailure(reason: AuthFailureReason, message: string, error?: string): PorticoError {
  const data: AuthFailure = error === undefined ? { reason } : { reason, error }
  return new PorticoError('auth-failed', message, { data, delivery: 'not-sent' })
}

/**
 * Why signing in failed, for an error with the code `auth-failed`; undefined for any other error.
 *
 * @example
 * ```ts
 * import { authFailureOf, type OAuthOptions } from '@portico/sdk/auth'
 * import { connect } from '@portico/sdk/client'
 *
 * declare const auth: OAuthOptions
 * await connect('https://mcp.example.com/mcp', { auth }).catch((error) => {
 *   if (authFailureOf(error)?.reason === 'denied') console.error('You have not agreed to sign in.')
 *   else throw error
 * })
 * ```
 */
export function authFailureOf(error: unknown): AuthFailure | undefined {
  // Errors of this code are made above, with this as their data.
  return error instanceof PorticoError && error.code === 'auth-failed' ? (error.data as AuthFailure) : undefined
}

/** Any error of a request to an authorization server as one of the family; `what` names the request. */
export function toAuthFailure(cause: unknown, reason: AuthFailureReason, what: string): PorticoError {
  if (cause instanceof PorticoError) return cause
  if (cause instanceof oauth.ResponseBodyError || cause instanceof oauth.AuthorizationResponseError) {
    const said = [cause.error, cause.error_description].filter((text) => text !== undefined).map(plain)
    return authFailure(reason, `${what} was refused: ${said.join(', ')}`, plain(cause.error))
  }
  if (cause instanceof oauth.WWWAuthenticateChallengeError) {
    const [error] = cause.cause.map(({ parameters }) => parameters.error).filter((text) => text !== undefined)
    return authFailure(reason, `${what} was refused with HTTP ${cause.status}`, plain(error ?? 'invalid_client'))
  }
  if (cause instanceof oauth.OperationProcessingError || cause instanceof oauth.UnsupportedOperationError) {
    return authFailure(reason, `${what} was not answered as it should be: ${plain(cause.message)}`)
  }
  const why = isUnknownName(cause) ? UNKNOWN_NAME : cause instanceof Error ? plain(cause.message) : 'unknown'
  return authFailure('unreachable', `${what} could not be made: ${why}`)
}

const UNKNOWN_NAME = 'its name cannot be resolved; check its spelling and the network connection'

/** Also where `fetch` has wrapped it. */
function isUnknownName(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN' || isUnknownName(error.cause)
}

/** What is not seen, or turns what is seen around: controls, formats, line ends, characters without a shape, halves. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu

/** Text from elsewhere, made fit for one line of a log. */
export function plain(text: string): string {
  const line = text.replace(UNSEEN, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
