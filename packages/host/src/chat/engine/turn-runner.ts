/** Runs one turn: opens the person's conversation, gives it what others said and what was sent along, and has the model answer. */

import type { ChatAdapter, ChatFile, ChatPerson, ChatThread } from './adapter.ts'
import type { Buttons } from './buttons.ts'
import { type ChannelBudgets, exhausted } from './channel-budget.ts'
import { type ChatBook, sessionOf } from './chat-book.ts'
import { toContent, whyNotTaken } from './files.ts'
import { type LiveTalk, type Personal, rememberTalk } from './people.ts'
import type { ChannelSettings, ChatLimits } from './settings.ts'
import { Turn } from './turn.ts'
import type { Queued } from './turn-queue.ts'
import { WORDS } from './words.ts'

/** A message, or the end of a task, on its way to the model. */
export interface Work extends Queued {
  readonly thread: ChatThread
  readonly by: ChatPerson
  readonly message: string
  /** Absent where a task has ended. */
  text?: string
  readonly files: readonly ChatFile[]
  /** The tool whose task has ended. */
  readonly tool?: string
  /** Why it is not to be done any more. */
  cancelled?: string
  turn?: Turn
}

interface TurnRunnerParts {
  readonly adapter: ChatAdapter
  readonly book: ChatBook
  readonly buttons: Buttons
  readonly budgets: ChannelBudgets
  readonly limits: ChatLimits
  settingsFor(thread: ChatThread): ChannelSettings | undefined
  /** A task has ended, and its result is in the conversation. */
  arrived(personal: Personal, thread: ChatThread, tool: string): void
  opened(session: string, thread: ChatThread): void
  readonly warn: (error: unknown) => void
}

const FETCH_MS = 60_000

export class TurnRunner {
  readonly #parts: TurnRunnerParts

  constructor(parts: TurnRunnerParts) {
    this.#parts = parts
  }

  async run(work: Work, personal: Personal): Promise<void> {
    const { book, budgets, buttons } = this.#parts
    const { thread, by, message } = work
    if (work.cancelled !== undefined) return this.#tell(work, work.cancelled)
    const budget = this.#parts.settingsFor(thread)?.budget
    // Counted first, so that of two at once only one gets the last.
    const used = await budgets.spend(thread, { turns: 1 })
    const over = exhausted(budget, { ...used, turns: used.turns - 1 })
    if (over !== undefined) return this.#tell(work, WORDS.budget(over))
    const talk = await this.open(personal, thread)
    const stop = buttons.add({ person: by, press: async () => turn.cancel(WORDS.stopped) })
    const turn = new Turn(
      {
        ...this.#parts,
        thread,
        talk,
        budget,
        stop: { id: stop, label: 'Stop' },
        keep: () => this.#keep(personal, thread, talk),
        taskBegun: () => void book.expect(thread, by).catch(this.#parts.warn),
      },
      used,
    )
    work.turn = turn
    try {
      const answer = await turn.open()
      await book.begin({ thread, person: by, message, answer })
      if (work.cancelled !== undefined) return await turn.refuse(work.cancelled)
      if (work.text !== undefined) await this.#giveContext(work, personal, talk)
      await turn.run(work.text)
      await this.#note(work, personal, turn.text)
    } finally {
      buttons.remove([stop])
    }
  }

  /** The person's conversation in a thread, as it was left. */
  async open(personal: Personal, thread: ChatThread): Promise<LiveTalk> {
    const { adapter, book, settingsFor, opened, arrived } = this.#parts
    const { host, person } = personal
    const session = sessionOf(adapter.name, thread, person)
    opened(session, thread)
    const known = personal.talks.get(session)
    if (known !== undefined) {
      rememberTalk(personal, session, known)
      return known
    }
    const { saved, upTo } = await book.talk(thread, person)
    const { project, model, system, tools } = settingsFor(thread) ?? {}
    const conversation = host.converse({
      session,
      project,
      model,
      system,
      tools,
      saved,
      onTask: ({ task }) => {
        void this.#taskEnded(personal, thread, session).catch(this.#parts.warn)
        arrived(personal, thread, task.tool)
      },
      onWarning: this.#parts.warn,
    })
    const talk: LiveTalk = { conversation, upTo }
    rememberTalk(personal, session, talk)
    return talk
  }

  /** Its result is kept at once: its server may not give it a second time. */
  async #taskEnded(personal: Personal, thread: ChatThread, session: string): Promise<void> {
    const talk = personal.talks.get(session)
    if (talk !== undefined) await this.#keep(personal, thread, talk)
    const tasks = await personal.host.tasks.list()
    const isLast = !tasks.some((task) => task.session === session && !task.delivered)
    if (isLast) await this.#parts.book.expectNoMore(thread, personal.person)
  }

