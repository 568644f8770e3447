/**
 * What a chat host keeps: for each thread what was said in it for all to read, for each person in it their own conversation with
 * the model, and which messages are being worked on. A book on the store, so that another process finds what one has left. What a tool
 * gave to one person is in that person's conversation alone.
 */

import { hostname } from 'node:os'
import { isObject } from '@portico/sdk/internal'
import type { Store } from '@portico/sdk/state'
import { isProcessAlive } from '../../assembly/tasks/process-alive.ts'
import { sha256 } from '../../audit/canonical.ts'
import type { SavedConversation } from '../../model/conversation.ts'
import type { ChatPerson, ChatThread } from './adapter.ts'

/** Something that all in a thread have read: a message to the bot, or its answer to it. */
interface Line {
  readonly by: string
  readonly text: string
}

/** One person's conversation in one thread. */
interface Talk {
  readonly saved?: SavedConversation
  /** How many lines of the thread the model knows of. */
  readonly upTo: number
}

/** A message that waits or is worked on. */
export interface OpenTurn {
  readonly owner: string
  readonly thread: ChatThread
  readonly person: ChatPerson
  readonly message: string
  readonly begun: boolean
  /** The message that the answer is written into. */
  readonly answer?: string
}

interface Lines {
  /** How many there were before the first that is kept. */
  readonly before: number
  readonly lines: readonly Line[]
}

const MAX_LINES = 40
const MAX_LINE_CHARS = 6_000
const MAX_TRIES = 20
const MAX_SAVED_CHARS = 2_500_000
const MAX_EXPECTED = 50
/** For how long it is known which messages were taken up. */
export const SEEN_MS = 24 * 3_600_000

export class ChatBook {
  readonly owner = JSON.stringify([hostname(), process.pid, crypto.randomUUID()])
  readonly #store: Store
  readonly #prefix: string
  readonly #keepMs: number
  readonly #deadMs: number

  constructor(store: Store, adapter: string, bounds: { readonly keepMs: number; readonly deadMs: number }) {
    this.#store = store
    this.#prefix = `chat/${encodeURIComponent(adapter).slice(0, 40)}`
    this.#keepMs = bounds.keepMs
    this.#deadMs = bounds.deadMs
  }

