/** The tools that change something; each shows the user all that would be sent, and asks. */

import { tool } from '@portico/sdk/server'
import { toLine, toObject, toText } from '../vendor/values.ts'
import { type Context, change, type VendorHost, WRITES, whole } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import { type Mail, toRawMail } from './mail-text.ts'
import { CALENDAR_INPUT } from './read-tools.ts'

const ADDRESSES_INPUT = { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 320 } } as const

const MAIL_INPUT = {
  type: 'object',
  properties: {
    to: { ...ADDRESSES_INPUT, minItems: 1, description: 'Addresses' },
    cc: ADDRESSES_INPUT,
    subject: { type: 'string', maxLength: 500 },
    text: { type: 'string', maxLength: 50_000, description: 'Plain text' },
  },
  required: ['to', 'subject', 'text'],
  additionalProperties: false,
} as const

export function createWriteTools(host: VendorHost) {
  return { draft_mail: draftMail(host), send_mail: sendMail(host), create_event: createEvent(host) }
}

/** All that the person would sign with their name. */
function mailShown({ to, cc = [], subject, text }: Mail): string {
  return [
    `To: ${to.join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
    `Subject: ${subject.replace(/\r?\n|\r/g, '\\n')}`,
    '',
    text,
  ].join('\n')
}

function draftMail(host: VendorHost) {
  return tool(
    {
      title: 'Draft a mail',
      description: 'Puts a mail among the drafts, after the user has agreed; nothing is sent',
      input: MAIL_INPUT,
      ...WRITES,
    },
    async (mail, ctx: Context) => {
      const body = { message: { raw: toRawMail(mail) } }
      const path = pathOf`/gmail/v1/users/me/drafts`
      return change(
        host,
        { question: 'Keep this as a draft?', method: 'POST', path, body, shown: mailShown(mail) },
        ctx,
        () => 'it is among the drafts',
      )
    },
  )
}

function sendMail(host: VendorHost) {
  return tool(
    {
      title: 'Send a mail',
      description: 'Sends a mail, after the user has agreed',
      input: MAIL_INPUT,
      ...WRITES,
      destructive: true,
    },
    async (mail, ctx: Context) => {
      const body = { raw: toRawMail(mail) }
      const path = pathOf`/gmail/v1/users/me/messages/send`
      const sent = { question: 'Send this mail?', method: 'POST', path, body, shown: mailShown(mail) } as const
      return change(host, sent, ctx, ({ json }) => `sent as ${toText(toObject(json).id)}`)
    },
  )
}

function createEvent(host: VendorHost) {
  const input = {
    type: 'object',
    properties: {
      calendar: CALENDAR_INPUT,
      summary: { type: 'string', minLength: 1, maxLength: 500 },
      start: { type: 'string', format: 'date-time', description: 'With its offset: 2026-11-20T10:00:00+01:00' },
      end: { type: 'string', format: 'date-time' },
      location: { type: 'string', maxLength: 500 },
      description: { type: 'string', maxLength: 5000 },
      attendees: { ...ADDRESSES_INPUT, description: 'Addresses' },
      notify: { type: 'boolean', default: true, description: 'Google writes to the attendees' },
    },
    required: ['summary', 'start', 'end'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Make an event',
      description: 'Makes an event in a calendar, after the user has agreed',
      input,
      ...WRITES,
    },
    async ({ calendar = 'primary', start, end, attendees = [], notify = true, ...rest }, ctx: Context) => {
      const body = {
        ...rest,
        start: { dateTime: start },
        end: { dateTime: end },
        ...(attendees.length > 0 && { attendees: attendees.map((email) => ({ email })) }),
      }
      const path = pathOf`/calendar/v3/calendars/${calendar}/events`
      // Unless told, Google writes to nobody.
      const query = attendees.length === 0 ? {} : { sendUpdates: notify ? 'all' : 'none' }
      const invited = notify
        ? ' and write to the people that it invites'
        : ' and invite these people, without a mail to them'
      const question = `Make this event in the calendar ${whole(calendar)}${attendees.length === 0 ? '' : invited}?`
      return change(host, { question, method: 'POST', path, query, body }, ctx, ({ json }) =>
        toLine(toObject(json).htmlLink, 500),
      )
    },
  )
}
