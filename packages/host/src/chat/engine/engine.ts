/**
 * The engine of a chat host: takes what people say in a team chat, answers it with the model and tools of each person's own
 * host, and asks that person where something has to be decided. The chat itself is behind a `ChatAdapter`.
 */

import type { Store } from '@portico/sdk/state'
import type { Host } from '../../assembly/host.ts'
import { callListener } from '../../config/call-listener.ts'
import { systemClock } from '../../consent/clock.ts'
import {
  type ChatAdapter,
  type ChatChanged,
  type ChatPerson,
  type ChatPressed,
  type ChatSaid,
  type ChatSink,
  type ChatSubmitted,
  type ChatThread,
  type FormProblems,
  principalOf,
} from './adapter.ts'
import { Buttons } from './buttons.ts'
import { ChannelBudgets } from './channel-budget.ts'
import { ChatBook, type OpenTurn, SEEN_MS, sessionOf } from './chat-book.ts'
import { People, type Personal, type PersonalHostWish } from './people.ts'
import { Questions } from './questions.ts'
import { CHAT_LIMITS, type ChatLimits, type ChatSettings, settingsFor } from './settings.ts'
import { SignIns } from './sign-ins.ts'
import { TurnQueue } from './turn-queue.ts'
import { TurnRunner, type Work } from './turn-runner.ts'
import { WORDS } from './words.ts'

/** Options of `createChatEngine`. */
export interface ChatEngineOptions {
  readonly adapter: ChatAdapter
  /** Where conversations, budgets and messages under way are kept. */
  readonly store: Store
  /** Opens the host of one person; closed by the engine when it is not needed. */
  openHost(wish: PersonalHostWish): Promise<Host>
  readonly settings?: ChatSettings
  /** Verified facts about a person for rules: `{ roles: ['admin'] }`. */
  claims?(person: ChatPerson): { readonly [name: string]: unknown } | undefined
  /** Where browsers reach `pages`: https, or http on this machine. Without it nobody can sign in to servers. */
  readonly signInUrl?: string
  /** Told of what went wrong and was dealt with. */
  readonly onWarning?: (message: string) => void
}

/** A chat host that runs. */
export interface ChatEngine {
  /** The pages for signing in; undefined for requests that are not theirs. */
  pages(request: Request): Response | undefined
  /** Ends what runs, says so where it ran, and closes all hosts. The store stays open. */
  close(): Promise<void>
}

/**
 * Starts a chat host: the adapter begins to bring messages, and each is answered on behalf of whoever wrote it.
 *
 * @example
 * ```ts
 * import { createHost } from '@portico/host'
 * import { createChatEngine, createSlackAdapter } from '@portico/host/chat'
 * import { createMemoryStore } from '@portico/sdk/state'
 *
 * const adapter = createSlackAdapter({ botToken: 'xoxb-…', appToken: 'xapp-…' })
 * const engine = await createChatEngine({
 *   adapter,
 *   store: createMemoryStore(),
 *   openHost: ({ principal }) => createHost({ principal, servers: [] }),
 *   settings: { channels: { C0123: { budget: { turns: 100 } } } },
 * })
 * await engine.close()
 * ```
 */
export async function createChatEngine(options: ChatEngineOptions): Promise<ChatEngine> {
  const engine = new Engine(options)
  await engine.start()
  return engine
}

const MAX_TOLD = 5_000
const TELL_AGAIN_MS = 60_000

