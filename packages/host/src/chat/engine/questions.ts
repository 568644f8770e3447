/**
 * What the host of a person asks, put into the thread it belongs to, with buttons for this person alone. A yes is given to the
 * question that was shown, by its digest; whatever becomes of the question otherwise takes the buttons away.
 */

import type { Inbox, InboxEvent } from '../../consent/inbox.ts'
import type { Answer, Question } from '../../consent/question.ts'
import type { ChatAdapter, ChatButton, ChatPerson, ChatPiece, ChatPressed, ChatThread } from './adapter.ts'
import type { Buttons } from './buttons.ts'
import { fromFields, toFields } from './form-fields.ts'
import { questionDigest, questionPieces, type ShownQuestion, toShownQuestion } from './shown-question.ts'
import { WORDS } from './words.ts'

interface QuestionsParts {
  readonly adapter: ChatAdapter
  readonly buttons: Buttons
  readonly inbox: Inbox
  readonly person: ChatPerson
  /** The thread of a session; where it has none, where the person was last. */
  threadOf(session: string): ChatThread | undefined
  readonly warn: (error: unknown) => void
}

interface Open {
  readonly shown: ShownQuestion
  readonly thread: ChatThread
  readonly ids: string[]
  message?: Promise<string | undefined>
}

const MAX_EXACT = 200_000

export class Questions {
  readonly #parts: QuestionsParts
  readonly #open = new Map<string, Open>()

