/** The tools that read: mail, calendars, and files with documents among them. */

import { ToolError, tool } from '@portico/sdk/server'
import { callerOf } from '../caller.ts'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, foreign, nextPage, READS, rows, START_INPUT } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import { type GoogleHost, headerOf, messageText } from './mail-text.ts'

type Json = ReturnType<typeof toObject>

const ID_INPUT = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,200}$' } as const
const PAGE_INPUT = { type: 'string', maxLength: 2000, description: 'Where the next page begins' } as const
export const CALENDAR_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 300,
  default: 'primary',
  description: 'The id of a calendar; your own unless given',
} as const
const PER_PAGE = 20

export function createReadTools(host: GoogleHost) {
  return {
    search_mail: searchMail(host),
    read_thread: readThread(host),
    list_calendars: listCalendars(host),
    list_events: listEvents(host),
    search_files: searchFiles(host),
    read_file: readFile(host),
  }
}

function searchMail(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: { query: { type: 'string', maxLength: 500, default: '' }, page: PAGE_INPUT, start: START_INPUT },
    additionalProperties: false,
  } as const
  const description = 'Finds mail by words and Gmail’s own operators: "from:ada newer_than:7d has:attachment"'
  return tool(
    { title: 'Search mail', description, input, ...READS },
    async ({ query = '', page, start }, ctx: Context) => {
      const asked = { q: query, maxResults: PER_PAGE, pageToken: page }
      const list = toObject((await host.service.send(pathOf`/gmail/v1/users/me/messages`, { query: asked }, ctx)).json)
      const lines: string[] = []
      for (const { id } of toList(list.messages).slice(0, PER_PAGE)) {
        const path = pathOf`/gmail/v1/users/me/messages/${toText(id)}`
        const message = toObject((await host.service.send(path, { query: { format: 'metadata' } }, ctx)).json)
        const about = ['date', 'from', 'subject'].map((name) => headerOf(host, message, name))
        lines.push([`thread ${toLine(message.threadId, 40)}`, ...about, toLine(message.snippet)].join(' · '))
      }
      return rows(host, lines, { next: nextPage('page', list.nextPageToken), start })
    },
  )
}

function readThread(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: { thread: { ...ID_INPUT, description: 'The id of a thread, from search_mail' }, start: START_INPUT },
    required: ['thread'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Read a thread', description: 'All mail of a thread, in order, as plain text', input, ...READS },
    async ({ thread, start }, ctx: Context) => {
      const { json } = await host.service.send(
        pathOf`/gmail/v1/users/me/threads/${thread}`,
        { query: { format: 'full' } },
        ctx,
      )
      const mails = toList(toObject(json).messages).map(async (message) => {
        const header = (name: string) => headerOf(host, message, name)
        const words = await messageText(host, message, callerOf(ctx))
        return `--- ${header('from')} to ${header('to')} ${header('date')}\n${header('subject')}\n\n${words}`
      })
      return foreign(host, (await Promise.all(mails)).join('\n\n'), start)
    },
  )
}

function listCalendars(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: { page: PAGE_INPUT, start: START_INPUT },
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Calendars', description: 'The calendars that can be read, with their ids', input, ...READS },
    async ({ page, start }, ctx: Context) => {
      const { json } = await host.service.send(
        pathOf`/calendar/v3/users/me/calendarList`,
        { query: { maxResults: 100, pageToken: page } },
        ctx,
      )
      const lines = toList(toObject(json).items).map(
        ({ id, summary, primary }) => `${toLine(id, 300)} · ${toLine(summary)}${primary === true ? ' (yours)' : ''}`,
      )
      return rows(host, lines, { next: nextPage('page', toObject(json).nextPageToken), start })
    },
  )
}

