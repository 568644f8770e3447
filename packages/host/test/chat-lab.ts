/** A chat in memory, people who write and press in it, and an engine with a real host and a scripted model behind it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from '@portico/sdk/server'
import { createMemoryStore, type Store } from '@portico/sdk/state'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import type {
  ChatAdapter,
  ChatFile,
  ChatForm,
  ChatMessage,
  ChatPerson,
  ChatSink,
  ChatThread,
  ChatUpload,
} from '../src/chat/engine/adapter.ts'
import { type ChatEngine, createChatEngine } from '../src/chat/engine/engine.ts'
import type { ChatSettings } from '../src/chat/engine/settings.ts'
import { defineServer } from '../src/config/define-server.ts'
import { Models } from '../src/model/models.ts'
import type { Script } from '../src/model/script.ts'
import { type ScriptedProvider, startScriptedProvider } from '../src/model/script-server.ts'

export const ADA: ChatPerson = { team: 'T1', id: 'U1ADA' }
export const BEN: ChatPerson = { team: 'T1', id: 'U2BEN' }

interface Posted {
  readonly id: string
  readonly thread: ChatThread
  message: ChatMessage
  edits: number
}

const WAIT_MS = 60_000

export class FakeChat implements ChatAdapter {
  readonly name = 'fake'
  readonly limits = { text: 3_000, editMs: 5 }
  readonly posts: Posted[] = []
  readonly whispers: { readonly to: ChatPerson; readonly message: ChatMessage; readonly thread: ChatThread }[] = []
  readonly uploads: ChatUpload[] = []
  readonly forms: ChatForm[] = []
  readonly contents = new Map<string, Uint8Array>()
  #sink: ChatSink | undefined
  #count = 0

  get sink(): ChatSink {
    if (this.#sink === undefined) throw new Error('not started')
    return this.#sink
  }

  async start(sink: ChatSink): Promise<void> {
    this.#sink = sink
  }
  async close(): Promise<void> {}
  async post(thread: ChatThread, message: ChatMessage): Promise<string> {
    const id = `m${++this.#count}`
    this.posts.push({ id, thread, message, edits: 0 })
    return id
  }
  async edit(_thread: ChatThread, id: string, message: ChatMessage): Promise<void> {
    const found = this.posts.find((one) => one.id === id)
    if (found === undefined) return
    found.message = message
    found.edits++
  }
  async whisper(thread: ChatThread, to: ChatPerson, message: ChatMessage): Promise<void> {
    this.whispers.push({ to, message, thread })
  }
  async openForm(_pressed: unknown, form: ChatForm): Promise<void> {
    this.forms.push(form)
  }
  async fetchFile({ id }: ChatFile): Promise<Uint8Array> {
    const bytes = this.contents.get(id)
    if (bytes === undefined) throw new Error('no such file')
    return bytes
  }
  async upload(_thread: ChatThread, file: ChatUpload): Promise<void> {
    this.uploads.push(file)
  }

  /** Somebody writes; the id of the message. */
  async say(
    person: ChatPerson,
    text: string,
    { thread = 'th', files = [], message = `said${++this.#count}`, direct = false, at }: SayOptions = {},
  ): Promise<string> {
    const when = at === undefined ? {} : { at }
    await this.sink.said({ message, thread: threadOf(thread, direct), person, text, files, addressed: true, ...when })
    return message
  }

  async press(person: ChatPerson, button: string): Promise<void> {
    await this.sink.pressed({ button, person, thread: threadOf('th'), opener: 'click' })
  }

  /** The id of a button that is shown now, by its label; with a text, of a message that holds it. */
  button(label: string, text = ''): string | undefined {
    const shown = [...this.posts.map(({ message }) => message), ...this.whispers.map(({ message }) => message)]
    const found = shown.findLast((one) => textOf(one).includes(text) && one.buttons?.some((b) => b.label === label))
    return found?.buttons?.find((one) => one.label === label)?.id
  }

  async waitForButton(label: string, text = ''): Promise<string> {
    await this.until(() => this.button(label, text) !== undefined, `button ${label} ${text}`)
    return this.button(label, text) ?? ''
  }

  /** What everybody sees. */
  get text(): string {
    return this.posts.map(({ message }) => textOf(message)).join('\n---\n')
  }

  toldTo({ id }: ChatPerson): string {
    return this.whispers
      .filter(({ to }) => to.id === id)
      .map(({ message }) => textOf(message))
      .join('\n---\n')
  }

  async until(test: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + WAIT_MS
    while (!test()) {
      if (Date.now() > deadline) throw new Error(`${what}: not in time. Posted: ${this.text}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  untilText(part: string): Promise<void> {
    return this.until(() => this.text.includes(part), part)
  }
}

interface SayOptions {
  readonly thread?: string
  readonly files?: readonly ChatFile[]
  readonly message?: string
  readonly direct?: boolean
  readonly at?: number
}

export function threadOf(thread: string, direct = false): ChatThread {
  return { team: 'T1', channel: direct ? 'D1' : 'C1', thread: direct ? '' : thread, direct }
}

export function textOf({ pieces }: ChatMessage): string {
  return pieces
    .map((piece) => (piece.kind === 'person' ? `@${piece.person.id}` : piece.kind === 'link' ? piece.url : piece.text))
    .join('')
}

export interface ChatLab {
  readonly chat: FakeChat
  readonly engine: ChatEngine
  readonly provider: ScriptedProvider
  readonly store: Store
  readonly hosts: Map<string, Host>
  readonly warnings: string[]
  close(): Promise<void>
}

export interface ChatLabOptions {
  readonly servers?: { readonly [name: string]: (person: ChatPerson) => Server }
  readonly script: Script
  readonly settings?: ChatSettings
  readonly store?: Store
  readonly stateDir?: string
  readonly host?: Partial<HostOptions>
  readonly signInUrl?: string
}

export async function startChat(options: ChatLabOptions): Promise<ChatLab> {
  const { servers = {}, script, settings = { channels: { C1: {} } }, store = createMemoryStore() } = options
  const provider = await startScriptedProvider(script)
  const folder = options.stateDir ?? (await mkdtemp(join(tmpdir(), 'portico-chat-')))
  const chat = new FakeChat()
  const hosts = new Map<string, Host>()
  const warnings: string[] = []
  const models = new Models({
    env: {},
    ollama: false,
    configured: [
      { id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: provider.url, price: { input: 1e5, output: 1e5 } },
    ],
  })
  const engine = await createChatEngine({
    adapter: chat,
    store,
    settings,
    ...(options.signInUrl !== undefined && { signInUrl: options.signInUrl }),
    onWarning: (message) => warnings.push(message),
    openHost: async ({ person, principal, userAgent }) => {
      const host = await createHost({
        stateDir: join(folder, person.id),
        models,
        principal,
        inProcess: new Map(
          Object.entries(servers).map(([name, make]) => [name, async () => ({ server: make(person) })]),
        ),
        servers: Object.keys(servers).map((name) =>
          defineServer(name, { kind: 'in-process', module: name, options: {} }),
        ),
        ...(userAgent !== undefined && { signIn: { userAgent } }),
        ...options.host,
      })
      hosts.set(person.id, host)
      return host
    },
  })
  return {
    chat,
    engine,
    provider,
    store,
    hosts,
    warnings,
    async close() {
      await engine.close()
      await provider.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
