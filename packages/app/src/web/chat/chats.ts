/** All conversations of the workbench: made, opened, answered, played as a tour, kept and deleted. */

import { randomUUID } from 'node:crypto'
import type { Host, TaskArrival } from '@portico/host'
import type { Conversation } from '@portico/host/model'
import { createByHand } from '../answer-by-hand.ts'
import type { ApiEvent, AttachedView, Attachment, Chat, ChatSummary, Pin, ProjectView } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'
import { LiveChat } from './chat.ts'
import { type ChatStore, toSummary } from './chat-store.ts'
import { TOUR_MODEL, TOUR_NOTICE, TOUR_TITLE, tourTurns } from './tour.ts'

interface ChatsOptions {
  readonly host: Host
  readonly store: ChatStore
  readonly stateDir: string
  emit(event: ApiEvent): void
  readonly onWarning?: (message: string) => void
}

interface NewChat {
  readonly model?: string
  readonly tour?: boolean
  readonly project?: string
}

interface ChatMessage {
  readonly text: string
  readonly attachments?: readonly Attachment[]
  readonly model?: string
}

const MAX_LIVE = 100
const MAX_ATTACHMENTS = 20
const MAX_PINS = 20

export class Chats {
  readonly #options: ChatsOptions
  readonly #live = new Map<string, LiveChat>()
  /** Ends the reading of attachments, which is before the loop begins. */
  readonly #preparing = new Map<string, AbortController>()
  readonly #working = new Set<Promise<void>>()
  #closed = false

  constructor(options: ChatsOptions) {
    this.#options = options
  }

  list(): readonly ChatSummary[] {
    const kept = this.#options.store.list()
    const fresh = [...this.#live.values()].filter(({ id }) => !kept.some((one) => one.id === id))
    return [...fresh.map((chat) => chat.view()), ...kept].map(toSummary)
  }

  async open(id: string): Promise<Chat> {
    return (await this.#find(id)).view()
  }

  projects(): readonly ProjectView[] {
    return [...this.#options.host.projects.values()].map(({ name, servers, attach, instructions, rules }) => ({
      name,
      ...(servers !== undefined && { servers }),
      attached: attach.map(({ server, uri }) => ({ server, uri })),
      ...(instructions !== undefined && { instructions }),
      rules: rules.length,
    }))
  }

  async create({ model, tour = false, project }: NewChat): Promise<Chat> {
    const id = randomUUID()
    const summary: ChatSummary = {
      id,
      title: tour ? TOUR_TITLE : '',
      ...(tour ? { model: TOUR_MODEL } : model !== undefined && { model }),
      at: Date.now(),
      tour,
      ...(project !== undefined && !tour && { project }),
    }
    const chat = this.#enter(summary)
    if (tour) this.#work(this.#play(chat))
    return chat.view()
  }

  /** Resolves once the message is taken; the answer comes as events. */
  async send(id: string, { text, attachments = [], model }: ChatMessage): Promise<void> {
    const chat = await this.#find(id)
    if (chat.busy) {
      const message = 'The last message is still being answered'
      throw new Refused(409, { code: 'busy', message, remedy: 'Wait, or stop it first.' })
    }
    if (text.trim() === '' && attachments.length === 0) {
      throw new Refused(400, { code: 'empty', message: 'There is nothing to send' })
    }
    if (chat.tour) {
      chat.say(text, [])
      this.#work(this.#play(chat, text))
      return
    }
    chat.setBusy(true)
    try {
      const attached = await this.#attach(chat, attachments)
      if (model !== undefined) chat.model = model
      chat.say(text, attached)
    } catch (error) {
      chat.setBusy(false)
      throw error
    }
    this.#work(this.#answer(chat, text).finally(() => chat.setBusy(false)))
  }

  /** Kept with the conversation, for its later lives too. */
  async pin(id: string, pin: Pin, on: boolean): Promise<readonly Pin[]> {
    const chat = await this.#find(id)
    const others = chat.pins.filter(({ server, uri }) => server !== pin.server || uri !== pin.uri)
    if (on && others.length >= MAX_PINS) {
      throw new Refused(429, { code: 'too-many', message: `${MAX_PINS} resources are pinned already` })
    }
    chat.pins = on ? [...others, pin] : others
    this.#options.host.setPins(sessionOf(id), chat.pins)
    await this.#save(chat)
    return chat.pins
  }

