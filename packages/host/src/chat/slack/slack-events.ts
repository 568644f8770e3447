/** What Slack sends, read into the events of the engine. Whatever is not a person's doing is left out: bots, ourselves, joins. */

import { isObject } from '@portico/sdk/internal'
import type {
  ChatChanged,
  ChatFile,
  ChatForm,
  ChatPressed,
  ChatSaid,
  ChatSubmitted,
  ChatThread,
} from '../engine/adapter.ts'
import { fromSlack } from './slack-text.ts'

type Fields = { readonly [name: string]: unknown }

/** Who we are. */
export interface SlackSelf {
  readonly team: string
  readonly user: string
}

type SlackEvent =
  | { readonly type: 'said'; readonly event: ChatSaid }
  | { readonly type: 'changed'; readonly event: ChatChanged }

const CHANNEL = /^[CDG][A-Z0-9]{1,30}$/
const USER = /^[UW][A-Z0-9]{1,30}$/
const STAMP = /^\d{1,12}\.\d{1,8}$/
const WORDS_OF_PEOPLE: ReadonlySet<unknown> = new Set([undefined, 'file_share', 'thread_broadcast'])
const MAX_FILES = 50

/** An event of the Events API, on whichever way it came. */
export function readEvent(body: Fields, self: SlackSelf): SlackEvent | undefined {
  const event = objectOf(body.event)
  const { channel, subtype, type } = event
  if (body.team_id !== self.team || !is(CHANNEL, channel)) return undefined
  if (type !== 'message' && type !== 'app_mention') return undefined
  if (subtype === 'message_deleted') return toChanged(self, channel, event.deleted_ts)
  if (subtype === 'message_changed') {
    const message = objectOf(event.message)
    const isGone = message.subtype === 'tombstone'
    return toChanged(self, channel, message.ts, isGone ? undefined : fromSlack(textOf(message.text), self.user))
  }
  return WORDS_OF_PEOPLE.has(subtype) ? toSaid(event, channel, self) : undefined
}

function toChanged(self: SlackSelf, channel: string, message: unknown, text?: string): SlackEvent | undefined {
  if (!is(STAMP, message)) return undefined
  return { type: 'changed', event: { team: self.team, channel, message, ...(text !== undefined && { text }) } }
}

function toSaid(event: Fields, channel: string, self: SlackSelf): SlackEvent | undefined {
  const { user, ts, thread_ts: root, bot_id: bot, app_id: app } = event
  if (!is(USER, user) || !is(STAMP, ts) || user === self.user || user === 'USLACKBOT') return undefined
  // Whatever a program posted, in its own name or in a person's, is not a person's word.
  if (bot !== undefined || app !== undefined) return undefined
  const direct = event.channel_type === 'im' || channel.startsWith('D')
  const text = textOf(event.text)
  const thread = is(STAMP, root) ? root : direct ? '' : ts
  // In a channel that is shared with others, people come from their own workspaces.
  const team = [event.user_team, event.source_team, event.team].find((one) => typeof one === 'string') ?? self.team
  const addressed = direct || event.type === 'app_mention' || text.includes(`<@${self.user}>`)
  return {
    type: 'said',
    event: {
      message: ts,
      thread: { team: self.team, channel, thread, direct },
      person: { team: String(team), id: user },
      text: fromSlack(text, self.user),
      files: listOf(event.files).slice(0, MAX_FILES).map(toFile),
      addressed,
      at: Number(ts) * 1000,
    },
  }
}

function toFile(value: unknown): ChatFile {
  const { id, name, mimetype, size } = objectOf(value)
  return {
    id: textOf(id),
    name: textOf(name).slice(0, 200),
    mimeType: textOf(mimetype),
    bytes: typeof size === 'number' ? size : 0,
  }
}

/** Buttons that somebody pressed. */
export function readPressed(payload: Fields, self: SlackSelf): ChatPressed[] {
  const { type, trigger_id: opener } = payload
  const person = personOf(payload, self)
  const thread = threadOf(payload, self)
  if (type !== 'block_actions' || person === undefined || thread === undefined) return []
  return listOf(payload.actions).flatMap((action) => {
    const { value, type: kind } = objectOf(action)
    if (kind !== 'button' || typeof value !== 'string') return []
    return [{ button: value, person, thread, ...(typeof opener === 'string' && { opener }) }]
  })
}

function threadOf(payload: Fields, self: SlackSelf): ChatThread | undefined {
  const container = objectOf(payload.container)
  const channel = objectOf(payload.channel).id ?? container.channel_id
  if (!is(CHANNEL, channel)) return undefined
  const direct = channel.startsWith('D')
  const root = [container.thread_ts, objectOf(payload.message).thread_ts].find((one) => is(STAMP, one))
  const own = is(STAMP, container.message_ts) ? container.message_ts : ''
  return { team: self.team, channel, thread: typeof root === 'string' ? root : direct ? '' : own, direct }
}

function personOf(payload: Fields, self: SlackSelf): ChatPressed['person'] | undefined {
  const { id, team_id: team } = objectOf(payload.user)
  return is(USER, id) ? { team: typeof team === 'string' ? team : self.team, id } : undefined
}

/** The id of the form that was sent, before it is known which that is. */
export function formIdOf(payload: Fields): string | undefined {
  const { private_metadata: id } = objectOf(payload.view)
  return payload.type === 'view_submission' && typeof id === 'string' ? id : undefined
}

/** A form that somebody sent, its fields by the names that they had. */
export function readSubmitted(payload: Fields, form: ChatForm, self: SlackSelf): ChatSubmitted | undefined {
  const person = personOf(payload, self)
  const state = objectOf(objectOf(objectOf(payload.view).state).values)
  if (person === undefined) return undefined
  const values = form.fields.map(({ name, options }, at) => {
    const block = Object.hasOwn(state, `f${at}`) ? objectOf(state[`f${at}`]) : {}
    const [input] = Object.values(block)
    const { value, selected_option: one, selected_options: several } = objectOf(input)
    const pick = (option: unknown): string | undefined => options?.[Number(objectOf(option).value)]?.value
    if (Array.isArray(several)) return [name, several.map(pick).filter((found) => found !== undefined)] as const
    if (options !== undefined) return [name, isObject(one) ? pick(one) : undefined] as const
    return [name, typeof value === 'string' ? value : undefined] as const
  })
  return { form: form.id, person, values: Object.fromEntries(values) }
}

function is(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
