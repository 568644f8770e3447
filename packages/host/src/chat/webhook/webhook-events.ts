/** What the other side of the generic webhook sends, read into the events of the engine. */

import { isObject } from '@portico/sdk/internal'
import type {
  ChatChanged,
  ChatFile,
  ChatPerson,
  ChatPressed,
  ChatSaid,
  ChatSubmitted,
  ChatThread,
} from '../engine/adapter.ts'

type Fields = { readonly [name: string]: unknown }

/** A file with what is in it. */
export interface SentFile extends ChatFile {
  readonly data: Uint8Array
}

type WebhookEvent =
  | { readonly type: 'message'; readonly event: Omit<ChatSaid, 'files'> & { readonly files: readonly SentFile[] } }
  | { readonly type: 'edited' | 'deleted'; readonly event: ChatChanged }
  | { readonly type: 'pressed'; readonly event: ChatPressed }
  | { readonly type: 'submitted'; readonly event: ChatSubmitted }

const MAX_ID = 200
const MAX_FILES = 50

/** The event, or what is wrong with it. */
export function readWebhookEvent(text: string): WebhookEvent | string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return 'the body is not JSON'
  }
  if (!isObject(body)) return 'the body is not an object'
  try {
    return read(body)
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read'
  }
}

function read(body: Fields): WebhookEvent {
  switch (body.type) {
    case 'message':
      return { type: 'message', event: toSaid(body) }
    case 'edited':
      return { type: 'edited', event: { ...toPlace(body), message: id(body, 'message'), text: text(body, 'text') } }
    case 'deleted':
      return { type: 'deleted', event: { ...toPlace(body), message: id(body, 'message') } }
    case 'pressed':
      return { type: 'pressed', event: { button: id(body, 'button'), person: toPerson(body), thread: toThread(body) } }
    case 'submitted':
      return { type: 'submitted', event: { form: id(body, 'form'), person: toPerson(body), values: toValues(body) } }
    default:
      throw new Error('`type` is message, edited, deleted, pressed or submitted')
  }
}

function toSaid(body: Fields): Extract<WebhookEvent, { type: 'message' }>['event'] {
  const thread = toThread(body)
  return {
    message: id(body, 'message'),
    thread,
    person: toPerson(body),
    text: text(body, 'text'),
    addressed: thread.direct || body.addressed === true,
    files: (Array.isArray(body.files) ? body.files : []).slice(0, MAX_FILES).map(toFile),
  }
}

function toPlace(body: Fields): { readonly team: string; readonly channel: string } {
  return { team: id(body, 'team'), channel: id(body, 'channel') }
}

function toThread(body: Fields): ChatThread {
  const { thread = '', direct } = body
  if (typeof thread !== 'string' || thread.length > MAX_ID)
    throw new Error('`thread` is a text of at most 200 characters')
  return { ...toPlace(body), thread, direct: direct === true }
}

function toPerson(body: Fields): ChatPerson {
  const person = isObject(body.person) ? body.person : {}
  return { team: person.team === undefined ? id(body, 'team') : id(person, 'team'), id: id(person, 'id') }
}

function toFile(value: unknown): SentFile {
  const file = isObject(value) ? value : {}
  const data = Buffer.from(text(file, 'data'), 'base64')
  const { mimeType } = file
  return {
    id: id(file, 'id'),
    name: id(file, 'name'),
    mimeType: typeof mimeType === 'string' ? mimeType : '',
    bytes: data.length,
    data,
  }
}

function toValues({ values }: Fields): ChatSubmitted['values'] {
  if (!isObject(values)) throw new Error('`values` is an object')
  const pairs = Object.entries(values).map(([name, value]) => {
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
    if (typeof value !== 'string' && !isList) throw new Error('each of `values` is a text or a list of texts')
    return [name, value as string | readonly string[]] as const
  })
  return Object.fromEntries(pairs)
}

function id(body: Fields, name: string): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof value === 'string' && value !== '' && value.length <= MAX_ID) return value
  throw new Error(`\`${name}\` is a text of 1 to ${MAX_ID} characters`)
}

function text(body: Fields, name: string): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw new Error(`\`${name}\` is a text`)
}
