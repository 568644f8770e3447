/**
 * The closed family of errors that Portico throws. Each has a string `code` from one table (which is also the table
 * in the docs); a peer's JSON-RPC error keeps its number apart, so that a local error can never be taken for one.
 */

import type { RpcErrorObject } from './message.ts'

/** Every code there is, with what it means. The error page of the docs is made from this table. */
export const ERROR_CODES = {
  'peer-error': 'The other side answered with a JSON-RPC error; see `rpcCode` and `data`.',
  timeout: 'No answer came within the time allowed.',
  aborted: 'The caller cancelled the call.',
  closed: 'The connection ended before the answer came, or was closed already.',
  'connect-failed': 'No connection could be made.',
  'unsupported-version': 'The two sides share no protocol revision.',
  'capability-missing': 'The other side did not declare the capability that this needs.',
  'invalid-message': 'The other side sent something that is not a valid message or result.',
  'limit-exceeded': 'A configured limit was passed; the message names the option.',
  'invalid-arguments': 'The arguments do not fit the schema.',
  'invalid-result': 'The result does not fit the schema.',
  'invalid-definition': 'The server, tool, resource, prompt or schema definition is not valid.',
  'tool-error': 'The tool itself reported a failure.',
  'not-found': 'There is no such tool, resource, prompt or extension.',
  'input-refused': 'The server asked for input that this side did not give; see `cause`. The call did not finish.',
  'http-status': 'The server answered with an HTTP status that is no answer; see `status`.',
  'auth-failed': 'Authorization was refused or could not be completed; see `data.reason`.',
  'store-unavailable': 'The place where state is kept does not answer. It is tried again with the next call.',
  'state-refused': 'A `requestState` was altered, expired or not made for this request.',
  'replay-failed': 'A task cannot go on: its handler did something else than before, or a step was interrupted.',
  suspended: 'The handler waits for input; the request is answered for now. Let it pass.',
} as const

/** The code of an error of this package. */
export type ErrorCode = keyof typeof ERROR_CODES

/** Whether the request that failed can have reached the other side. */
export type Delivery = 'not-sent' | 'unknown'

interface PorticoErrorOptions {
  readonly cause?: unknown
  readonly delivery?: Delivery
  readonly data?: unknown
}

/** The same in every copy of this package: a program and a library it uses may each have one. */
const BRAND = Symbol.for('portico.error')

/**
 * What `instanceof` says of a class of the family: an error of another copy counts by its brand and its members, one of
 * a class that somebody derived only by its own prototype.
 */
export function isOfKind<E extends PorticoError>(
  asked: unknown,
  own: unknown,
  value: unknown,
  fits: (error: { readonly [member in keyof E]?: unknown }) => boolean,
): boolean {
  if (asked !== own) return Function.prototype[Symbol.hasInstance].call(asked, value)
  return typeof value === 'object' && value !== null && BRAND in value && fits(value as E)
}

/** The class that all errors of this package extend. `code` says what went wrong; `ERROR_CODES` explains every code. */
export class PorticoError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind(this, PorticoError, value, () => true)
  }

  readonly code: ErrorCode
  /** Set on errors of a call: `not-sent` means it was certainly not executed. */
  readonly delivery: Delivery | undefined
  readonly data: unknown

  constructor(code: ErrorCode, message: string, options: PorticoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PorticoError'
    this.code = code
    this.delivery = options.delivery
    this.data = options.data
  }

  get [BRAND](): true {
    return true
  }
}

/** What is wrong with something that an author wrote. */
export function invalidDefinition(message: string, cause?: unknown): PorticoError {
  return new PorticoError('invalid-definition', message, { cause })
}

/** The same error of a later attempt, without the claim that the request was never sent. */
export function withDoubt(error: unknown): unknown {
  if (!(error instanceof PorticoError) || error.delivery !== 'not-sent') return error
  return new PorticoError(error.code, error.message, { cause: error, data: error.data, delivery: 'unknown' })
}

/** A JSON-RPC error: received from the peer on the calling side, thrown by a handler on the answering side. */
export class RpcError extends PorticoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<RpcError>(this, RpcError, value, ({ rpcCode }) => typeof rpcCode === 'number')
  }

  readonly rpcCode: number

  constructor(rpcCode: number, message: string, data?: unknown, cause?: unknown) {
    super('peer-error', message, { data, cause })
    this.name = 'RpcError'
    this.rpcCode = rpcCode
  }

  toErrorObject(): RpcErrorObject {
    return this.data === undefined
      ? { code: this.rpcCode, message: this.message }
      : { code: this.rpcCode, message: this.message, data: this.data }
  }
}

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
