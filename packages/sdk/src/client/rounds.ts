/**
 * Multi-round input from the client's side (2026-07-28, "Multi Round-Trip Requests"): as long as the server answers a
 * request with questions, answer them and send the request again, with the server's state as it came. Each round is a
 * request of its own with a new id. The `-32042` of 2025-11-25, which asks for URLs to be visited first, ends here too.
 */

import { PorticoError, RpcError, withDoubt } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { URL_ELICITATION_REQUIRED } from '../protocol/errors.ts'

export interface RoundOptions {
  readonly maxRounds: number
  readonly maxQuestions: number
  readonly signal: AbortSignal | undefined
}

export interface RoundResult {
  readonly result: JsonObject
  /** The result depends on answers, so it must not be cached. */
  readonly asked: boolean
}

/** `required` marks a URL that must have been visited before the request can be sent again. */
export type AnswerQuestion = (
  method: string,
  params: JsonObject,
  signal: AbortSignal,
  required?: boolean,
) => Promise<JsonObject>

/** Sends a request until its result is complete. `send` gets the parameters of each round. */
export async function runRounds(
  params: JsonObject,
  send: (params: JsonObject) => Promise<JsonObject>,
  answer: AnswerQuestion,
  options: RoundOptions,
): Promise<RoundResult> {
  let result = await withUrlsVisited(() => send(params), answer, options)
  for (let round = 0; result.resultType === 'input_required'; round++) {
    if (round >= options.maxRounds) {
      throw new PorticoError('limit-exceeded', `maxRounds (${options.maxRounds}) exceeded`, { delivery: 'unknown' })
    }
    const { requestState } = result
    const inputResponses = await answerAll(result.inputRequests, answer, options)
    if (requestState !== undefined && typeof requestState !== 'string') {
      throw invalid('requestState must be a string')
    }
    if (inputResponses === undefined && requestState === undefined) throw invalid('it has neither questions nor state')
    result = await send({
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    }).catch((error: unknown) => {
      // The first round was executed, whatever became of this one.
      throw withDoubt(error)
    })
    if (result.resultType !== 'input_required') return { result, asked: true }
  }
  return { result, asked: false }
}

async function answerAll(
  requests: unknown,
  answer: AnswerQuestion,
  { maxQuestions, signal }: RoundOptions,
): Promise<JsonObject | undefined> {
  if (requests === undefined) return undefined
  if (!isObject(requests)) throw invalid('inputRequests must be an object')
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
        if (!isObject(request) || typeof request.method !== 'string') throw invalid(`question "${key}" is no request`)
        const params = isObject(request.params) ? request.params : {}
        return [key, await answer(request.method, params, controller.signal).catch(toRefusal(request.method))]
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

/** Shows the URLs that a `-32042` lists and, when all were agreed to, sends the request once more. */
async function withUrlsVisited(
  send: () => Promise<JsonObject>,
  answer: AnswerQuestion,
  { maxQuestions, signal }: RoundOptions,
): Promise<JsonObject> {
  try {
    return await send()
  } catch (error) {
    const elicitations = requiredUrls(error)
    if (elicitations === undefined || elicitations.length === 0 || elicitations.length > maxQuestions) throw error
    const ask = signal ?? new AbortController().signal
    for (const params of elicitations) {
      const reply = await answer('elicitation/create', params, ask, true).catch(() => ({ action: 'cancel' }))
      if (reply.action !== 'accept') throw error
    }
    return send()
  }
}

function requiredUrls(error: unknown): JsonObject[] | undefined {
  if (!(error instanceof RpcError) || error.rpcCode !== URL_ELICITATION_REQUIRED || !isObject(error.data))
    return undefined
  const { elicitations } = error.data
  if (!Array.isArray(elicitations)) return undefined
  return elicitations.every((item) => isObject(item) && item.mode === 'url') ? elicitations : undefined
}

function invalid(reason: string): PorticoError {
  return new PorticoError('invalid-message', `The server's request for input is not valid: ${reason}`, {
    delivery: 'unknown',
  })
}
