/** Slack as a chat of the engine: socket mode, or requests over HTTP that are signed. */

import { isObject } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import { callListener } from '../../config/call-listener.ts'
import type { ChatAdapter, ChatForm, ChatSink, ChatThread } from '../engine/adapter.ts'
import { SlackApi } from './slack-api.ts'
import { toPost, toView } from './slack-blocks.ts'
import { formIdOf, readEvent, readPressed, readSubmitted, type SlackSelf } from './slack-events.ts'
import { MAX_SKEW_SECONDS, whyNotSlack } from './slack-signature.ts'
import { SlackSocket } from './slack-socket.ts'

/** Options of `createSlackAdapter`. Give `appToken` for socket mode, or `signingSecret` for HTTP. */
export interface SlackOptions {
  /** `xoxb-…` */
  readonly botToken: string
  /** `xapp-…` with `connections:write`: events come over a WebSocket that this side opens. */
  readonly appToken?: string
  /** Events come as signed requests, which `handle` answers. */
  readonly signingSecret?: string
  /** Where Slack's methods are; `https://slack.com/api` unless given. */
  readonly base?: string
  readonly fetch?: typeof fetch
  readonly onWarning?: (message: string) => void
}

/** Slack as a chat. */
export interface SlackAdapter extends ChatAdapter {
  /** Answers Slack's requests in HTTP mode, at `/slack/events` and `/slack/interactivity`; undefined for other addresses. */
  handle(request: Request): Promise<Response | undefined>
}

/**
 * Makes Slack a chat of the engine: events in socket mode or over HTTP, messages as rich text in which nothing is read as
 * a mention or link.
 *
 * @example
 * ```ts
 * import { createSlackAdapter } from '@portico/host/chat'
 *
 * const adapter = createSlackAdapter({ botToken: 'xoxb-…', signingSecret: '…' })
 * const answer = (request: Request) => adapter.handle(request)
 * ```
 */
export function createSlackAdapter(options: SlackOptions): SlackAdapter {
  if ((options.appToken === undefined) === (options.signingSecret === undefined)) {
    throw new PorticoError(
      'invalid-definition',
      'Give `appToken` for socket mode, or `signingSecret` for HTTP, and not both',
    )
  }
  return new Slack(options)
}

/** Slack takes up to 40,000 characters in a message, and shows far fewer without asking for a click. */
const TEXT_CHARS = 8_000
const EDIT_MS = 1_500
const MAX_FORMS = 1_000

type Fields = { readonly [name: string]: unknown }

class Slack implements SlackAdapter {
  readonly name = 'slack'
  readonly limits = { text: TEXT_CHARS, editMs: EDIT_MS }
  readonly #options: SlackOptions
  readonly #api: SlackApi
  readonly #forms = new Map<string, ChatForm>()
  #socket: SlackSocket | undefined
  #sink: ChatSink | undefined
  #self: SlackSelf = { team: '', user: '' }

  constructor(options: SlackOptions) {
    this.#options = options
    this.#api = new SlackApi({ ...options, token: options.botToken })
  }

  async start(sink: ChatSink): Promise<void> {
    const { team_id: team, user_id: user } = await this.#api.call('auth.test', {})
    this.#self = { team: String(team), user: String(user) }
    this.#sink = sink
    const { appToken } = this.#options
    if (appToken === undefined) return
    this.#socket = new SlackSocket({
      api: new SlackApi({ ...this.#options, token: appToken }),
      receive: (type, payload) => this.#receive(type, payload),
      warn: (error) => this.#warn(error),
    })
    await this.#socket.start()
  }

  async close(): Promise<void> {
    this.#sink = undefined
    this.#socket?.close()
    this.#api.close()
  }

