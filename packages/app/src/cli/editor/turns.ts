/** Conversations with a model that an editor holds: one turn at a time in each, told as it goes. */

import { randomUUID } from 'node:crypto'
import type { Host } from '@portico/host'
import type { Conversation, TurnEvent } from '@portico/host/model'
import { toPlain } from '../terminal/plain-text.ts'
import { FAILED, PeerError } from './line-peer.ts'
import type { Tell } from './news.ts'
import { EDITOR_LIMITS, type TurnEnd } from './protocol.ts'

interface Open {
  readonly session: string
  readonly conversation: Conversation
}

interface Message {
  readonly text: string
  readonly model?: string | undefined
  readonly attach?: readonly string[] | undefined
}

export class Turns {
  readonly #host: Host
  readonly #tell: Tell
  readonly #open = new Map<string, Open>()

  constructor(host: Host, tell: Tell) {
    this.#host = host
    this.#tell = tell
  }

  async start(name: string, { text, model, attach = [] }: Message, signal: AbortSignal): Promise<TurnEnd> {
    const { conversation, session } = this.#find(name) ?? this.#create(name)
    for (const uri of attach) await this.#host.attach(conversation, { kind: 'resource', uri }, { session, signal })
    if (this.#host.models.usable().length === 0) await this.#host.models.findOllama()
    return this.#take(name, conversation, signal, (listen) =>
      conversation.send(text, listen, { ...(model !== undefined && { model }) }),
    )
  }

  async proceed(name: string, signal: AbortSignal): Promise<TurnEnd> {
    const open = this.#find(name)
    if (open === undefined)
      throw new PeerError(FAILED, 'There is no such conversation', { code: 'unknown-conversation' })
    return this.#take(name, open.conversation, signal, (listen) => open.conversation.proceed(listen))
  }

  close(name: string): void {
    const open = this.#find(name)
    if (open === undefined) return
    open.conversation.cancel()
    this.#open.delete(name)
    this.#host.endSession(open.session)
  }

  #find(name: string): Open | undefined {
    return this.#open.get(name)
  }

  #create(name: string): Open {
    if (this.#open.size >= EDITOR_LIMITS.maxConversations)
      throw new PeerError(FAILED, 'Too many conversations are open; close one', { code: 'busy' })
    const session = `editor:${randomUUID()}`
    const conversation = this.#host.converse({
      session,
      onTask: ({ task: { label, tool }, problem }) =>
        this.#tell('turn/event', {
          conversation: name,
          event: { type: 'task', label, tool, ...(problem !== undefined && { problem: toPlain(problem) }) },
        }),
    })
    const open = { session, conversation }
    this.#open.set(name, open)
    return open
  }

  async #take(
    name: string,
    conversation: Conversation,
    signal: AbortSignal,
    send: (listen: (event: TurnEvent) => void) => Promise<void>,
  ): Promise<TurnEnd> {
    let end: TurnEnd = { reason: 'cancelled' }
    const cancel = (): void => conversation.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      await send((event) => {
        if (event.type !== 'end') {
          this.#tell('turn/event', { conversation: name, event })
          return
        }
        const { reason, error } = event
        end = { reason, ...(error !== undefined && { error: toPlain(error.message) }) }
        this.#tell('turn/event', { conversation: name, event: { type: 'end', ...end } })
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
    return end
  }
}
