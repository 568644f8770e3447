/** Conversations on disk: one file for each, and a list of them. Kept on this machine, for its owner alone. */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SavedConversation } from '@portico/host/model'
import { isObject } from '@portico/sdk/internal'
import type { ChatPart, ChatSummary, Pin } from '../api-types/api.ts'
import { readJson, SavedJson, writeJson } from '../saved-json.ts'

export interface SavedChat extends ChatSummary {
  readonly parts: readonly ChatPart[]
  readonly pins?: readonly Pin[]
  readonly conversation: SavedConversation
}

const MAX_CHATS = 500

export class ChatStore {
  readonly #folder: string
  readonly #index: SavedJson<readonly ChatSummary[]>

  static async open(folder: string, onWarning?: (message: string) => void): Promise<ChatStore> {
    const index = await SavedJson.open<readonly ChatSummary[]>({
      file: join(folder, 'index.json'),
      read: (value) => (Array.isArray(value) ? value.filter(isSummary) : undefined),
      empty: [],
      onWarning,
    })
    const store = new ChatStore(folder, index)
    if (index.value.length === 0) await store.#recover()
    return store
  }

  constructor(folder: string, index: SavedJson<readonly ChatSummary[]>) {
    this.#folder = folder
    this.#index = index
  }

  /** Newest first. */
  list(): readonly ChatSummary[] {
    return this.#index.value.toSorted((a, b) => b.at - a.at)
  }

  async load(id: string): Promise<SavedChat | undefined> {
    const summary = this.#index.value.find((one) => one.id === id)
    const found = summary === undefined ? undefined : await readJson(this.#file(summary.id))
    if (!isSavedChat(found)) return undefined
    // What was under way when the program ended is not any more.
    return { ...found, parts: found.parts.map(toSettled) }
  }

  async save(chat: SavedChat): Promise<void> {
    const { id } = chat
    const summary = toSummary(chat)
    const others = this.#index.value.filter((one) => one.id !== id)
    const kept = [...others, summary].toSorted((a, b) => b.at - a.at)
    this.#index.set(kept.slice(0, MAX_CHATS))
    await writeJson(this.#file(id), chat)
    await Promise.all(kept.slice(MAX_CHATS).map((old) => rm(this.#file(old.id), { force: true })))
  }

  async delete(id: string): Promise<void> {
    const known = this.#index.value.some((one) => one.id === id)
    if (!known) return
    this.#index.set(this.#index.value.filter((one) => one.id !== id))
    await rm(this.#file(id), { force: true })
  }

  flush(): Promise<void> {
    return this.#index.flush()
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  /** The list is lost, or this is the first start: the files themselves are looked at. */
  async #recover(): Promise<void> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => ID_FILE.test(name))
    const found: ChatSummary[] = []
    for (const name of names.slice(0, MAX_CHATS)) {
      const chat = await readJson(join(this.#folder, name))
      if (!isSavedChat(chat) || `${chat.id}.json` !== name) continue
      const { id, title, model, at, tour } = chat
      found.push({ id, title, ...(model !== undefined && { model }), at, tour })
    }
    if (found.length > 0) this.#index.set(found)
  }
}

const ID_FILE = /^[0-9a-f-]{36}\.json$/

function isSummary(value: unknown): value is ChatSummary {
  if (!isObject(value)) return false
  const { id, title, at, tour } = value
  const isId = typeof id === 'string' && ID_FILE.test(`${id}.json`)
  return isId && typeof title === 'string' && typeof at === 'number' && typeof tour === 'boolean'
}

/** Written by this program, in a folder that nobody else can write: the outline is enough. */
function isSavedChat(value: unknown): value is SavedChat {
  if (!isSummary(value)) return false
  const { parts, conversation } = value as Partial<SavedChat>
  return Array.isArray(parts) && isObject(conversation) && Array.isArray(conversation.messages)
}

function toSettled(part: ChatPart): ChatPart {
  if (part.kind === 'assistant' && part.streaming) return { ...part, streaming: false }
  if (part.kind !== 'tool' || (part.status !== 'running' && part.status !== 'waiting')) return part
  const { question: _question, ...rest } = part
  return { ...rest, status: 'cancelled', reason: 'The program ended meanwhile' }
}

/** What a list of conversations says of one. */
export function toSummary({ id, title, model, at, tour, project }: ChatSummary): ChatSummary {
  return { id, title, ...(model !== undefined && { model }), at, tour, ...(project !== undefined && { project }) }
}
