/**
 * What a feature contributes: methods, each in two halves. `run` works on the neutral model and is what middleware
 * wraps; `write` puts its result into the words of the request's revision. `endpoint.ts` joins them.
 */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { KEPT_LIMITS } from '../../session/kept-text.ts'
import type { ServerCall } from './call.ts'

/** Runs an item's work within what the server that it was mounted from puts around it. */
export type Inside = <Result>(call: ServerCall, run: () => Result | Promise<Result>) => Result | Promise<Result>

/** A result ready to send: an object, or its JSON text without the last brace (for lists that are kept as text). */
export type Written = JsonObject | string

export interface ServerMethod<Result = unknown> {
  readonly method: string
  /** Whether the server has anything to offer under this method now; a method that is not served is not found. */
  served?(): boolean
  run(call: ServerCall): Result | Promise<Result>
  write(result: Result, call: ServerCall): Written
  /** Throws what `run` would for a caller that may not use what is asked for, and does nothing else. */
  admit?(call: ServerCall): void | Promise<void>
  /** The same method for a later round of a request, where the revision has rounds. */
  readonly again?: ServerMethod
  /** The answer without running anything, where no middleware is in the way. */
  ready?(call: ServerCall): string | undefined
  /** `run` may return `DEFERRED`. */
  readonly holds?: true
  /** The server's `context` function does not run for it: a client has to be able to connect whatever that says. */
  readonly withoutContext?: true
}

/** Takes `methods` of any result type into one list; `run` and `write` of one method always meet each other only. */
export function defineMethod<Result>(method: ServerMethod<Result>): ServerMethod {
  return method as ServerMethod
}

/**
 * What `run` returns, or resolves to, when the request stays open and `call.deferred` is given the result later: no promise
 * is kept for it, since there may be ten thousand.
 */
export const DEFERRED: unique symbol = Symbol('deferred')

/** Continues after a value that may be a promise, without making one when it is not. */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value)
}

/** Query builders and promises of another realm are no `Promise`, yet handlers return them. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** The `-32602` that names the offending parameter. */
export function invalidParam(parameter: string, reason: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${parameter} ${reason}`, { parameter, reason })
}

/** The refusal of a subscription beyond the bound, which sessions and listeners share. */
export function tooManySubscriptions(parameter: string): RpcError {
  const { maxSubscriptionLength } = KEPT_LIMITS
  return invalidParam(parameter, `subscribes to too much: maxSubscriptionLength (${maxSubscriptionLength}) exceeded`)
}

/** A string parameter, or the error that names it. */
export function stringParam(params: JsonObject, name: string): string {
  const value = params[name]
  if (typeof value !== 'string') throw invalidParam(name, value === undefined ? 'is missing' : 'must be a string')
  return value
}
