/** One conversation as the page sees it: what the loop tells becomes parts, and every change of them an event. */

import { randomUUID } from 'node:crypto'
import type { Conversation, TurnEvent } from '@portico/host/model'
import type { AttachedView, Chat, ChatEvent, ChatPart, ChatSummary, ChatUsage, Pin } from '../api-types/api.ts'
import type { SavedChat } from './chat-store.ts'

type Notice = Extract<ChatPart, { kind: 'notice' }>

const MAX_PARTS = 5_000
const MAX_TITLE = 60

export class LiveChat {
  readonly id: string
  readonly tour: boolean
  readonly project: string | undefined
  readonly conversation: Conversation
  readonly #emit: (event: ChatEvent) => void
  readonly #parts: Map<string, ChatPart>
  title: string
  model: string | undefined
  at: number
  pins: readonly Pin[] = []
  /** A message is being prepared or answered. */
  busy = false
  #writing: string | undefined

  constructor(
    summary: ChatSummary,
    conversation: Conversation,
    parts: readonly ChatPart[],
    emit: (event: ChatEvent) => void,
  ) {
    this.id = summary.id
    this.tour = summary.tour
    this.project = summary.project
    this.title = summary.title
    this.model = summary.model
    this.at = summary.at
    this.conversation = conversation
    this.#parts = new Map(parts.map((part) => [part.id, part]))
    this.#emit = emit
  }

  view(): Chat {
    const { pins, busy } = this
    return { ...this.#summary(), parts: [...this.#parts.values()], usage: this.usage(), busy, pins }
  }

  save(): SavedChat {
    const { pins } = this
    return { ...this.#summary(), parts: [...this.#parts.values()], pins, conversation: this.conversation.save() }
  }

  usage(): ChatUsage {
    const { steps, tokens, cost } = this.conversation.budget
    return { ...this.conversation.usage, budget: { steps, tokens, cost } }
  }

  setBusy(busy: boolean): void {
    if (this.busy === busy) return
    this.busy = busy
    this.#emit({ type: 'busy', busy })
  }

  say(text: string, attachments: readonly AttachedView[]): void {
    this.at = Date.now()
    this.#put({ id: randomUUID(), kind: 'user', text, attachments })
    if (this.title !== '') return
    const line = text.replace(/\s+/g, ' ').trim()
    this.title = line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line
    this.#emit({ type: 'title', title: this.title })
  }

  notice(level: Notice['level'], text: string, remedy?: string): void {
    this.#put({ id: randomUUID(), kind: 'notice', level, text, ...(remedy !== undefined && { remedy }) })
  }

  /** What the loop tells while a message is answered. */
  tell(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        this.#write(event.delta)
        break
      case 'text-end':
        this.#endWriting()
        break
      case 'call':
        this.#put({ kind: 'tool', ...event.call })
        break
      case 'notice':
        this.notice('info', event.text, event.remedy)
        break
      case 'usage':
        this.#emit({ type: 'usage', usage: this.usage() })
        break
      case 'end':
        this.#end(event)
    }
  }

  #write(delta: string): void {
    const known = this.#writing === undefined ? undefined : this.#parts.get(this.#writing)
    if (known?.kind === 'assistant') {
      // Joined here for whoever opens the chat later; open pages get the new text alone.
      this.#parts.set(known.id, { ...known, text: known.text + delta })
      this.#emit({ type: 'delta', part: known.id, text: delta })
      return
    }
    this.#writing = randomUUID()
    this.#put({ id: this.#writing, kind: 'assistant', text: delta, streaming: true })
  }

  #endWriting(): void {
    const known = this.#writing === undefined ? undefined : this.#parts.get(this.#writing)
    this.#writing = undefined
    if (known?.kind === 'assistant') this.#put({ ...known, streaming: false })
  }

  #end({ reason, error }: Extract<TurnEvent, { type: 'end' }>): void {
    this.#endWriting()
    if (reason === 'cancelled') this.notice('info', 'You stopped this answer.')
    if (error === undefined) return
    const { remedy: own } = (error.data ?? {}) as { remedy?: unknown }
    const known = typeof own === 'string' ? own : REMEDIES[error.code]
    const remedy = known ?? 'Send the message again, or choose another model.'
    this.notice(reason === 'budget' ? 'warning' : 'error', error.message, remedy)
  }

  #put(part: ChatPart): void {
    this.#parts.set(part.id, part)
    const [oldest] = this.#parts.keys()
    if (this.#parts.size > MAX_PARTS && oldest !== undefined) this.#parts.delete(oldest)
    this.#emit({ type: 'part', part })
  }

  #summary(): ChatSummary {
    const { id, title, model, at, tour, project } = this
    return { id, title, ...(model !== undefined && { model }), at, tour, ...(project !== undefined && { project }) }
  }
}

const REMEDIES: { readonly [code: string]: string } = {
  'no-model': 'Add a model, or take the tour.',
  'budget-exhausted': 'Begin a new conversation, or raise the budget.',
  'model-failed': 'Look at the message of the provider; send again, or choose another model.',
}
