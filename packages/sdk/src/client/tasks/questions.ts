/**
 * Answers what a task of 2026-07-28 asks, by the same handlers as any other question (sec-363): each key once, however often the
 * server shows it.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { TaskView } from '../../protocol/tasks.ts'
import { answerAll } from '../asking/answer-all.ts'
import type { RequestRelay } from '../relay.ts'
import type { TaskHost } from './host.ts'
import { Patience } from './patience.ts'
import { sendAnswers } from './requests.ts'

export class TaskQuestions {
  readonly #host: TaskHost
  readonly #relay: RequestRelay | undefined
  readonly #asked = new Set<string>()

  constructor(host: TaskHost, relay: RequestRelay | undefined) {
    this.#host = host
    this.#relay = relay
  }

  /** Has the questions answered that were not seen before, and sends the answers. */
  async answer({ taskId, questions = {} }: TaskView, signal: AbortSignal): Promise<void> {
    const fresh = Object.entries(questions).filter(([key]) => !this.#asked.has(key))
    if (fresh.length === 0) return
    const { maxQuestions, maxRounds } = this.#host.limits
    if (fresh.length > maxQuestions) throw tooMany(`maxQuestions (${maxQuestions})`)
    if (this.#asked.size + fresh.length > maxQuestions * maxRounds) throw tooMany('maxQuestions in maxRounds')
    for (const [key] of fresh) this.#asked.add(key)
    let answers: JsonObject | undefined
    try {
      answers = await answerAll(Object.fromEntries(fresh), this.#ask, { maxQuestions, signal })
    } catch (error) {
      // Nothing was sent: whoever goes on with the task may answer them after all.
      for (const [key] of fresh) this.#asked.delete(key)
      throw error
    }
    await this.#send(taskId, answers ?? {}, signal)
  }

  readonly #ask: Parameters<typeof answerAll>[1] = (question) => {
    const relay = this.#relay
    return this.#host.answerQuestion({ ...question, relay: relay && { relay, owned: true, key: question.key } })
  }

  async #send(taskId: string, answers: JsonObject, signal: AbortSignal): Promise<void> {
    for (const patience = new Patience(this.#host); ; ) {
      try {
        return await sendAnswers(this.#host, taskId, answers)
      } catch (error) {
        await patience.afterFailure(error, signal)
      }
    }
  }
}

function tooMany(limit: string): PorticoError {
  return new PorticoError('limit-exceeded', `${limit} exceeded by a task`, { delivery: 'unknown' })
}
