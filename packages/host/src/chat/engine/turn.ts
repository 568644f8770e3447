/**
 * One turn: the model answers a message, or takes up what a task has come to, on behalf of one person and in their host. What
 * happens is written into one message of the thread, counted against the channel's budget, and kept step by step, so that a process
 * that dies leaves a conversation that knows what was done.
 */

import type { CallView, TurnEvent } from '../../model/conversation.ts'
import type { ChatAdapter, ChatButton, ChatThread, ChatUpload } from './adapter.ts'
import { AnswerStream } from './answer-stream.ts'
import { type ChannelBudgets, exhausted, type Used } from './channel-budget.ts'
import { filesOf } from './files.ts'
import type { LiveTalk } from './people.ts'
import type { ChannelBudget, ChatLimits } from './settings.ts'
import { WORDS } from './words.ts'

interface TurnParts {
  readonly adapter: ChatAdapter
  readonly budgets: ChannelBudgets
  readonly limits: ChatLimits
  readonly thread: ChatThread
  readonly talk: LiveTalk
  readonly budget: ChannelBudget | undefined
  /** Stops it; bound to whoever asked. */
  readonly stop: ChatButton
  /** Keeps the conversation as it is now. */
  keep(): Promise<void>
  /** A call of the turn goes on by itself. */
  taskBegun(): void
  readonly warn: (error: unknown) => void
}

export class Turn {
  readonly #parts: TurnParts
  readonly #answer: AnswerStream
  readonly #calls = new Set<string>()
  readonly #files: ChatUpload[] = []
  #used: Used
  #tokens = 0
  #cost = 0
  #leftOut = 0
  #note: string | undefined
  #keeping: Promise<unknown> = Promise.resolve()

  constructor(parts: TurnParts, used: Used) {
    this.#parts = parts
    this.#used = used
    const { inputTokens, outputTokens, cost = 0 } = parts.talk.conversation.usage
    this.#tokens = inputTokens + outputTokens
    this.#cost = cost
    this.#answer = new AnswerStream({ ...parts, buttons: [parts.stop] })
  }

  get text(): string {
    return this.#answer.text.trim()
  }

  /** The id of the message that becomes the answer. */
  open(): Promise<string> {
    return this.#answer.open()
  }

  /** Ends it early, and says why. */
  cancel(note: string): void {
    this.#note ??= note
    this.#parts.talk.conversation.cancel()
  }

  /** Ends it before the model was asked. */
  async refuse(note: string): Promise<void> {
    await this.#answer.end(note)
  }

  /** `text` is what the person said; undefined for what a task has brought. */
  async run(text: string | undefined): Promise<void> {
    const { conversation } = this.#parts.talk
    let end: Extract<TurnEvent, { type: 'end' }> | undefined
    const listen = (event: TurnEvent): void => {
      if (event.type === 'end') end = event
      else this.#take(event)
    }
    if (this.#note !== undefined) return this.refuse(this.#note)
    if (text === undefined) await conversation.proceed(listen)
    else await conversation.send(text, listen)
    await this.#keeping
    await this.#parts.keep()
    await this.#answer.end(this.#endNote(end))
    await this.#handFiles()
  }

  #take(event: Exclude<TurnEvent, { type: 'end' }>): void {
    if (event.type === 'text') this.#answer.say(event.delta)
    else if (event.type === 'text-end') this.#answer.say('\n\n')
    else if (event.type === 'call') this.#call(event.call)
    else if (event.type === 'usage') {
      const { inputTokens, outputTokens, cost = 0 } = event.usage
      const tokens = inputTokens + outputTokens
      this.#spend({ tokens: tokens - this.#tokens, cost: cost - this.#cost })
      this.#tokens = tokens
      this.#cost = cost
    }
  }

  /** Told before a call is made, and whenever it stands otherwise. */
  #call(call: CallView): void {
    if (!this.#calls.has(call.id)) {
      this.#calls.add(call.id)
      const { budget } = this.#parts
      const isOver = budget?.calls !== undefined && this.#used.calls >= budget.calls
      if (isOver) this.cancel(WORDS.budget('calls'))
      else this.#spend({ calls: 1 })
    }
    this.#answer.status(statusOf(call))
    if (call.status === 'running' || call.status === 'waiting') return
    if (call.status === 'task') this.#parts.taskBegun()
    if (call.result !== undefined) this.#collect(call)
    this.#keeping = this.#keeping.then(() => this.#parts.keep()).catch(this.#parts.warn)
  }

  #collect({ result, name }: CallView): void {
    const { files: most, fileBytes } = this.#parts.limits
    const { files, leftOut } = filesOf(result ?? {}, name, fileBytes)
    const room = Math.max(0, most - this.#files.length)
    this.#files.push(...files.slice(0, room))
    this.#leftOut += leftOut + Math.max(0, files.length - room)
  }

  #spend(more: Partial<Used>): void {
    const { budgets, thread, budget, warn } = this.#parts
    const { turns, calls, tokens, cost } = this.#used
    this.#used = {
      turns,
      calls: calls + (more.calls ?? 0),
      tokens: tokens + (more.tokens ?? 0),
      cost: cost + (more.cost ?? 0),
    }
    const over = exhausted(budget, { ...this.#used, turns: 0, calls: 0 })
    if (over !== undefined) this.cancel(WORDS.budget(over))
    this.#keeping = this.#keeping.then(() => budgets.spend(thread, more)).catch(warn)
  }

  #endNote(end: Extract<TurnEvent, { type: 'end' }> | undefined): string | undefined {
    if (end === undefined || end.reason === 'done') return this.#note
    if (end.reason === 'cancelled') return this.#note ?? WORDS.stopped
    return WORDS.failed(end.error?.message ?? '')
  }

  async #handFiles(): Promise<void> {
    const { adapter, thread } = this.#parts
    for (const file of this.#files) await adapter.upload(thread, file)
    if (this.#leftOut > 0) {
      await adapter.post(thread, { pieces: [{ kind: 'words', text: WORDS.filesLeftOut(this.#leftOut) }] })
    }
  }
}

function statusOf({ name, status }: CallView): string | undefined {
  if (status === 'running') return WORDS.calling(name)
  if (status === 'waiting') return WORDS.waiting(name)
  return undefined
}