  async cancel(id: string): Promise<void> {
    const chat = this.#live.get(id)
    this.#preparing.get(id)?.abort()
    chat?.conversation.cancel()
  }

  async delete(id: string): Promise<void> {
    await this.cancel(id)
    this.#live.delete(id)
    this.#options.host.endSession(sessionOf(id))
    await this.#options.store.delete(id)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const [id, chat] of this.#live) {
      this.#preparing.get(id)?.abort()
      chat.conversation.cancel()
    }
    await Promise.all(this.#working)
    await this.#options.store.flush()
  }

  #work(work: Promise<void>): void {
    const tracked = work
      .catch((error) =>
        this.#options.onWarning?.(`A conversation failed: ${error instanceof Error ? error.message : error}`),
      )
      .finally(() => this.#working.delete(tracked))
    this.#working.add(tracked)
  }

  async #answer(chat: LiveChat, text: string): Promise<void> {
    await this.#save(chat)
    await chat.conversation.send(text, (event) => chat.tell(event), { model: chat.model })
    await this.#save(chat)
  }

  /** The result of a task is in the conversation: the model goes on with it, now or in the turn that is under way. */
  #arrived(chat: LiveChat, { task, problem }: TaskArrival): void {
    const { label, tool, server } = task
    const name = `Task ${label} (${tool} of ${server})`
    if (problem === undefined) chat.notice('info', `${name} is done. Its result is in the conversation.`)
    else chat.notice('warning', `${name} has no result: ${problem}`)
    if (this.#closed) return
    // It may have been put away meanwhile.
    this.#live.set(chat.id, chat)
    this.#work(chat.busy ? this.#save(chat) : this.#proceed(chat))
  }

  async #proceed(chat: LiveChat): Promise<void> {
    chat.setBusy(true)
    try {
      await this.#save(chat)
      await chat.conversation.proceed((event) => chat.tell(event), { model: chat.model })
      await this.#save(chat)
    } finally {
      chat.setBusy(false)
    }
  }

  /** Plays what has not been played yet; whatever the user says makes a tour that was stopped go on. */
  async #play(chat: LiveChat, said?: string): Promise<void> {
    chat.setBusy(true)
    try {
      const played = new Set(chat.view().parts.map((part) => (part.kind === 'user' ? part.text : '')))
      const left = tourTurns(this.#options.stateDir).filter(({ say }) => !played.has(say))
      if (said === undefined) chat.notice('info', TOUR_NOTICE)
      let count = 0
      for (const { say, needs } of left) {
        if (!(await hasTools(this.#options.host, needs))) continue
        if (this.#closed || !this.#live.has(chat.id)) return
        count++
        chat.say(say, [])
        let stopped = false
        await chat.conversation.send(
          say,
          (event) => {
            if (event.type === 'end' && event.reason !== 'done') stopped = true
            chat.tell(event)
          },
          { model: TOUR_MODEL },
        )
        await this.#save(chat)
        if (stopped) return
      }
      if (count === 0 && said !== undefined) await this.#answer(chat, said)
    } finally {
      chat.setBusy(false)
    }
  }

  async #attach(chat: LiveChat, attachments: readonly Attachment[]): Promise<AttachedView[]> {
    if (attachments.length === 0) return []
    const { host } = this.#options
    const leaving = new AbortController()
    this.#preparing.set(chat.id, leaving)
    const views: AttachedView[] = []
    try {
      for (const { kind, name, arguments: args = {}, seen } of attachments.slice(0, MAX_ATTACHMENTS)) {
        const attachment =
          kind === 'resource' ? ({ kind, uri: name } as const) : ({ kind, name, arguments: args, seen } as const)
        const piece = await host.attach(chat.conversation, attachment, {
          session: sessionOf(chat.id),
          signal: leaving.signal,
          onWaiting: createByHand(host.inbox),
        })
        views.push({ label: piece.label, server: piece.server, bytes: piece.bytes })
      }
      return views
    } finally {
      this.#preparing.delete(chat.id)
    }
  }

  async #find(id: string): Promise<LiveChat> {
    const live = this.#live.get(id)
    if (live !== undefined) return live
    const saved = await this.#options.store.load(id)
    if (saved === undefined) {
      throw new Refused(404, {
        code: 'unknown-chat',
        message: 'There is no such conversation',
        remedy: 'It may have been deleted.',
      })
    }
    // Somebody else may have opened it meanwhile.
    return this.#live.get(id) ?? this.#enter(saved, saved)
  }

  #enter(
    summary: ChatSummary,
    saved?: { parts: Chat['parts']; pins?: Chat['pins']; conversation: Parameters<Host['converse']>[0]['saved'] },
  ) {
    const { host, emit } = this.#options
    const { id, model, project } = summary
    const conversation: Conversation = host.converse({
      session: sessionOf(id),
      model,
      saved: saved?.conversation,
      project,
      // Whoever pins or configures a resource wants it read.
      onWaiting: createByHand(host.inbox),
      onWarning: (message) => this.#live.get(id)?.notice('warning', message),
      onTask: (arrival) => this.#arrived(chat, arrival),
      // The script names its tools: however many others there are, these are offered as they are.
      ...(summary.tour && { tools: tourTurns(this.#options.stateDir).flatMap(({ needs }) => needs) }),
    })
    const chat: LiveChat = new LiveChat(summary, conversation, saved?.parts ?? [], (event) =>
      emit({ type: 'chat', chat: id, event }),
    )
    this.#live.set(id, chat)
    chat.pins = saved?.pins ?? []
    host.setPins(sessionOf(id), chat.pins)
    this.#recall(id, saved?.parts ?? [])
    const idle = [...this.#live.values()].find((one) => !one.busy && one !== chat)
    if (this.#live.size > MAX_LIVE && idle !== undefined) this.#live.delete(idle.id)
    return chat
  }

  /** What servers have said in an earlier life of the conversation is theirs still. */
  #recall(id: string, parts: Chat['parts']): void {
    const { host } = this.#options
    if (parts.length === 0) return
    const context = host.provenance(sessionOf(id))
    for (const part of parts) {
      if (part.kind === 'user') {
        context.noteUser(part.text)
        for (const { server, label } of part.attachments) context.note(server, label)
      } else if (part.kind === 'tool' && part.result !== undefined) {
        const trusted = host.upstreams.view(part.server)?.config.settings.trusted ?? false
        context.note(part.server, part.result, { trusted })
      }
    }
  }

  async #save(chat: LiveChat): Promise<void> {
    if (!this.#live.has(chat.id)) return
    try {
      await this.#options.store.save(chat.save())
    } catch (error) {
      this.#options.onWarning?.(`A conversation could not be kept: ${error instanceof Error ? error.message : error}`)
    }
  }
}

const TOOLS_MS = 20_000

/** Whether the tools are there, once servers that are just starting had their time. */
async function hasTools({ catalogue, upstreams }: Host, names: readonly string[]): Promise<boolean> {
  const isThere = () => names.every((name) => catalogue.find(name, 'tool') !== undefined)
  // A server that has just connected has not been asked yet what it offers.
  const isComing = () =>
    catalogue.missing().some(({ server }) => ['starting', 'ready'].includes(upstreams.state(server)?.state ?? ''))
  await catalogue.list()
  if (isThere()) return true
  await new Promise<void>((resolve) => {
    const stops = [catalogue.onChange(look), upstreams.on('state', look)]
    const timer = setTimeout(end, TOOLS_MS)
    function end(): void {
      clearTimeout(timer)
      for (const stop of stops) stop()
      resolve()
    }
    function look(): void {
      if (isThere() || !isComing()) end()
    }
    look()
  })
  return isThere()
}

function sessionOf(chat: string): string {
  return `chat:${chat}`
}