function listEvents(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: {
      calendar: CALENDAR_INPUT,
      from: { type: 'string', format: 'date-time', description: 'Events that end after this time' },
      to: { type: 'string', format: 'date-time', description: 'Events that begin before this time' },
      query: { type: 'string', maxLength: 300, description: 'Only events with these words' },
      page: PAGE_INPUT,
      start: START_INPUT,
    },
    required: ['from'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Events', description: 'Events of a calendar in a span of time, in their order', input, ...READS },
    async ({ calendar = 'primary', from, to, query, page, start }, ctx: Context) => {
      const asked = {
        timeMin: from,
        timeMax: to,
        q: query,
        pageToken: page,
        singleEvents: true,
        orderBy: 'startTime',
        maxResults: 50,
      }
      const list = toObject(
        (await host.service.send(pathOf`/calendar/v3/calendars/${calendar}/events`, { query: asked }, ctx)).json,
      )
      return rows(host, toList(list.items).map(eventLine), { next: nextPage('page', list.nextPageToken), start })
    },
  )
}

function eventLine(event: Json): string {
  const time = (value: unknown) => toLine(toObject(value).dateTime ?? toObject(value).date, 40)
  const who = toList(event.attendees)
    .slice(0, 20)
    .map(({ email, responseStatus }) => `${toLine(email, 100)} (${toLine(responseStatus, 20)})`)
  const where = toLine(event.location)
  return [`${time(event.start)} to ${time(event.end)} · ${toLine(event.summary)}`, where, who.join(', ')]
    .filter(Boolean)
    .join(' · ')
}

function searchFiles(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: {
      text: {
        type: 'string',
        maxLength: 300,
        description: 'Words of the name or the content; the last changed unless given',
      },
      page: PAGE_INPUT,
      start: START_INPUT,
    },
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Search files', description: 'Finds files and documents of Drive by words', input, ...READS },
    async ({ text, page, start }, ctx: Context) => {
      const q = text === undefined ? 'trashed = false' : `fullText contains ${quoted(text)} and trashed = false`
      const fields = 'nextPageToken,files(id,name,mimeType,modifiedTime,owners(displayName))'
      const order = text === undefined ? { orderBy: 'modifiedTime desc' } : {}
      const asked = { q, fields, pageSize: 30, pageToken: page, ...order }
      const list = toObject((await host.service.send(pathOf`/drive/v3/files`, { query: asked }, ctx)).json)
      const lines = toList(list.files).map(
        ({ id, name, mimeType, modifiedTime }) =>
          `${toLine(id, 200)} · ${toLine(name)} · ${toLine(mimeType, 100)} · ${toLine(modifiedTime, 30).slice(0, 10)}`,
      )
      return rows(host, lines, { next: nextPage('page', list.nextPageToken), start })
    },
  )
}

/** A text in Drive's query language, in which quotes and backslashes end it early. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** What documents of Google's own kinds become. */
const EXPORTS: { readonly [type: string]: string } = {
  'application/vnd.google-apps.document': 'text/markdown',
  'application/vnd.google-apps.spreadsheet': 'text/csv',
  'application/vnd.google-apps.presentation': 'text/plain',
}

function readFile(host: GoogleHost) {
  const input = {
    type: 'object',
    properties: { file: { ...ID_INPUT, description: 'The id of a file, from search_files' }, start: START_INPUT },
    required: ['file'],
    additionalProperties: false,
  } as const
  const description =
    'The text of a file: documents as Markdown, sheets as CSV (the first), slides and text files as text'
  return tool({ title: 'Read a file', description, input, ...READS }, async ({ file, start }, ctx: Context) => {
    const about = toObject(
      (await host.service.send(pathOf`/drive/v3/files/${file}`, { query: { fields: 'name,mimeType,size' } }, ctx)).json,
    )
    const type = toText(about.mimeType)
    const heading = `${toLine(about.name)} · ${toLine(type, 100)}`
    const exported = Object.hasOwn(EXPORTS, type) ? EXPORTS[type] : undefined
    if (exported === undefined && !/^(text\/|application\/(json|xml|yaml|javascript))/.test(type)) {
      throw new ToolError(`${heading}: that is no text, and is not read here.`)
    }
    const content =
      exported === undefined
        ? await host.service.send(pathOf`/drive/v3/files/${file}`, { as: 'text', query: { alt: 'media' } }, ctx)
        : await host.service.send(
            pathOf`/drive/v3/files/${file}/export`,
            { as: 'text', query: { mimeType: exported } },
            ctx,
          )
    return foreign(host, `${heading}\n\n${content.text}`, start)
  })
}
