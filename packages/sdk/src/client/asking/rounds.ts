/**
 * Multi-round input from the client's side (2026-07-28, "Multi Round-Trip Requests"): as long as the server answers a
 * request with questions, answer them and send the request again, with the server's state as it came. Each round is a
 * request of its own with a new id. The `-32042` of 2025-11-25, which asks for URLs to be visited first, ends here too.
 */

import { PorticoError, RpcError, withDoubt } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { URL_ELICITATION_REQUIRED } from '../../protocol/errors.ts'
import type { RequestSpec, SentCall } from '../attempt.ts'
import type { ListedNames } from '../listed-names.ts'
import type { RequestOptions } from '../options.ts'
import { signalOf } from '../relay.ts'
import { type AnswerQuestion, answerAll, invalidInput } from './answer-all.ts'

export interface RoundResult {
  readonly result: JsonObject
  /** The result depends on answers, so it must not be cached. */
  readonly asked: boolean
}

/** What a request that may be answered by questions needs of the client around it. */
export interface AskHost {
  readonly limits: { readonly maxRounds: number; readonly maxQuestions: number }
  readonly requests: { send(spec: RequestSpec, options: RequestOptions): Promise<JsonObject> }
  readonly answerQuestion: AnswerQuestion
  readonly listed: ListedNames
}

/**
 * A request that may be answered by questions. Nearly all are not: then it is a plain request, and what would answer
 * them is never made. `finish` makes the caller's answer of the complete result; `asked` tells that it took answers, so
 * that it must not be cached.
 */
export abstract class AskingRequest<Answer> implements RequestSpec<Answer> {
  readonly method: string
  readonly params: JsonObject
  readonly timeoutMs: number
  readonly ceilingMs: number | undefined
  protected readonly host: AskHost
  /** What the caller gave; progress is the call's, and does not go back when a round begins again. */
  readonly options: RequestOptions

  constructor(host: AskHost, request: Asked, times: RequestTimes, options: RequestOptions) {
    this.host = host
    this.method = request.method
    this.params = request.params
    this.timeoutMs = times.timeoutMs
    this.ceilingMs = times.ceilingMs
    const { onProgress } = options
    this.options = onProgress === undefined ? options : { ...options, onProgress: neverBack(onProgress) }
  }

  /** `sent` is the request that was answered so, unless it took several. */
  abstract finish(result: JsonObject, asked: boolean, sent?: SentCall): Answer | Promise<Answer>

  read(result: JsonObject, sent?: SentCall): Answer | Promise<Answer> {
    return result.resultType === 'input_required' ? this.#further(result) : this.finish(result, false, sent)
  }

  /** Shows the URLs that a `-32042` lists and, when all were agreed to, sends the request once more. */
  async rescue(error: unknown): Promise<Answer> {
    const { limits, listed } = this.host
    const elicitations = requiredUrls(error)
    if (elicitations === undefined || elicitations.length === 0 || elicitations.length > limits.maxQuestions) {
      // Whoever has a request relayed may not be one who may see all that is listed here.
      throw this.options.relay === undefined ? listed.explain(error, this.method, this.params) : error
    }
    const ask = signalOf(this.options) ?? new AbortController().signal
    for (const params of elicitations) {
      const question = { method: 'elicitation/create', params, signal: ask, required: true }
      const reply = await this.#answer(question).catch(() => ({ action: 'cancel' }))
      if (reply.action !== 'accept') throw error
    }
    return this.read(await this.#resend(this.params))
  }

  /** The rounds after the first, until the result is complete. */
  async #further(first: JsonObject): Promise<Answer> {
    const { limits } = this.host
    const options = { ...limits, signal: signalOf(this.options) }
    let result = first
    for (let round = 0; result.resultType === 'input_required'; round++) {
      if (round >= limits.maxRounds) {
        throw new PorticoError('limit-exceeded', `maxRounds (${limits.maxRounds}) exceeded`, { delivery: 'unknown' })
      }
      const { requestState } = result
      const inputResponses = await answerAll(result.inputRequests, this.#answer, options)
      if (requestState !== undefined && typeof requestState !== 'string') {
        throw invalidInput('requestState must be a string')
      }
      if (inputResponses === undefined && requestState === undefined)
        throw invalidInput('it has neither questions nor state')
      result = await this.#resend({
        ...this.params,
        ...(inputResponses && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      }).catch((error: unknown) => {
        // The first round was executed, whatever became of this one.
        throw withDoubt(error)
      })
    }
    return this.finish(result, true)
  }

  readonly #answer: AnswerQuestion = (question) => {
    const { relay } = this.options
    return this.host.answerQuestion({ ...question, relay: relay && { relay, owned: true, key: question.key } })
  }

  #resend(params: JsonObject): Promise<JsonObject> {
    return this.host.requests.send(new Round(this, params), this.options)
  }
}

export class PlainAsk extends AskingRequest<RoundResult> {
  get tasks(): boolean {
    return Boolean(this.options.task) || this.method.startsWith('tasks/')
  }

  override finish(result: JsonObject, asked: boolean): RoundResult {
    return { result, asked }
  }
}

/** What is asked of the server. */
interface Asked {
  readonly method: string
  readonly params: JsonObject
}

/** How long a request may take, and how far progress may extend that. */
export interface RequestTimes {
  readonly timeoutMs: number
  readonly ceilingMs?: number
}

/** A later round: the same request with other parameters, whose result is taken as it is. */
class Round implements RequestSpec {
  readonly method: string
  readonly params: JsonObject
  readonly timeoutMs: number
  readonly ceilingMs: number | undefined
  readonly repeatable: boolean | undefined
  readonly tasks: boolean | undefined
  readonly headers: RequestSpec['headers']
  readonly refreshHeaders: RequestSpec['refreshHeaders']

  constructor(first: RequestSpec<unknown>, params: JsonObject) {
    this.method = first.method
    this.params = params
    this.timeoutMs = first.timeoutMs
    this.ceilingMs = first.ceilingMs
    this.repeatable = first.repeatable
    this.tasks = first.tasks
    this.headers = first.headers && ((connection) => first.headers?.(connection))
    this.refreshHeaders = first.refreshHeaders && (async () => first.refreshHeaders?.())
  }
}

function neverBack(listener: NonNullable<RequestOptions['onProgress']>): typeof listener {
  let last = Number.NEGATIVE_INFINITY
  return (report) => {
    if (report.progress <= last) return
    last = report.progress
    // Returned, so that whoever calls it hears of a promise that rejects.
    return listener(report)
  }
}

function requiredUrls(error: unknown): JsonObject[] | undefined {
  if (!(error instanceof RpcError) || error.rpcCode !== URL_ELICITATION_REQUIRED || !isObject(error.data))
    return undefined
  const { elicitations } = error.data
  if (!Array.isArray(elicitations)) return undefined
  return elicitations.every((item) => isObject(item) && item.mode === 'url') ? elicitations : undefined
}
