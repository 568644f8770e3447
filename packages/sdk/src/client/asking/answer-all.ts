/** Answers to the questions of one round, or of one look at a task. */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Relayed } from '../relay.ts'

/** A question of the server's, and how it came. */
interface ServerQuestion {
  readonly method: string
  readonly params: JsonObject
  readonly signal: AbortSignal
  /** A URL that must have been visited before the request can be sent again. */
  readonly required?: boolean | undefined
  /** Who the request is relayed for, where it is. */
  readonly relay?: Relayed | undefined
  /** What the server calls it, where it has several open. */
  readonly key?: string | undefined
}

export type AnswerQuestion = (question: ServerQuestion) => Promise<JsonObject>

interface RoundOptions {
  readonly maxQuestions: number
  readonly signal: AbortSignal | undefined
}

/** The answers to questions by their keys. A question that is not answered fails them all, and the others are told so. */
export async function answerAll(
  requests: unknown,
  answer: AnswerQuestion,
  { maxQuestions, signal }: RoundOptions,
): Promise<JsonObject | undefined> {
  if (requests === undefined) return undefined
  if (!isObject(requests)) throw invalidInput('inputRequests must be an object')
  const entries = Object.entries(requests)
  if (entries.length > maxQuestions) {
    throw new PorticoError('limit-exceeded', `maxQuestions (${maxQuestions}) exceeded`, { delivery: 'unknown' })
  }
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const answers = await Promise.all(
      entries.map(async ([key, request]): Promise<[string, JsonObject]> => {
        if (!isObject(request) || typeof request.method !== 'string')
          throw invalidInput(`question "${key}" is no request`)
        const params = isObject(request.params) ? request.params : {}
        const answered = answer({ method: request.method, params, signal: controller.signal, key })
        return [key, await answered.catch(toRefusal(request.method))]
      }),
    )
    if (signal?.aborted)
      throw new PorticoError('aborted', 'The call was cancelled', { cause: signal.reason, delivery: 'unknown' })
    return Object.fromEntries(answers)
  } catch (error) {
    controller.abort(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** What a handler of this side throws must not look like an error that the server answered. */
function toRefusal(method: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PorticoError && !(error instanceof RpcError)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new PorticoError('input-refused', `The server asked by ${method}, and no answer was given: ${reason}`, {
      cause: error,
      delivery: 'unknown',
    })
  }
}

export function invalidInput(reason: string): PorticoError {
  return new PorticoError('invalid-message', `The server's request for input is not valid: ${reason}`, {
    delivery: 'unknown',
  })
}
