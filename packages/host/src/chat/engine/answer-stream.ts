/**
 * An answer that grows in the chat: one message that is edited while the model speaks, as often as the chat allows and never
 * twice at once, and put into its final form at the end: several messages or a file where it is long.
 */

import type { ChatAdapter, ChatButton, ChatMessage, ChatPiece, ChatThread } from './adapter.ts'

const MAX_MESSAGES = 4
const WORKING = 'Working on it…'

interface AnswerOptions {
  readonly adapter: ChatAdapter
  readonly thread: ChatThread
  /** While it grows. */
  readonly buttons: readonly ChatButton[]
  readonly warn: (error: unknown) => void
}

export class AnswerStream {
  readonly #options: AnswerOptions
  #text = ''
  #status = WORKING
  #id: string | undefined
  #dirty = false
  #ended = false
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  get text(): string {
    return this.#text
  }

  /** Posts the message that will be the answer, and gives its id. */
  async open(): Promise<string> {
    const { adapter, thread } = this.#options
    this.#id = await adapter.post(thread, this.#growing())
    return this.#id
  }

  say(delta: string): void {
    this.#text += delta
    this.#schedule()
  }

  /** A line about what goes on, in our own words. */
  status(line: string | undefined): void {
    this.#status = line ?? WORKING
    this.#schedule()
  }

  /** Puts the answer into its final form. `note` is said after it. */
  async end(note?: string): Promise<void> {
    this.#ended = true
    clearTimeout(this.#timer)
    await this.#sending
    const { adapter, thread } = this.#options
    const { parts, rest } = split(this.#text.trim(), adapter.limits.text)
    const pieces: ChatPiece[][] = parts.map((text) => [{ kind: 'said', text }])
    const last = pieces.at(-1)
    if (rest) last?.push({ kind: 'words', text: '\nThe whole answer is in the file answer.md.' })
    if (note !== undefined) {
      const words: ChatPiece = { kind: 'words', text: last === undefined ? note : `\n${note}` }
      if (last === undefined) pieces.push([words])
      else last.push(words)
    }
    const [first = [{ kind: 'words', text: 'Done.' } as const], ...others] = pieces
    await this.#putFirst({ pieces: first })
    for (const one of others) await adapter.post(thread, { pieces: one })
    if (rest) {
      const bytes = new TextEncoder().encode(this.#text)
      await adapter.upload(thread, { name: 'answer.md', mimeType: 'text/markdown', bytes })
    }
  }

  /** Where the message is gone that was to become the answer, another takes its place. */
  async #putFirst(message: ChatMessage): Promise<void> {
    const { adapter, thread, warn } = this.#options
    try {
      if (this.#id !== undefined) return await adapter.edit(thread, this.#id, message)
    } catch (error) {
      warn(error)
    }
    await adapter.post(thread, message)
  }

  #schedule(): void {
    this.#dirty = true
    if (this.#timer !== undefined || this.#ended) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sending = this.#sending.then(() => this.#send())
    }, this.#options.adapter.limits.editMs)
    this.#timer.unref()
  }

  async #send(): Promise<void> {
    const { adapter, thread, warn } = this.#options
    if (!this.#dirty || this.#ended || this.#id === undefined) return
    this.#dirty = false
    try {
      await adapter.edit(thread, this.#id, this.#growing())
    } catch (error) {
      // The next edit, or the end, says all of it again.
      warn(error)
    }
  }

  #growing(): ChatMessage {
    const { adapter, buttons } = this.#options
    const room = adapter.limits.text - 200
    const text = this.#text.length > room ? `…${this.#text.slice(-room)}` : this.#text
    const said: ChatPiece[] = text === '' ? [] : [{ kind: 'said', text: `${text}\n` }]
    return { pieces: [...said, { kind: 'words', text: this.#status }], buttons }
  }
}

/** In parts of the size, cut at the end of a line where there is one; `rest` says that there was more than fits. */
function split(text: string, size: number): { readonly parts: readonly string[]; readonly rest: boolean } {
  const room = size - 200
  const parts: string[] = []
  let left = text
  while (left !== '' && parts.length < MAX_MESSAGES) {
    const line = left.length <= room ? left.length : left.lastIndexOf('\n', room)
    const at = line > room / 2 || left.length <= room ? line : room
    parts.push(left.slice(0, at))
    left = left.slice(at).replace(/^\n/, '')
  }
  return { parts, rest: left !== '' }
}
