/**
 * A host for each person. Connections, tokens, remembered answers, questions and tasks of one are in that one's host and nowhere
 * else, so that nothing of it can reach another by mistake. Hosts are opened when they are needed and closed when they are not.
 */

import type { UserAgent } from '@portico/sdk/auth'
import { createPrincipal, PorticoError, type Principal } from '@portico/sdk/server'
import type { Host } from '../../assembly/host.ts'
import type { Conversation } from '../../model/conversation.ts'
import { type ChatPerson, principalOf } from './adapter.ts'
import type { ChatLimits } from './settings.ts'

/** What a host for a person is opened with. */
export interface PersonalHostWish {
  readonly person: ChatPerson
  /** For `HostOptions.principal`. */
  readonly principal: Principal
  /** For `HostOptions.signIn`; absent where people cannot sign in. */
  readonly userAgent?: (server: string) => UserAgent
}

/** A conversation that is open in somebody's host. */
export interface LiveTalk {
  readonly conversation: Conversation
  upTo: number
}

/** Somebody's host, and what is open in it. */
export interface Personal {
  readonly host: Host
  readonly person: ChatPerson
  readonly principal: string
  readonly talks: Map<string, LiveTalk>
  /** Servers that this person has been told to sign in to. */
  readonly toldToSignIn: Set<string>
}

interface Entry {
  readonly opened: Promise<Personal>
  personal?: Personal
  uses: number
  usedAt: number
}

interface PeopleOptions {
  readonly adapter: string
  readonly limits: Pick<ChatLimits, 'people' | 'idleMs'>
  openHost(wish: PersonalHostWish): Promise<Host>
  /** Facts about somebody for rules, such as roles. */
  claims?(person: ChatPerson): { readonly [name: string]: unknown } | undefined
  userAgent?(person: ChatPerson, server: string): UserAgent
  onOpen(personal: Personal): void
  readonly warn: (error: unknown) => void
}

const MAX_TALKS = 50

export class People {
  readonly #options: PeopleOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  /** Lets `work` use somebody's host, which stays open meanwhile. */
  async with<Result>(person: ChatPerson, work: (personal: Personal) => Promise<Result>): Promise<Result> {
    const entry = await this.#enter(person)
    try {
      return await work(await entry.opened)
    } finally {
      entry.uses--
      entry.usedAt = Date.now()
    }
  }

  /** Closes what has not been used for long. */
  async sweep(now = Date.now()): Promise<void> {
    for (const [key, entry] of [...this.#entries]) {
      if (now - entry.usedAt > this.#options.limits.idleMs) await this.#closeIdle(key, entry)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries].map(([key, entry]) => this.#close(key, entry)))
  }

  /** Counts as a use from now on. */
  async #enter(person: ChatPerson): Promise<Entry> {
    const key = principalOf(this.#options.adapter, person)
    if (!this.#entries.has(key) && this.#entries.size >= this.#options.limits.people) await this.#makeRoom()
    const entry = this.#entries.get(key) ?? this.#make(key, person)
    entry.uses++
    return entry
  }

  #make(key: string, person: ChatPerson): Entry {
    const opened = this.#open(person, key)
    const entry: Entry = { opened, uses: 0, usedAt: Date.now() }
    this.#entries.set(key, entry)
    opened.then(
      (personal) => {
        entry.personal = personal
      },
      () => this.#entries.delete(key),
    )
    return entry
  }

  async #open(person: ChatPerson, id: string): Promise<Personal> {
    const { openHost, claims, userAgent, onOpen } = this.#options
    const principal = createPrincipal(id, [], claims?.(person))
    const agent = userAgent === undefined ? {} : { userAgent: (server: string) => userAgent(person, server) }
    const host = await openHost({ person, principal, ...agent })
    const personal: Personal = { host, person, principal: id, talks: new Map(), toldToSignIn: new Set() }
    onOpen(personal)
    return personal
  }

  async #makeRoom(): Promise<void> {
    const entries = [...this.#entries].sort(([, one], [, other]) => one.usedAt - other.usedAt)
    for (const [key, entry] of entries) if (await this.#closeIdle(key, entry)) return
    throw new PorticoError('limit-exceeded', 'Too many people are being answered at once. Try again in a while.')
  }

  /** Only where nothing runs in it and no task is followed. */
  async #closeIdle(key: string, entry: Entry): Promise<boolean> {
    if (entry.uses > 0 || entry.personal === undefined) return false
    const tasks = await entry.personal.host.tasks.list()
    if (entry.uses > 0 || tasks.some(({ followed }) => followed)) return false
    await this.#close(key, entry)
    return true
  }

  async #close(key: string, entry: Entry): Promise<void> {
    this.#entries.delete(key)
    try {
      const { host } = await entry.opened
      await host.close()
    } catch (error) {
      this.#options.warn(error)
    }
  }
}

/** Keeps a conversation open, and lets the one go that was used longest ago. */
export function rememberTalk({ talks }: Personal, session: string, talk: LiveTalk): void {
  talks.delete(session)
  talks.set(session, talk)
  for (const [oldest, { conversation }] of talks) {
    if (talks.size <= MAX_TALKS) return
    if (oldest !== session && !conversation.busy) talks.delete(oldest)
  }
}