class Engine implements ChatEngine, ChatSink {
  readonly #options: ChatEngineOptions
  readonly #limits: ChatLimits
  readonly #settings: ChatSettings
  readonly #book: ChatBook
  readonly #buttons = new Buttons()
  readonly #queue: TurnQueue<Work>
  readonly #people: People
  readonly #signIns: SignIns
  readonly #runner: TurnRunner
  /** Where each session is shown, and where each person was last. */
  readonly #threads = new Map<string, ChatThread>()
  readonly #told = new Map<string, number>()
  readonly #leftOut = new Set<string>()
  readonly #questions = new WeakMap<Personal, Questions>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ChatEngineOptions) {
    const { adapter, store, openHost, claims, settings = {}, signInUrl } = options
    this.#options = options
    this.#settings = settings
    this.#limits = { ...CHAT_LIMITS, ...settings.limits }
    this.#book = new ChatBook(store, adapter.name, this.#limits)
    this.#queue = new TurnQueue(this.#limits)
    const warn = (error: unknown): void => this.#warn(error)
    this.#signIns = new SignIns({ adapter, buttons: this.#buttons, url: signInUrl, warn })
    const userAgent = this.#signIns.userAgent
    this.#people = new People({
      adapter: adapter.name,
      limits: this.#limits,
      openHost,
      ...(claims !== undefined && { claims: (person) => claims(person) }),
      ...(userAgent !== undefined && { userAgent }),
      onOpen: (personal) => this.#listen(personal),
      warn,
    })
    const budgets = new ChannelBudgets(store, adapter.name, systemClock)
    this.#runner = new TurnRunner({
      adapter,
      book: this.#book,
      buttons: this.#buttons,
      budgets,
      limits: this.#limits,
      settingsFor: (thread) => settingsFor(settings, thread),
      arrived: (personal, thread, tool) => this.#arrived(personal, thread, tool),
      opened: (session, thread) => this.#place(session, thread),
      warn,
    })
  }

  async start(): Promise<void> {
    await this.#book.beat()
    await this.#lookAround()
    await this.#options.adapter.start(this)
    this.#timer = setInterval(
      () => void this.#lookAround().catch((error) => this.#warn(error)),
      Math.max(MIN_LOOK_MS, this.#limits.deadMs / 3),
    )
    this.#timer.unref()
    for (const { thread, person } of await this.#book.expecting()) void this.#takeUp(thread, person)
  }

  pages(request: Request): Response | undefined {
    return this.#signIns.pages(request)
  }

  once(key: string, forMs: number): Promise<boolean> {
    return this.#book.once(key, forMs)
  }

  async said(event: ChatSaid): Promise<void> {
    const { thread, person, text, message, at } = event
    // Whether it was answered is not known any more: it is sent again by somebody who wants it done twice.
    if (at !== undefined && Date.now() - at > SEEN_MS) return
    const place = settingsFor(this.#settings, thread)
    if (this.#closed || !(event.addressed || (place?.followThreads === true && (await this.#book.knows(thread)))))
      return
    const refusal = this.#refusal(event, place !== undefined)
    if (refusal !== undefined) return void this.#tellOnce(thread, person, refusal)
    const principal = principalOf(this.#options.adapter.name, person)
    const work: Work = {
      lane: sessionOf(this.#options.adapter.name, thread, person),
      person: principal,
      channel: JSON.stringify([thread.team, thread.channel]),
      thread,
      by: person,
      message,
      text,
      files: event.files,
    }
    if (this.#leftOut.has(messageKey(work))) return
    const full = this.#queue.room(work)
    if (full !== undefined) {
      // Told of twice by the chat, and taken up the first time.
      if (!(await this.#book.hasTaken(work))) this.#leaveOut(work, WORDS.full[full])
      return
    }
    if (!(await this.#book.take({ thread, person, message }))) return
    const late = this.#queue.add(work)
    if (late !== undefined) {
      await this.#book.end({ thread, message })
      return this.#leaveOut(work, WORDS.full[late])
    }
    this.#pump()
  }

  async changed({ team, channel, message, text }: ChatChanged): Promise<void> {
    const isMeant = (work: Work): boolean =>
      work.message === message && work.thread.channel === channel && work.thread.team === team
    const found = this.#queue.find(isMeant)
    if (found === undefined) return
    const { item, runs } = found
    if (text !== undefined) {
      if (!runs) item.text = text
      else if (text !== item.text) await this.#tell(item.thread, item.by, WORDS.edited)
      return
    }
    item.cancelled = WORDS.deleted
    if (this.#queue.drop(item)) await this.#book.end(item)
    else item.turn?.cancel(WORDS.deleted)
  }

  async pressed(event: ChatPressed): Promise<void> {
    const { thread, person, button } = event
    const use = this.#buttons.find(button, person)
    if (use === 'unknown') return this.#tell(thread, person, WORDS.notWaiting)
    if (use === 'not-yours') return this.#tell(thread, person, WORDS.notYours)
    await use.press?.(event)
  }

  async submitted(event: ChatSubmitted): Promise<FormProblems> {
    const use = this.#buttons.find(event.form, event.person)
    const [field = ''] = Object.keys(event.values)
    if (use === 'unknown') return { [field]: WORDS.notWaiting }
    if (use === 'not-yours') return { [field]: WORDS.notYours }
    return use.submit?.(event)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#timer)
    for (const work of this.#queue.all) {
      work.cancelled = WORDS.stopping
      if (this.#queue.drop(work)) await this.#abandon({ ...work, person: work.by, owner: '', begun: false })
      else work.turn?.cancel(WORDS.stopping)
    }
    this.#signIns.close()
    await Promise.race([this.#queue.empty(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    await this.#options.adapter.close()
    await this.#people.close()
    await this.#book.leave().catch((error) => this.#warn(error))
  }

  /** Why a message is not answered. */
  #refusal({ thread, person, text }: ChatSaid, isPlace: boolean): string | undefined {
    const { teams = [thread.team], people } = this.#settings
    if (!teams.includes(person.team) || people?.includes(person.id) === false) return WORDS.notYou
    if (!isPlace) return WORDS.notHere
    return text.length > this.#limits.messageChars ? WORDS.tooLong(this.#limits.messageChars) : undefined
  }

  /** A chat may tell of one message twice: what was left out the first time is left out the second time, too. */
  #leaveOut(work: Work, text: string): void {
    this.#leftOut.add(messageKey(work))
    const [oldest] = this.#leftOut
    if (this.#leftOut.size > MAX_TOLD && oldest !== undefined) this.#leftOut.delete(oldest)
    void this.#tellOnce(work.thread, work.by, text)
  }

  #pump(): void {
    for (let work = this.#queue.next(); work !== undefined; work = this.#queue.next()) void this.#run(work)
  }

  async #run(work: Work): Promise<void> {
    const { thread, by } = work
    try {
      await this.#people.with(by, async (personal) => {
        this.#place(personal.principal, thread)
        this.#questions.get(personal)?.show()
        await this.#runner.run(work, personal)
        await this.#signIns.offer(personal, thread)
      })
    } catch (error) {
      this.#warn(error)
      await this.#tell(thread, by, WORDS.broken)
    } finally {
      await this.#book.end(work).catch((error) => this.#warn(error))
      this.#queue.done(work)
      this.#pump()
    }
  }

  /** A task of somebody's has ended: the model takes it up in the thread that it was begun in. */
  #arrived({ person, principal }: Personal, thread: ChatThread, tool: string): void {
    const lane = sessionOf(this.#options.adapter.name, thread, person)
    const channel = JSON.stringify([thread.team, thread.channel])
    const message = `task:${crypto.randomUUID()}`
    const work: Work = { lane, person: principal, channel, thread, by: person, message, files: [], tool }
    if (!this.#closed && this.#queue.add(work) === undefined) this.#pump()
  }

  /** Opens a conversation that waits for a task of an earlier process. */
  async #takeUp(thread: ChatThread, person: ChatPerson): Promise<void> {
    try {
      await this.#people.with(person, async (personal) => void (await this.#runner.open(personal, thread)))
    } catch (error) {
      this.#warn(error)
    }
  }

  #listen(personal: Personal): void {
    const { host, person, principal } = personal
    const { adapter } = this.#options
    const questions = new Questions({
      adapter,
      buttons: this.#buttons,
      inbox: host.inbox,
      person,
      threadOf: (session) => this.#threads.get(session) ?? this.#threads.get(principal),
      warn: (error) => this.#warn(error),
    })
    for (const { id, elsewhere } of host.inbox.pending()) if (elsewhere !== true) host.inbox.withdraw(id, WORDS.nobody)
    this.#questions.set(personal, questions)
  }

  #place(key: string, thread: ChatThread): void {
    this.#threads.delete(key)
    this.#threads.set(key, thread)
    const [oldest] = this.#threads.keys()
    if (this.#threads.size > MAX_TOLD && oldest !== undefined) this.#threads.delete(oldest)
  }

  /** Shows that this process is there, and looks for what others have left. */
  async #lookAround(): Promise<void> {
    await this.#book.beat()
    for (const turn of await this.#book.abandoned()) await this.#abandon(turn)
    await this.#people.sweep()
  }

  async #abandon({ thread, person, answer, begun, message }: OpenTurn): Promise<void> {
    const { adapter } = this.#options
    try {
      if (answer !== undefined) {
        await adapter.edit(thread, answer, { pieces: [{ kind: 'words', text: WORDS.interruptedAnswer }] })
      }
      const text = begun ? WORDS.interrupted : WORDS.notBegun
      if (!message.startsWith('task:')) {
        await adapter.post(thread, {
          pieces: [
            { kind: 'person', person },
            { kind: 'words', text },
          ],
        })
      }
      await this.#book.end({ thread, message })
    } catch (error) {
      this.#warn(error)
    }
  }

  async #tellOnce(thread: ChatThread, person: ChatPerson, text: string): Promise<void> {
    const key = JSON.stringify([thread.team, thread.channel, person.team, person.id, text])
    const now = Date.now()
    if (now - (this.#told.get(key) ?? 0) < TELL_AGAIN_MS) return
    this.#told.delete(key)
    this.#told.set(key, now)
    const [oldest] = this.#told.keys()
    if (this.#told.size > MAX_TOLD && oldest !== undefined) this.#told.delete(oldest)
    await this.#tell(thread, person, text)
  }

  async #tell(thread: ChatThread, person: ChatPerson, text: string): Promise<void> {
    try {
      await this.#options.adapter.whisper(thread, person, { pieces: [{ kind: 'words', text }] })
    } catch (error) {
      this.#warn(error)
    }
  }

  #warn(error: unknown): void {
    callListener(this.#options.onWarning, error instanceof Error ? error.message : String(error))
  }
}

const CLOSE_MS = 5_000
const MIN_LOOK_MS = 500

function messageKey({ thread, message }: Pick<Work, 'thread' | 'message'>): string {
  return JSON.stringify([thread.team, thread.channel, message])
}