  async handle(request: Request): Promise<Response | undefined> {
    const { pathname } = new URL(request.url)
    const { signingSecret } = this.#options
    if (signingSecret === undefined || !/^\/slack\/(?:events|interactivity)$/.test(pathname)) return undefined
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const body = await request.text()
    const timestamp = request.headers.get('x-slack-request-timestamp')
    const signature = request.headers.get('x-slack-signature')
    const why = whyNotSlack({ timestamp, signature, body }, signingSecret, Date.now())
    if (why !== undefined) return refuse(why)
    // While we begin or end, Slack tries again.
    if (this.#sink === undefined) return new Response(null, { status: 503 })
    const isNew = await this.#sink.once(`slack request ${signature}`, 2 * MAX_SKEW_SECONDS * 1000)
    if (!isNew) return refuse('it was sent before')
    const payload = readBody(pathname, body)
    if (payload === undefined) return new Response(null, { status: 400 })
    if (payload.type === 'url_verification')
      return Response.json({ challenge: String(payload.challenge).slice(0, 500) })
    const answer = await this.#receive(pathname.endsWith('/events') ? 'events_api' : 'interactive', payload)
    return answer === undefined ? new Response(null, { status: 200 }) : Response.json(answer)
  }

  async post(thread: ChatThread, message: Parameters<ChatAdapter['post']>[1]): Promise<string> {
    const { ts } = await this.#api.call('chat.postMessage', { ...placeOf(thread), ...toPost(message) })
    return String(ts)
  }

  async edit({ channel }: ChatThread, id: string, message: Parameters<ChatAdapter['edit']>[2]): Promise<void> {
    const { unfurl_links: _, unfurl_media: __, ...post } = toPost(message)
    await this.#api.call('chat.update', { channel, ts: id, ...post })
  }

  async whisper(...[thread, person, message]: Parameters<ChatAdapter['whisper']>): Promise<void> {
    const { unfurl_links: _, unfurl_media: __, ...post } = toPost(message)
    await this.#api.call('chat.postEphemeral', { ...placeOf(thread), user: person.id, ...post })
  }

  async openForm(...[pressed, form]: Parameters<ChatAdapter['openForm']>): Promise<void> {
    if (pressed.opener === undefined)
      throw new PorticoError('invalid-arguments', 'Slack opens forms after a click only')
    this.#forms.set(form.id, form)
    const [oldest] = this.#forms.keys()
    if (this.#forms.size > MAX_FORMS && oldest !== undefined) this.#forms.delete(oldest)
    await this.#api.call('views.open', { trigger_id: pressed.opener, view: toView(form) })
  }

  async fetchFile(...[file, maxBytes, signal]: Parameters<ChatAdapter['fetchFile']>): Promise<Uint8Array> {
    const { file: info } = await this.#api.call('files.info', { file: file.id })
    const url = isObject(info) ? info.url_private_download : undefined
    if (typeof url !== 'string') throw new PorticoError('invalid-arguments', 'The file is not kept by Slack')
    return this.#api.download(url, maxBytes, signal)
  }

  async upload(...[thread, { name, bytes }]: Parameters<ChatAdapter['upload']>): Promise<void> {
    const length = bytes.length
    const { upload_url: url, file_id: id } = await this.#api.call('files.getUploadURLExternal', {
      filename: name,
      length,
    })
    await this.#api.put(String(url), bytes)
    const { channel, thread_ts } = placeOf(thread)
    await this.#api.call('files.completeUploadExternal', {
      files: [{ id: String(id), title: name }],
      channel_id: channel ?? '',
      ...(thread_ts !== undefined && { thread_ts }),
    })
  }

  async #receive(type: string, payload: Fields): Promise<object | undefined> {
    const sink = this.#sink
    if (sink === undefined) throw new PorticoError('closed', 'The chat host is closed')
    if (type === 'events_api') {
      const found = readEvent(payload, this.#self)
      if (found?.type === 'said') await sink.said(found.event)
      if (found?.type === 'changed') await sink.changed(found.event)
      return undefined
    }
    if (type !== 'interactive') return undefined
    const form = formIdOf(payload)
    if (form !== undefined) return this.#submit(sink, form, payload)
    // A click is acknowledged within three seconds, whatever it leads to.
    for (const pressed of readPressed(payload, this.#self)) {
      void sink.pressed(pressed).catch((error) => this.#warn(error))
    }
    return undefined
  }

  async #submit(sink: ChatSink, id: string, payload: Fields): Promise<object | undefined> {
    const form = this.#forms.get(id)
    const event = form === undefined ? undefined : readSubmitted(payload, form, this.#self)
    if (form === undefined || event === undefined) return { response_action: 'clear' }
    const problems = await sink.submitted(event)
    if (problems === undefined) {
      this.#forms.delete(id)
      return undefined
    }
    const errors = form.fields.flatMap(({ name }, at) =>
      Object.hasOwn(problems, name) ? [[`f${at}`, String(problems[name])]] : [],
    )
    return { response_action: 'errors', errors: Object.fromEntries(errors) }
  }

  #warn(error: unknown): void {
    callListener(this.#options.onWarning, error instanceof Error ? error.message : String(error))
  }
}

function placeOf({ channel, thread }: ChatThread): { channel: string; thread_ts?: string } {
  return { channel, ...(thread !== '' && { thread_ts: thread }) }
}

function refuse(why: string): Response {
  return new Response(`This request is refused: ${why}.\n`, { status: 401 })
}

function readBody(pathname: string, body: string): Fields | undefined {
  try {
    const text = pathname.endsWith('/events') ? body : (new URLSearchParams(body).get('payload') ?? '')
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