  /** Whether a key is new, by any process. */
  async once(key: string, forMs: number): Promise<boolean> {
    const change = { key: this.#key('once', key), value: '1', ifVersion: 0, ttlMs: forMs }
    return (await this.#store.write([change])) !== undefined
  }

  /** Takes a message up, durably; false where it was taken up before, by whomever. */
  async take(turn: Omit<OpenTurn, 'owner' | 'begun'>): Promise<boolean> {
    const { thread, message } = turn
    const seen = this.#seenKey(thread, message)
    const value = JSON.stringify({ ...turn, owner: this.owner, begun: false })
    const changes = [
      { key: seen, value: '1', ifVersion: 0, ttlMs: SEEN_MS },
      { key: this.#turnKey(thread, message), value, ttlMs: SEEN_MS },
    ]
    return (await this.#store.write(changes)) !== undefined
  }

  /** Whether a message was taken up, by whomever. */
  async hasTaken({ thread, message }: Pick<OpenTurn, 'thread' | 'message'>): Promise<boolean> {
    return (await this.#store.get(this.#seenKey(thread, message))) !== undefined
  }

  async begin(turn: Omit<OpenTurn, 'owner' | 'begun'>): Promise<void> {
    const value = JSON.stringify({ ...turn, owner: this.owner, begun: true })
    await this.#store.write([{ key: this.#turnKey(turn.thread, turn.message), value, ttlMs: SEEN_MS }])
  }

  async end({ thread, message }: Pick<OpenTurn, 'thread' | 'message'>): Promise<void> {
    await this.#store.write([{ key: this.#turnKey(thread, message) }])
  }

  /** Says that this process is there. */
  async beat(): Promise<void> {
    await this.#store.write([{ key: this.#key('process', this.owner), value: '1', ttlMs: this.#deadMs }])
  }

  async leave(): Promise<void> {
    await this.#store.write([{ key: this.#key('process', this.owner) }])
  }

  /** Messages whose process is gone. Each is given to one process, once. */
  async abandoned(): Promise<OpenTurn[]> {
    const entries = await this.#store.list(`${this.#prefix}/turn/`, { limit: 500 })
    const found: OpenTurn[] = []
    for (const { key, value, version } of entries) {
      const turn = parse<OpenTurn>(value)
      if (turn === undefined || turn.owner === this.owner || (await this.#lives(turn.owner))) continue
      if ((await this.#store.write([{ key, ifVersion: version }])) !== undefined) found.push(turn)
    }
    return found
  }

  /** A task of somebody's runs, whose end is awaited in a thread. */
  async expect(thread: ChatThread, person: ChatPerson): Promise<void> {
    const key = this.#expectedKey(thread, person)
    await this.#store.write([{ key, value: JSON.stringify({ thread, person }), ttlMs: this.#keepMs }])
  }

  async expectNoMore(thread: ChatThread, person: ChatPerson): Promise<void> {
    await this.#store.write([{ key: this.#expectedKey(thread, person) }])
  }

  /** Where the end of a task is awaited. */
  async expecting(): Promise<{ readonly thread: ChatThread; readonly person: ChatPerson }[]> {
    const entries = await this.#store.list(`${this.#prefix}/expected/`, { limit: MAX_EXPECTED })
    return entries.flatMap(({ value }) => parse<{ thread: ChatThread; person: ChatPerson }>(value) ?? [])
  }

  async talk(thread: ChatThread, person: ChatPerson): Promise<Talk> {
    const kept = await this.#store.get(this.#talkKey(thread, person))
    return parse<Talk>(kept?.value) ?? { upTo: 0 }
  }

  /** False where it has grown too large to be kept. */
  async keepTalk(thread: ChatThread, person: ChatPerson, talk: Talk): Promise<boolean> {
    const value = JSON.stringify(talk)
    const isSmall = value.length <= MAX_SAVED_CHARS
    const change = { key: this.#talkKey(thread, person), ttlMs: this.#keepMs }
    await this.#store.write([isSmall ? { ...change, value } : { key: change.key }])
    return isSmall
  }

  /** What was said in a thread from a place on, and the place after it. */
  async linesFrom(
    thread: ChatThread,
    from: number,
  ): Promise<{ readonly lines: readonly Line[]; readonly upTo: number }> {
    const kept = await this.#store.get(this.#threadKey(thread))
    const { before, lines } = parse<Lines>(kept?.value) ?? { before: 0, lines: [] }
    return { lines: lines.slice(Math.max(0, from - before)), upTo: before + lines.length }
  }

  /** Whether anything was said to the bot in a thread. */
  async knows(thread: ChatThread): Promise<boolean> {
    return (await this.#store.get(this.#threadKey(thread))) !== undefined
  }

  async addLine(thread: ChatThread, line: Line): Promise<void> {
    const key = this.#threadKey(thread)
    const text = line.text.slice(0, MAX_LINE_CHARS)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const kept = await this.#store.get(key)
      const { before, lines } = parse<Lines>(kept?.value) ?? { before: 0, lines: [] }
      const all = [...lines, { ...line, text }]
      const cut = Math.max(0, all.length - MAX_LINES)
      const value = JSON.stringify({ before: before + cut, lines: all.slice(cut) })
      const written = await this.#store.write([{ key, value, ifVersion: kept?.version ?? 0, ttlMs: this.#keepMs }])
      if (written !== undefined) return
    }
  }

  async #lives(owner: string): Promise<boolean> {
    const [machine, pid] = parse<unknown[]>(owner) ?? []
    if (machine === hostname() && typeof pid === 'number' && pid !== process.pid && !isProcessAlive(pid)) return false
    return (await this.#store.get(this.#key('process', owner))) !== undefined
  }

  #seenKey({ team, channel }: ChatThread, message: string): string {
    return this.#key('seen', JSON.stringify([team, channel, message]))
  }

  #turnKey({ team, channel }: ChatThread, message: string): string {
    return this.#key('turn', JSON.stringify([team, channel, message]))
  }

  #threadKey({ team, channel, thread }: ChatThread): string {
    return this.#key('thread', JSON.stringify([team, channel, thread]))
  }

  #talkKey({ team, channel, thread }: ChatThread, person: ChatPerson): string {
    return this.#key('talk', JSON.stringify([team, channel, thread, person.team, person.id]))
  }

  #expectedKey(thread: ChatThread, person: ChatPerson): string {
    return this.#key('expected', this.#talkKey(thread, person))
  }

  #key(kind: string, name: string): string {
    return `${this.#prefix}/${kind}/${sha256(name)}`
  }
}

/** Names one person's conversation in one thread. */
export function sessionOf(adapter: string, { team, channel, thread }: ChatThread, person: ChatPerson): string {
  return `chat:${sha256(JSON.stringify([adapter, team, channel, thread, person.team, person.id]))}`
}

/** What this program wrote itself; what cannot be read counts as absent. */
function parse<Value>(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) || Array.isArray(value) ? (value as Value) : undefined
  } catch {
    return undefined
  }
}
