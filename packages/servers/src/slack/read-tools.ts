/** The tools that read: channels, what was said in them, threads, people and files. */

import { ToolError, tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, foreign, READS, START_INPUT } from '../vendor/vendor-host.ts'
import { CHANNELS_CUT, messageLines, nextOf, PEOPLE_CUT, read, type SlackHost } from './host.ts'

export const CHANNEL_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: 'The name of a channel, or its id',
} as const
export const TS_INPUT = {
  type: 'string',
  pattern: '^[0-9]{1,12}\\.[0-9]{1,8}$',
  description: 'The number at the beginning of a message',
} as const
const CURSOR_INPUT = { type: 'string', maxLength: 400, description: 'Where the next page begins' } as const
const LIMIT_INPUT = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  default: 30,
  description: 'How many messages',
} as const

export function createReadTools(host: SlackHost) {
  return {
    list_channels: listChannels(host),
    read_channel: readChannel(host),
    read_thread: readThread(host),
    search_messages: searchMessages(host),
    find_people: findPeople(host),
    read_file: readFile(host),
  }
}

function listChannels(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      match: { type: 'string', maxLength: 100, description: 'Part of a name or a topic' },
      start: START_INPUT,
    },
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Channels', description: 'The channels that can be read, with their topics', input, ...READS },
    async ({ match = '', start }, ctx: Context) => {
      const wanted = match.toLowerCase()
      const { all, cut } = await host.directory.channels(host, ctx)
      const lines = all
        .filter(({ name, topic }) => `${name} ${topic}`.toLowerCase().includes(wanted))
        .map(({ id, name, topic, private: closed }) => `#${name} (${id}${closed ? ', private' : ''}) ${topic}`)
      return foreign(host, [...lines, ...(cut ? [`[${CHANNELS_CUT}]`] : [])].join('\n'), start)
    },
  )
}

function readChannel(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      channel: CHANNEL_INPUT,
      limit: LIMIT_INPUT,
      oldest: { type: 'string', format: 'date-time', description: 'Only messages after this time' },
      cursor: CURSOR_INPUT,
      start: START_INPUT,
    },
    required: ['channel'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Read a channel', description: 'What was said in a channel, the newest last', input, ...READS },
    async ({ channel, limit = 30, oldest, cursor, start }, ctx: Context) => {
      const { id } = await host.directory.channel(host, channel, ctx)
      const since = oldest === undefined ? undefined : String(Date.parse(oldest) / 1000)
      const answer = await read(host, 'conversations.history', { channel: id, limit, oldest: since, cursor }, ctx)
      return said(host, { answer, messages: [...toList(answer.messages)].reverse(), start }, ctx)
    },
  )
}

function readThread(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      channel: CHANNEL_INPUT,
      thread: TS_INPUT,
      limit: LIMIT_INPUT,
      cursor: CURSOR_INPUT,
      start: START_INPUT,
    },
    required: ['channel', 'thread'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Read a thread', description: 'A message and all replies to it, in order', input, ...READS },
    async ({ channel, thread, limit = 30, cursor, start }, ctx: Context) => {
      const { id } = await host.directory.channel(host, channel, ctx)
      const answer = await read(host, 'conversations.replies', { channel: id, ts: thread, limit, cursor }, ctx)
      return said(host, { answer, messages: toList(answer.messages), start }, ctx)
    },
  )
}

interface Said {
  readonly answer: ReturnType<typeof toObject>
  readonly messages: ReturnType<typeof toList>
  readonly start: number | undefined
}

async function said(host: SlackHost, { answer, messages, start }: Said, ctx: Context) {
  const lines = messageLines(messages, await host.directory.names(host, ctx))
  const next = nextOf(answer)
  return foreign(
    host,
    `${lines.join('\n') || 'Nothing was said.'}${next === undefined ? '' : `\n[More: cursor ${next}]`}`,
    start,
  )
}

function searchMessages(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 300 },
      page: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
      start: START_INPUT,
    },
    required: ['query'],
    additionalProperties: false,
  } as const
  const description =
    'Finds messages by words and Slack’s own modifiers: "from:@ada in:#team invoice". Needs a user token'
  return tool(
    { title: 'Search messages', description, input, ...READS },
    async ({ query, page = 1, start }, ctx: Context) => {
      const answer = await read(host, 'search.messages', { query, page, count: 30, sort: 'timestamp' }, ctx)
      const { all, cut } = await host.directory.channels(host, ctx)
      const known = new Map(all.map(({ id, name }) => [id, name]))
      const { matches, paging } = toObject(answer.messages)
      // Channels that are not allowed here may be found by Slack all the same.
      const own = toList(matches).filter(({ channel }) => known.has(toText(toObject(channel).id)))
      const names = await host.directory.names(host, ctx)
      const lines = own.map(
        (match) => `#${known.get(toText(toObject(match.channel).id))} ${messageLines([match], names)[0]}`,
      )
      const more = Number(toObject(paging).pages) > page ? `\n[More: page ${page + 1}]` : ''
      const lacking = cut ? `\n[${CHANNELS_CUT}]` : ''
      return foreign(host, `${lines.join('\n') || 'Nothing found.'}${lacking}${more}`, start)
    },
  )
}

function findPeople(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      match: { type: 'string', minLength: 1, maxLength: 100, description: 'Part of a name' },
      start: START_INPUT,
    },
    required: ['match'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Find people', description: 'People of the workspace by name, with their ids', input, ...READS },
    async ({ match, start }, ctx: Context) => {
      const { all, cut } = await host.directory.people(host, ctx)
      const fitting = [...all].filter(([, name]) => name.toLowerCase().includes(match.toLowerCase())).slice(0, 50)
      const lines = fitting.map(([id, name]) => `${name} (${id})`)
      return foreign(host, [...lines, ...(cut ? [`[${PEOPLE_CUT}]`] : [])].join('\n'), start)
    },
  )
}

function readFile(host: SlackHost) {
  const input = {
    type: 'object',
    properties: {
      file: { type: 'string', pattern: '^F[A-Z0-9]{1,30}$', description: 'The id of a file' },
      start: START_INPUT,
    },
    required: ['file'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Read a file', description: 'What a file is, and the beginning of its text', input, ...READS },
    async ({ file, start }, ctx: Context) => {
      const answer = await read(host, 'files.info', { file }, ctx)
      const about = toObject(answer.file)
      const shared = new Set(
        [about.channels, about.groups].flatMap((ids) => (Array.isArray(ids) ? ids.map(toText) : [])),
      )
      const { all, cut } = await host.directory.channels(host, ctx)
      if (!all.some(({ id }) => shared.has(id)))
        throw new ToolError(`There is no such file in the channels of this server.${cut ? ` ${CHANNELS_CUT}` : ''}`)
      const text = toText(answer.content) || toText(about.preview) || '[Its text is not shown by Slack.]'
      return foreign(
        host,
        `${toLine(about.name)} · ${toLine(about.mimetype, 100)} · ${toText(about.size)} bytes\n\n${text}`,
        start,
      )
    },
  )
}
