/**
 * A service of Slack's shape on this machine: the methods that a bot uses, with Slack's own refusals and rate limits, events in
 * socket mode and over signed HTTP, and people who write, press, fill in and upload. It keeps what each person would see.
 */

import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { withLimit } from '../support/wait.ts'
import { whyNotBlocks } from './chat-slack-blocks.ts'

export interface SlackMessage {
  readonly ts: string
  readonly channel: string
  readonly thread?: string
  /** Only this person sees it. */
  readonly only?: string
  text: string
  blocks: readonly Json[]
  edits: number
}

export type Json = { readonly [name: string]: unknown }

export interface SlackView {
  readonly view: Json
  readonly user: string
}

export const BOT = { token: 'xoxb-bot', app: 'xapp-app', secret: 'signing-secret', user: 'UBOT', team: 'T1' } as const
const ANSWER_MS = 90_000
const SCOPES = 'app_mentions:read,chat:write,im:history,channels:history,groups:history,files:read,files:write'

export class SlackService {
  readonly messages: SlackMessage[] = []
  readonly views: SlackView[] = []
  readonly uploads: { readonly name: string; readonly bytes: Buffer; readonly thread?: string }[] = []
  /** Every call of a method, in order. */
  readonly calls: { readonly method: string; readonly status: number; readonly at: number }[] = []
  /** Where events go over HTTP; in socket mode unless given. */
  eventsUrl: string | undefined
  /** How many calls of a method are taken in a second; the others are told to wait. */
  readonly limits = new Map<string, number>()
  readonly #http: Server
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #open = new Set<WebSocket>()
  readonly #files = new Map<string, { readonly name: string; readonly type: string; readonly bytes: Buffer }>()
  readonly #pending = new Map<string, { readonly name: string; bytes?: Buffer }>()
  readonly #triggers = new Map<string, string>()
  readonly #unacknowledged = new Map<string, { readonly envelope: Json; settle(answer: Json | undefined): void }>()
  #clock = Math.floor(Date.now() / 1000) - 600
  url = ''

