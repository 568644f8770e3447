/**
 * Answers for the questions that a server asks during a test, given beforehand. The client in `test-client.ts` plays them;
 * a question that nobody foresaw, or an answer that nobody asked for, makes the test fail.
 */

import type { ClientOptions } from '../client/options.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import type { ElicitParams, ElicitResult, ElicitValue } from '../protocol/elicitation.ts'
import type { Root } from '../protocol/roots.ts'
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts'

/** Answers the questions of a server in a test. */
export type ElicitFunction = (params: ElicitParams) => ElicitResult | Promise<ElicitResult>
/** Answers requests for a completion in a test. */
export type SampleFunction = (params: CreateMessageParams) => CreateMessageResult | Promise<CreateMessageResult>

/**
 * The answer to one question in a test: a form filled in, one of the three actions, or a function that looks at the
 * question first.
 */
export type ElicitAnswer = { readonly [field: string]: ElicitValue } | 'accept' | 'decline' | 'cancel' | ElicitFunction

/**
 * The answer to one request for a completion in a test: what the model says, the whole result, or a function that looks
 * at the request first.
 */
export type SampleAnswer = string | CreateMessageResult | SampleFunction

/**
 * How a test client answers the server's questions. A kind of question without a member here is not offered to the
 * server; an empty list offers it and expects no question.
 */
export interface Answers {
  /** In the order of the questions, or one function for all of them. */
  readonly elicit?: readonly ElicitAnswer[] | ElicitFunction
  readonly sample?: readonly SampleAnswer[] | SampleFunction
  readonly roots?: readonly Root[]
}

/** One question that a server asked the test client, with its parameters. */
export type Asked =
  | { readonly kind: 'elicit'; readonly params: ElicitParams }
  | { readonly kind: 'sample'; readonly params: CreateMessageParams }

export class Script {
  /** Every question so far, in order. */
  readonly asked: Asked[] = []
  readonly #answers: Answers
  readonly #surprises: string[] = []
  #elicited = 0
  #sampled = 0

  constructor(answers: Answers) {
    this.#answers = answers
  }

  /** What the client declares and how it answers. */
  clientOptions(): Pick<ClientOptions, 'elicitation' | 'sampling' | 'roots'> {
    const { elicit, sample, roots } = this.#answers
    return {
      ...(elicit !== undefined && {
        elicitation: { form: (params) => this.#elicit(params), url: (params) => this.#elicit(params) },
      }),
      ...(sample !== undefined && { sampling: (params) => this.#sample(params) }),
      ...(roots !== undefined && { roots }),
    }
  }

  /** Why the script was not played as written: surprising questions, answers left over. */
  faults(): string[] {
    const { elicit, sample } = this.#answers
    const left = [
      { kind: 'elicit', count: leftOf(elicit, this.#elicited) },
      { kind: 'sample', count: leftOf(sample, this.#sampled) },
    ].filter(({ count }) => count > 0)
    return [...this.#surprises, ...left.map(({ kind, count }) => `${count} answers to ${kind} were not asked for`)]
  }

  async #elicit(params: ElicitParams): Promise<ElicitResult> {
    this.asked.push({ kind: 'elicit', params })
    const { elicit } = this.#answers
    const answer = typeof elicit === 'function' ? elicit : elicit?.[this.#elicited++]
    if (answer === undefined) throw this.#surprise(`elicit: ${params.message}`)
    if (typeof answer === 'function') return answer(params)
    return typeof answer === 'string' ? { action: answer } : { action: 'accept', content: { ...answer } }
  }

  async #sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    this.asked.push({ kind: 'sample', params })
    const { sample } = this.#answers
    const answer = typeof sample === 'function' ? sample : sample?.[this.#sampled++]
    if (answer === undefined) throw this.#surprise('sample')
    if (typeof answer === 'function') return answer(params)
    if (typeof answer !== 'string') return answer
    return { role: 'assistant', content: { type: 'text', text: answer }, model: 'scripted', stopReason: 'endTurn' }
  }

  #surprise(question: string): PorticoError {
    const message = `The script has no answer to ${question}`
    this.#surprises.push(message)
    return new PorticoError('invalid-definition', message)
  }
}

function leftOf(answers: readonly unknown[] | ((params: never) => unknown) | undefined, played: number): number {
  return answers === undefined || typeof answers === 'function' ? 0 : answers.length - played
}
