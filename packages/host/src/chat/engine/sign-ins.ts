/** Tells people in the chat where they have to sign in, and leads them through it: a button, a link for them alone, a code. */

import type { UserAgent } from '@portico/sdk/auth'
import type { ChatAdapter, ChatPerson, ChatPressed, ChatThread } from './adapter.ts'
import type { Buttons } from './buttons.ts'
import type { Personal } from './people.ts'
import { SignInPages } from './sign-in-pages.ts'
import { WORDS } from './words.ts'

interface SignInsParts {
  readonly adapter: ChatAdapter
  readonly buttons: Buttons
  readonly url: string | undefined
  readonly warn: (error: unknown) => void
}

export class SignIns {
  readonly #parts: SignInsParts
  readonly #pages: SignInPages | undefined
  /** Where a person has pressed the button. */
  readonly #begunIn = new Map<string, ChatThread>()

  constructor(parts: SignInsParts) {
    this.#parts = parts
    const { url, adapter } = parts
    if (url === undefined) return
    this.#pages = new SignInPages({
      url,
      label: ({ id, team }) => `${id} of ${team} (${adapter.name})`,
      show: (person, server, link, id) => this.#show(person, server, link, id),
    })
  }

  get userAgent(): ((person: ChatPerson, server: string) => UserAgent) | undefined {
    const pages = this.#pages
    return pages === undefined ? undefined : (person, server) => pages.userAgent(person, server)
  }

  pages(request: Request): Response | undefined {
    return this.#pages?.answer(request)
  }

  close(): void {
    this.#pages?.close()
  }

  /** Says once which servers wait for the person to sign in. */
  async offer(personal: Personal, thread: ChatThread): Promise<void> {
    const { host, person, toldToSignIn } = personal
    const waiting = host.upstreams.views().filter(({ state }) => state.state === 'needs-sign-in')
    for (const { name } of waiting) {
      if (toldToSignIn.has(name)) continue
      toldToSignIn.add(name)
      if (this.#pages === undefined) {
        await this.#tell(thread, person, WORDS.signInImpossible(name))
        continue
      }
      const id = this.#parts.buttons.add({ person, press: (pressed) => this.#begin(personal, name, pressed) })
      await this.#parts.adapter.whisper(thread, person, {
        pieces: [{ kind: 'words', text: WORDS.signInNeeded(name) }],
        buttons: [{ id, label: 'Sign in', look: 'good' }],
      })
    }
  }

  async #begin(personal: Personal, server: string, { thread, person }: ChatPressed): Promise<void> {
    this.#begunIn.set(keyOf(person, server), thread)
    void personal.host
      .signIn(server)
      .then(
        () => this.#tell(thread, person, WORDS.signedIn(server)),
        (error: unknown) =>
          this.#tell(thread, person, WORDS.notSignedIn(server, error instanceof Error ? error.message : '')),
      )
      .finally(() => {
        this.#begunIn.delete(keyOf(person, server))
        personal.toldToSignIn.delete(server)
      })
  }

  async #show(person: ChatPerson, server: string, url: string, visit: string): Promise<void> {
    const { adapter, buttons } = this.#parts
    const thread = this.#begunIn.get(keyOf(person, server))
    if (thread === undefined) throw new Error('Nobody has asked to sign in')
    const id = buttons.add({ person, press: (pressed) => this.#askCode(visit, pressed) })
    await adapter.whisper(thread, person, {
      pieces: [
        { kind: 'words', text: WORDS.signInLink(server) },
        { kind: 'link', url },
      ],
      buttons: [{ id, label: 'Enter the code' }],
    })
  }

  async #askCode(visit: string, pressed: ChatPressed): Promise<void> {
    const { adapter, buttons } = this.#parts
    const { person } = pressed
    const id = buttons.add({
      person,
      submit: async ({ values }) => {
        const { code } = values
        const problem = this.#pages?.enterCode(visit, person, typeof code === 'string' ? code : '')
        return problem === undefined ? undefined : { code: problem }
      },
    })
    const field = { name: 'code', label: 'Code of the last page', kind: 'text', required: true } as const
    await adapter.openForm(pressed, { id, title: 'Sign in', note: [], fields: [field] })
  }

  async #tell(thread: ChatThread, person: ChatPerson, text: string): Promise<void> {
    try {
      await this.#parts.adapter.whisper(thread, person, { pieces: [{ kind: 'words', text }] })
    } catch (error) {
      this.#parts.warn(error)
    }
  }
}

function keyOf({ team, id }: ChatPerson, server: string): string {
  return JSON.stringify([team, id, server])
}