  constructor(parts: QuestionsParts) {
    this.#parts = parts
    parts.inbox.on((event) => this.#take(event))
  }

  /** Shows what waits and has no place yet; what an earlier process has left is nobody's any more. */
  show(): void {
    for (const question of this.#parts.inbox.pending()) if (question.elsewhere !== true) this.#ask(question)
  }

  #take(event: InboxEvent): void {
    if (event.type !== 'asked') this.#settle(event)
    else if (event.question.elsewhere !== true) this.#ask(event.question)
  }

  #ask(question: Question): void {
    if (this.#open.has(question.id)) return
    const { inbox, threadOf, warn } = this.#parts
    const shown = toShownQuestion(question)
    const thread = threadOf(question.session)
    // Nobody in the chat has it to decide, or nobody is there.
    if (shown === undefined || (thread === undefined && question.body.kind !== 'definition')) {
      if (question.body.kind !== 'trust')
        queueMicrotask(() => inbox.answer(question.id, { action: 'deny', by: 'chat' }))
      return
    }
    if (thread === undefined) return
    const open: Open = { shown, thread, ids: [] }
    this.#open.set(question.id, open)
    open.message = this.#show(question, open).catch((error) => {
      warn(error)
      this.#answer(question, open, { action: 'deny' })
      return undefined
    })
  }

  async #show(question: Question, open: Open): Promise<string | undefined> {
    const { adapter, person } = this.#parts
    const { shown, thread } = open
    const fields = shown.form === undefined ? undefined : toFields(shown.form.schema)
    if (shown.form !== undefined && fields === undefined) throw new Error('The form cannot be shown in a chat')
    const pieces = await this.#fit(open)
    const buttons = this.#buttonsFor(question, open)
    const all: ChatPiece[] = [{ kind: 'person', person }, ...pieces]
    if (shown.url === undefined) return adapter.post(thread, { pieces: all, buttons })
    const link: ChatPiece[] = [
      { kind: 'words', text: '\n' },
      { kind: 'link', url: shown.url },
    ]
    await adapter.whisper(thread, person, { pieces: [...all, ...link], buttons })
    return undefined
  }

  /** All of what is asked about is shown: in the message, or where that is too small for it, in a file beside it. */
  async #fit({ shown, thread }: Open): Promise<ChatPiece[]> {
    const { adapter } = this.#parts
    const { exact = '' } = shown
    if (exact.length <= adapter.limits.text - 1_500) return questionPieces(shown)
    if (exact.length > MAX_EXACT) throw new Error(WORDS.tooLarge)
    const name = `question-${shown.digest.slice(0, 16)}.txt`
    await adapter.upload(thread, { name, mimeType: 'text/plain', bytes: new TextEncoder().encode(exact) })
    const { exact: _, ...rest } = shown
    return [...questionPieces(rest), { kind: 'words', text: `\n${WORDS.inFile(name)}` }]
  }

  #buttonsFor(question: Question, open: Open): ChatButton[] {
    const { buttons, person } = this.#parts
    const { shown, ids } = open
    const made = shown.choices.map(({ label, look, answer }): ChatButton => {
      const id = buttons.add({
        person,
        press: async (pressed) => {
          if (!this.#answer(question, open, answer)) await this.#tell(pressed, WORDS.notWaiting)
        },
      })
      return { id, label, ...(look !== undefined && { look }) }
    })
    if (shown.form !== undefined) {
      const id = buttons.add({ person, press: (pressed) => this.#openForm(question, open, pressed) })
      made.unshift({ id, label: 'Answer', look: 'good' })
    }
    ids.push(...made.map(({ id }) => id))
    return made
  }

  async #openForm(question: Question, open: Open, pressed: ChatPressed): Promise<void> {
    const { adapter, buttons, person } = this.#parts
    const { form, warnings } = open.shown
    const fields = form === undefined ? undefined : toFields(form.schema)
    if (form === undefined || fields === undefined) return
    const id = buttons.add({
      person,
      submit: async ({ values }) => {
        const read = fromFields(form.schema, values)
        if ('problems' in read) return read.problems
        if (!this.#answer(question, open, { action: 'allow', content: read.content })) {
          await this.#tell(pressed, WORDS.notWaiting)
        }
        return undefined
      },
    })
    open.ids.push(id)
    const words = warnings.map((text) => ({ kind: 'words', text: `Careful: ${text}\n` }) as const)
    const note: ChatPiece[] = [{ kind: 'exact', text: form.message }, ...words, { kind: 'words', text: NO_SECRETS }]
    await adapter.openForm(pressed, { id, title: `Asked by ${question.server}`, note, fields })
  }

  /** Only what still waits, and is what was shown, gets the answer. */
  #answer(question: Question, { shown }: Open, answer: Answer): boolean {
    const { inbox } = this.#parts
    const waits = inbox.pending().find(({ id }) => id === question.id)
    if (waits === undefined || questionDigest(waits) !== shown.digest) return false
    const as = waits.principal === undefined ? undefined : { principal: waits.principal }
    return inbox.answer(question.id, { ...answer, by: 'chat' }, as) === 'accepted'
  }

  #settle(event: Exclude<InboxEvent, { type: 'asked' }>): void {
    const open = this.#open.get(event.question.id)
    if (open === undefined) return
    this.#open.delete(event.question.id)
    const { adapter, buttons, person, warn } = this.#parts
    buttons.remove(open.ids)
    const how = event.type === 'answered' ? howAnswered(event.answer, open.shown) : undefined
    const by: ChatPiece[] = how === undefined ? [] : [{ kind: 'person', person }]
    const words = { kind: 'words', text: `${how ?? WORDS.noLonger}${open.shown.title} ` } as const
    const digest = { kind: 'words', text: `(${open.shown.digest.slice(0, 16)})` } as const
    void open.message
      ?.then((id) => (id === undefined ? undefined : adapter.edit(open.thread, id, { pieces: [...by, words, digest] })))
      .catch(warn)
  }

  async #tell({ thread, person }: ChatPressed, text: string): Promise<void> {
    await this.#parts.adapter.whisper(thread, person, { pieces: [{ kind: 'words', text }] })
  }
}

const NO_SECRETS = 'Do not give passwords or keys to a form.'

function howAnswered({ action }: Answer, { form }: ShownQuestion): string | undefined {
  if (action === 'allow') return form === undefined ? WORDS.allowed : WORDS.answered
  return action === 'deny' ? WORDS.denied : undefined
}