  constructor() {
    this.#http = createServer((request, response) => void this.#answer(request, response))
    // A bot that is slow must not meet a connection that is just being closed.
    this.#http.keepAliveTimeout = 300_000
    this.#http.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#takeSocket(open))
    })
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.terminate()
    this.#http.closeAllConnections()
    await new Promise<void>((resolve) => this.#http.close(() => resolve()))
  }

  get connected(): boolean {
    return this.#open.size > 0
  }

  /** Ends every connection of socket mode, as Slack does now and then. */
  disconnect(): void {
    for (const socket of this.#open) socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }))
  }

  stamp(): string {
    return `${++this.#clock}.000100`
  }

  addFile(name: string, type: string, bytes: Buffer): Json {
    const id = `F${randomUUID().slice(0, 8).toUpperCase()}`
    this.#files.set(id, { name, type, bytes })
    return { id, name, mimetype: type, size: bytes.length }
  }

  /** An event of a channel; resolves when the bot has acknowledged it. */
  async event(event: Json): Promise<void> {
    await this.deliver('events_api', {
      type: 'event_callback',
      team_id: BOT.team,
      event_id: `Ev${randomUUID()}`,
      event,
    })
  }

  /** What the bot answered. */
  deliver(type: 'events_api' | 'interactive', payload: Json): Promise<Json | undefined> {
    if (this.eventsUrl !== undefined) return this.#post(type, payload)
    const id = randomUUID()
    const envelope = { envelope_id: id, type, payload, accepts_response_payload: type === 'interactive' }
    const answered = new Promise<Json | undefined>((settle) => {
      this.#unacknowledged.set(id, { envelope, settle })
      for (const socket of [...this.#open].slice(-1)) socket.send(JSON.stringify(envelope))
    })
    return withLimit(answered, ANSWER_MS, `the bot acknowledges ${JSON.stringify(payload).slice(0, 200)}`)
  }

  trigger(user: string): string {
    const id = randomUUID()
    this.#triggers.set(id, user)
    return id
  }

  /** A request as Slack signs it, or with other words in the headers. */
  signed(body: string, { at = Date.now(), secret = BOT.secret as string } = {}): { readonly [name: string]: string } {
    const timestamp = String(Math.floor(at / 1000))
    const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` }
  }

  async #post(type: string, payload: Json): Promise<Json | undefined> {
    const isEvent = type === 'events_api'
    const text = JSON.stringify(payload)
    const body = isEvent ? text : new URLSearchParams({ payload: text }).toString()
    const contentType = isEvent ? 'application/json' : 'application/x-www-form-urlencoded'
    const headers = { ...this.signed(body), 'content-type': contentType }
    const path = isEvent ? 'events' : 'interactivity'
    const response = await fetch(`${this.eventsUrl}/slack/${path}`, { method: 'POST', headers, body })
    const answer = await response.text()
    if (response.status !== 200) throw new Error(`the bot answered ${response.status} ${answer}`)
    return answer === '' ? undefined : (JSON.parse(answer) as Json)
  }

  /** What has not been acknowledged is sent again on the next connection. */
  #takeSocket(socket: WebSocket): void {
    this.#open.add(socket)
    socket.on('close', () => this.#open.delete(socket))
    socket.on('message', (data) => {
      const { envelope_id: id, payload } = JSON.parse(String(data)) as { envelope_id: string; payload?: Json }
      this.#unacknowledged.get(id)?.settle(payload)
      this.#unacknowledged.delete(id)
    })
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
    for (const { envelope } of this.#unacknowledged.values()) socket.send(JSON.stringify(envelope))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { pathname } = new URL(request.url ?? '/', this.url)
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    const [, kind = '', name = ''] = pathname.split('/')
    if (kind === 'upload') return this.#takeUpload(name, body, response)
    if (kind === 'file') return this.#giveFile(name, token, response)
    const limit = this.limits.get(name)
    const recent = this.calls.filter(
      ({ method, at, status }) => method === name && status === 200 && Date.now() - at < 1_000,
    )
    const isOver = limit !== undefined && recent.length >= limit
    this.calls.push({ method: name, status: isOver ? 429 : 200, at: Date.now() })
    if (isOver) {
      response.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    const wanted = name === 'apps.connections.open' ? BOT.app : BOT.token
    const isJson = request.headers['content-type']?.startsWith('application/json') === true
    const args = isJson
      ? (JSON.parse(body.toString()) as Json)
      : Object.fromEntries(new URLSearchParams(body.toString()))
    const reply = token === wanted ? this.#call(name, args) : { ok: false, error: 'invalid_auth' }
    response.writeHead(200, { 'content-type': 'application/json', 'x-oauth-scopes': SCOPES }).end(JSON.stringify(reply))
  }

  #call(method: string, args: Json): Json {
    switch (method) {
      case 'auth.test':
        return { ok: true, team_id: BOT.team, team: 'Lamps', user_id: BOT.user, user: 'portico', bot_id: 'B1' }
      case 'apps.connections.open':
        return { ok: true, url: `${this.url.replace('http', 'ws')}/socket` }
      case 'chat.postMessage':
        return this.#keep(args)
      case 'chat.postEphemeral':
        return typeof args.user === 'string' ? this.#keep(args, args.user) : { ok: false, error: 'user_not_in_channel' }
      case 'chat.update':
        return this.#update(args)
      case 'views.open':
        return this.#openView(args)
      case 'files.info':
        return this.#info(String(args.file))
      case 'files.getUploadURLExternal': {
        const id = `F${randomUUID().slice(0, 8).toUpperCase()}`
        this.#pending.set(id, { name: String(args.filename) })
        return { ok: true, file_id: id, upload_url: `${this.url}/upload/${id}` }
      }
      case 'files.completeUploadExternal':
        return this.#complete(args)
      default:
        return { ok: false, error: 'unknown_method' }
    }
  }

  #keep(args: Json, only?: string): Json {
    const { channel, text, blocks, thread_ts: thread } = args
    const why = whyNotBlocks(blocks)
    if (typeof channel !== 'string' || typeof text !== 'string') return { ok: false, error: 'invalid_arguments' }
    if (why !== undefined) return { ok: false, error: 'invalid_blocks', why }
    const ts = this.stamp()
    const place = { ...(typeof thread === 'string' && { thread }), ...(only !== undefined && { only }) }
    this.messages.push({ ts, channel, text, blocks: blocks as Json[], edits: 0, ...place })
    return { ok: true, ts, message_ts: ts, channel }
  }

  #update({ channel, ts, text, blocks }: Json): Json {
    const found = this.messages.find((one) => one.ts === ts && one.channel === channel && one.only === undefined)
    const why = whyNotBlocks(blocks)
    if (found === undefined) return { ok: false, error: 'message_not_found' }
    if (why !== undefined) return { ok: false, error: 'invalid_blocks', why }
    Object.assign(found, { text, blocks, edits: found.edits + 1 })
    return { ok: true, ts, channel }
  }

  #openView({ trigger_id: trigger, view }: Json): Json {
    const user = this.#triggers.get(String(trigger))
    this.#triggers.delete(String(trigger))
    if (user === undefined) return { ok: false, error: 'expired_trigger_id' }
    const why = whyNotBlocks((view as Json).blocks)
    if (why !== undefined) return { ok: false, error: 'invalid_arguments', why }
    this.views.push({ view: view as Json, user })
    return { ok: true, view }
  }

  #info(id: string): Json {
    const file = this.#files.get(id)
    if (file === undefined) return { ok: false, error: 'file_not_found' }
    return { ok: true, file: { id, name: file.name, url_private_download: `${this.url}/file/${id}` } }
  }

  #complete({ files, thread_ts: thread }: Json): Json {
    for (const { id } of files as { readonly id: string }[]) {
      const file = this.#pending.get(id)
      if (file?.bytes === undefined) return { ok: false, error: 'file_not_found' }
      this.uploads.push({ name: file.name, bytes: file.bytes, ...(typeof thread === 'string' && { thread }) })
    }
    return { ok: true, files: [] }
  }

  #takeUpload(id: string, bytes: Buffer, response: ServerResponse): void {
    const file = this.#pending.get(id)
    if (file !== undefined) file.bytes = bytes
    response.writeHead(file === undefined ? 404 : 200).end()
  }

  #giveFile(id: string, token: string, response: ServerResponse): void {
    const file = this.#files.get(id)
    const status = token !== BOT.token ? 403 : file === undefined ? 404 : 200
    response.writeHead(status).end(status === 200 ? file?.bytes : undefined)
  }
}
