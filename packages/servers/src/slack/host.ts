/** What the tools of the slack server have in common: the service, the channels they may touch, and names for ids. */

import { createWildcard } from '@portico/sdk/internal'
import { ToolError } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import type { VendorHost } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { Patience } from '../vendor/vendor-service.ts'
import { fromSlack, type Names } from './marked-text.ts'

export interface SlackHost extends VendorHost {
  readonly directory: Directory
}

type Json = ReturnType<typeof toObject>
type Arguments = { readonly [name: string]: string | number | boolean | undefined }

/** Calls one method of the Web API for reading. */
export async function read({ service }: VendorHost, method: string, query: Arguments, ctx: Patience): Promise<Json> {
  return toObject((await service.send(pathOf`/${method}`, { query }, ctx)).json)
}

/** Where the next page begins, if there is one. */
export function nextOf(answer: Json): string | undefined {
  return toText(toObject(answer.response_metadata).next_cursor) || undefined
}

interface Channel {
  readonly id: string
  readonly name: string
  readonly topic: string
  readonly private: boolean
}

/** A list of Slack's, as far as it was read. */
interface Known<T> {
  readonly all: T
  /** There are more. */
  readonly cut: boolean
}

const FRESH_MS = 5 * 60_000
const MAX_PAGES = 10
const PER_PAGE = 200
const MOST = MAX_PAGES * PER_PAGE

/** To be said wherever something may be missing for it. */
export const CHANNELS_CUT = `Only the first ${MOST} channels of the workspace are known here; there are more.`
export const PEOPLE_CUT = `Only the first ${MOST} people of the workspace are known here; there are more.`

/**
 * Channels and people by id and by name, read when they are first needed and kept for some minutes. Only channels that the
 * operator allows are in it: all others are as if they were not there.
 */
export class Directory {
  readonly #patterns: readonly ((name: string) => boolean)[] | undefined
  #channels: { readonly at: number; readonly list: Promise<Known<readonly Channel[]>> } | undefined
  #people: { readonly at: number; readonly names: Promise<Known<ReadonlyMap<string, string>>> } | undefined

  constructor(patterns: readonly string[] | undefined) {
    this.#patterns = patterns?.map((pattern) => createWildcard(pattern.replace(/^#/, '').toLowerCase(), '*'))
  }

  channels(host: VendorHost, ctx: Patience): Promise<Known<readonly Channel[]>> {
    const kept = this.#channels
    if (kept !== undefined && performance.now() - kept.at < FRESH_MS) return kept.list
    const list = this.#readChannels(host, ctx)
    this.#channels = { at: performance.now(), list }
    // A failure is not kept.
    list.catch(() => {
      this.#channels = undefined
    })
    return list
  }

  /** A channel by its name or its id; throws what to tell the model. */
  async channel(host: VendorHost, named: string, ctx: Patience): Promise<Channel> {
    const wanted = named.replace(/^#/, '').toLowerCase()
    const { all, cut } = await this.channels(host, ctx)
    const found = all.find(({ id, name }) => id.toLowerCase() === wanted || name === wanted)
    if (found !== undefined) return found
    const shown = toLine(named, 80)
    throw new ToolError(
      cut
        ? `There is no channel "${shown}" among those that are known. ${CHANNELS_CUT}`
        : `There is no channel "${shown}" here. See list_channels.`,
    )
  }

  people(host: VendorHost, ctx: Patience): Promise<Known<ReadonlyMap<string, string>>> {
    const kept = this.#people
    if (kept !== undefined && performance.now() - kept.at < FRESH_MS) return kept.names
    const names = readPeople(host, ctx)
    this.#people = { at: performance.now(), names }
    names.catch(() => {
      this.#people = undefined
    })
    return names
  }

  async names(host: VendorHost, ctx: Patience): Promise<Names> {
    const { all: people } = await this.people(host, ctx)
    const channels = new Map((await this.channels(host, ctx)).all.map(({ id, name }) => [id, name]))
    return { person: (id) => people.get(id) ?? id, channel: (id) => channels.get(id) ?? id }
  }

  async #readChannels(host: VendorHost, ctx: Patience): Promise<Known<readonly Channel[]>> {
    const types = 'public_channel,private_channel'
    const { all, cut } = await pages(
      host,
      { method: 'conversations.list', member: 'channels', query: { types, exclude_archived: true } },
      ctx,
    )
    const channels = all.map((channel) => ({
      id: toText(channel.id),
      name: toLine(channel.name, 80).toLowerCase(),
      topic: toLine(toObject(channel.topic).value),
      private: channel.is_private === true,
    }))
    return { all: channels.filter(({ name }) => this.#patterns?.some((matches) => matches(name)) ?? true), cut }
  }
}

async function readPeople(host: VendorHost, ctx: Patience): Promise<Known<ReadonlyMap<string, string>>> {
  const { all: members, cut } = await pages(host, { method: 'users.list', member: 'members' }, ctx)
  const all = new Map(
    members.map((member) => {
      const { display_name, real_name } = toObject(member.profile)
      return [toText(member.id), toLine(display_name, 80) || toLine(real_name, 80) || toLine(member.name, 80)]
    }),
  )
  return { all, cut }
}

/** All pages of a list, up to a bound. */
async function pages(
  host: VendorHost,
  { method, member, query = {} }: { readonly method: string; readonly member: string; readonly query?: Arguments },
  ctx: Patience,
): Promise<Known<Json[]>> {
  const found: Json[] = []
  // Shared by whoever asks meanwhile, so it does not end with the one who asked first.
  const patience: Patience = { signal: new AbortController().signal, progress: (...told) => ctx.progress(...told) }
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await read(host, method, { ...query, limit: PER_PAGE, cursor }, patience)
    found.push(...toList(answer[member]))
    cursor = nextOf(answer)
    if (cursor === undefined) break
  }
  return { all: found, cut: cursor !== undefined }
}

/** Messages as people read them: who, when, what, and what hangs on it. */
export function messageLines(messages: readonly Json[], names: Names): string[] {
  return messages.map((message) => {
    const { ts, user, username, text, reply_count, files, reactions } = message
    const who = toText(user) === '' ? toLine(username, 80) || 'an app' : names.person(toText(user))
    const words = fromSlack(toText(text), names).replaceAll('\n', '\n    ')
    const replies = Number(reply_count) > 0 ? `\n    [${toText(reply_count)} replies: thread ${toText(ts)}]` : ''
    const attached = toList(files).map(
      ({ id, name, size }) => `\n    [file ${toLine(id, 40)}: ${toLine(name)}, ${toText(size)} bytes]`,
    )
    const marks = toList(reactions).map(({ name, count }) => `:${toLine(name, 60)}: ${toText(count)}`)
    return `${toText(ts)} ${timeOf(ts)} ${who}: ${words}${marks.length === 0 ? '' : `\n    [${marks.join(' ')}]`}${attached.join('')}${replies}`
  })
}

function timeOf(ts: unknown): string {
  const seconds = Number(toText(ts))
  return Number.isFinite(seconds) && seconds > 0 && seconds < 1e11
    ? new Date(seconds * 1000).toISOString().slice(0, 16)
    : ''
}