  /** What others said in the thread since, and the files that came with the message. Both are data, nobody's instructions. */
  async #giveContext(work: Work, personal: Personal, talk: LiveTalk): Promise<void> {
    const { adapter, book } = this.#parts
    const { thread } = work
    const { lines, upTo } = await book.linesFrom(thread, talk.upTo)
    talk.upTo = upTo
    const others = lines.filter(({ by }) => by !== personal.principal)
    if (others.length > 0) {
      const text = others.map(({ by, text }) => `${by}: ${text}`).join('\n\n')
      await this.#attach(personal, talk, work, {
        label: 'What others said in this thread',
        origin: `${adapter.name} thread`,
        content: [{ type: 'text', text }],
      })
    }
    for (const note of await this.#giveFiles(work, personal, talk)) {
      await this.#tell(work, note)
    }
  }

  /** What is to be told about files that were not taken. */
  async #giveFiles(work: Work, personal: Personal, talk: LiveTalk): Promise<string[]> {
    const { adapter, limits, warn } = this.#parts
    const notes = work.files.length > limits.files ? [WORDS.tooManyFiles(limits.files)] : []
    for (const file of work.files.slice(0, limits.files)) {
      const why = whyNotTaken(file, limits.fileBytes)
      const bytes =
        why === undefined
          ? await adapter.fetchFile(file, limits.fileBytes, AbortSignal.timeout(FETCH_MS)).catch(warn)
          : undefined
      const content = bytes instanceof Uint8Array ? toContent(file, bytes) : undefined
      if (content === undefined) {
        const reason = why ?? (bytes instanceof Uint8Array ? 'is not what it claims to be' : 'could not be fetched')
        notes.push(WORDS.fileRefused(file.name, reason))
        continue
      }
      const label = `File ${file.name}`
      await this.#attach(personal, talk, work, { label, origin: `${adapter.name} file`, content: [content] })
    }
    return notes
  }

  async #attach(
    { host }: Personal,
    { conversation }: LiveTalk,
    { lane }: Work,
    piece: Omit<Parameters<Personal['host']['attach']>[1] & { readonly kind: 'content' }, 'kind'>,
  ): Promise<void> {
    await host.attach(conversation, { kind: 'content', ...piece }, { session: lane })
  }

  /** What all can read is noted for all; what only this person's tools said is not. */
  async #note({ thread, text, tool }: Work, { principal }: Personal, answer: string): Promise<void> {
    const { book } = this.#parts
    const asked = text ?? `(the task ${tool} has ended)`
    const told = answer === '' ? '' : `\nThe bot answered: ${answer}`
    await book.addLine(thread, { by: principal, text: `${asked}${told}` })
  }

  async #tell({ thread, by }: Work, text: string): Promise<void> {
    await this.#parts.adapter.whisper(thread, by, { pieces: [{ kind: 'words', text }] })
  }

  async #keep({ person }: Personal, thread: ChatThread, { conversation, upTo }: LiveTalk): Promise<void> {
    const { adapter, book } = this.#parts
    if (await book.keepTalk(thread, person, { saved: conversation.save(), upTo })) return
    await adapter.whisper(thread, person, { pieces: [{ kind: 'words', text: WORDS.threadTooLong }] })
  }
}
