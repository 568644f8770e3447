/**
 * Any other chat, by JSON over HTTP: the other side sends what people do to `/chat/events`, and is sent what to show. Both ways are
 * signed. What a person pressed or wrote is believed because whoever has the secret says so.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { checkPageUrl } from '@portico/sdk/auth'
import { timeLimit } from '@portico/sdk/internal'
import { showHidden } from '@portico/sdk/internal-text'
import { PorticoError } from '@portico/sdk/server'
import type { ChatAdapter, ChatMessage, ChatPiece, ChatSink } from '../engine/adapter.ts'
import { wellFormed } from '../engine/well-formed.ts'
import { readWebhookEvent, type SentFile } from './webhook-events.ts'
import { checkWebhook, MAX_WEBHOOK_SKEW_SECONDS, signWebhook } from './webhook-signature.ts'

/** Options of `createWebhookAdapter`. */
export interface WebhookOptions {
  /** In the ids of people; `webhook` unless given. */
  readonly name?: string
  /** Where the other side takes what is to be shown: https, or http on this machine. */
  readonly url: string
  /** Known to both sides: at least 24 characters, or base64 after `whsec_`. */
  readonly secret: string
  readonly fetch?: typeof fetch
  /** Milliseconds between two edits of one message; 1,000 unless given. */
  readonly editMs?: number
}

/** Any other chat. */
export interface WebhookAdapter extends ChatAdapter {
  /** Answers requests to `/chat/events`; undefined for other addresses. */
  handle(request: Request): Promise<Response | undefined>
}

const MIN_SECRET = 24
const TRIES = 5
const TIMEOUT_MS = 15_000
const MAX_WAIT_MS = 60_000
const MAX_HELD_BYTES = 50_000_000
const TEXT_CHARS = 12_000

/**
 * Makes any chat a chat of the engine, by signed JSON over HTTP in both directions.
 *
 * @example
 * ```ts
 * import { createWebhookAdapter } from '@portico/host/chat'
 *
 * const adapter = createWebhookAdapter({ url: 'https://chat.example/bot', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
 * const answer = (request: Request) => adapter.handle(request)
 * ```
 */
export function createWebhookAdapter(options: WebhookOptions): WebhookAdapter {
  if (options.secret.length < MIN_SECRET) {
    throw new PorticoError('invalid-definition', `The secret of a webhook has at least ${MIN_SECRET} characters`)
  }
  return new Webhook(options)
}

class Webhook implements WebhookAdapter {
  readonly name: string
  readonly limits: ChatAdapter['limits']
  readonly #options: WebhookOptions
  readonly #url: URL
  readonly #files = new Map<string, SentFile>()
  readonly #closing = new AbortController()
  #held = 0
  #sink: ChatSink | undefined

  constructor(options: WebhookOptions) {
    this.#options = options
    this.name = options.name ?? 'webhook'
    this.limits = { text: TEXT_CHARS, editMs: options.editMs ?? 1_000 }
    this.#url = checkPageUrl(options.url)
  }

  async start(sink: ChatSink): Promise<void> {
    this.#sink = sink
  }

  async close(): Promise<void> {
    this.#sink = undefined
    this.#closing.abort(new PorticoError('closed', 'The chat host is closed'))
  }

  async handle(request: Request): Promise<Response | undefined> {
    if (new URL(request.url).pathname !== '/chat/events') return undefined
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const body = await request.text()
    const why = checkWebhook(this.#options.secret, request.headers, body, Date.now())
    if (why !== undefined) return Response.json({ error: why }, { status: 401 })
    const sink = this.#sink
    if (sink === undefined) return new Response(null, { status: 503 })
    const found = readWebhookEvent(body)
    if (typeof found === 'string') return Response.json({ error: found }, { status: 400 })
    const id = `webhook ${request.headers.get('webhook-id')}`
    if (!(await sink.once(id, 2 * MAX_WEBHOOK_SKEW_SECONDS * 1000))) return Response.json({ seen: true })
    if (found.type === 'message') {
      this.#hold(found.event.files)
      const files = found.event.files.map(({ data: _, ...file }) => file)
      await sink.said({ ...found.event, files })
    } else if (found.type === 'pressed') await sink.pressed(found.event)
    else if (found.type === 'submitted') {
      const problems = await sink.submitted(found.event)
      return Response.json(problems === undefined ? {} : { problems })
    } else await sink.changed(found.event)
    return Response.json({})
  }

  async post(...[thread, message]: Parameters<ChatAdapter['post']>): Promise<string> {
    const id = randomUUID()
    await this.#send({ type: 'post', id, ...thread, ...toShown(message) })
    return id
  }

  async edit(...[thread, id, message]: Parameters<ChatAdapter['edit']>): Promise<void> {
    await this.#send({ type: 'edit', id, ...thread, ...toShown(message) })
  }

  async whisper(...[thread, person, message]: Parameters<ChatAdapter['whisper']>): Promise<void> {
    await this.#send({ type: 'whisper', ...thread, person, ...toShown(message) })
  }

  async openForm(...[{ thread, person }, form]: Parameters<ChatAdapter['openForm']>): Promise<void> {
    const { title, note, fields, id } = form
    const shown = fields.map(({ label, hint, ...field }) => ({
      ...field,
      label: showHidden(label),
      ...(hint !== undefined && { hint: showHidden(hint) }),
    }))
    await this.#send({
      type: 'form',
      ...thread,
      person,
      form: { id, title: showHidden(title), ...toShown({ pieces: note }), fields: shown },
    })
  }

  async fetchFile(...[{ id }, maxBytes]: Parameters<ChatAdapter['fetchFile']>): Promise<Uint8Array> {
    const file = this.#files.get(id)
    if (file === undefined) throw new PorticoError('invalid-arguments', 'The file is no longer there')
    this.#release(id)
    if (file.data.length > maxBytes)
      throw new PorticoError('limit-exceeded', `The file is larger than ${maxBytes} bytes`)
    return file.data
  }

  async upload(...[thread, { name, mimeType, bytes }]: Parameters<ChatAdapter['upload']>): Promise<void> {
    await this.#send({ type: 'file', ...thread, name, mimeType, data: Buffer.from(bytes).toString('base64') })
  }

  /** Files come with their message and wait here until it is its turn. */
  #hold(files: readonly SentFile[]): void {
    for (const file of files) {
      this.#release(file.id)
      this.#files.set(file.id, file)
      this.#held += file.data.length
    }
    for (const oldest of this.#files.keys()) {
      if (this.#held <= MAX_HELD_BYTES) return
      this.#release(oldest)
    }
  }

  #release(id: string): void {
    this.#held -= this.#files.get(id)?.data.length ?? 0
    this.#files.delete(id)
  }

  /** Tried again under the same id, by which the other side knows what it has had. */
  async #send(message: object): Promise<void> {
    const { secret, fetch: send = fetch } = this.#options
    const id = randomUUID()
    const body = JSON.stringify(message)
    for (let tries = 1; ; tries++) {
      const signal = timeLimit(TIMEOUT_MS, this.#closing.signal)
      const headers = { ...signWebhook(secret, { id, at: Date.now(), body }), 'content-type': 'application/json' }
      let waitMs = 250 * 2 ** tries
      try {
        const response = await send(this.#url, { method: 'POST', headers, body, redirect: 'error', signal })
        await response.body?.cancel()
        if (response.ok) return
        const failure = new PorticoError('http-status', `The chat answered with status ${response.status}`)
        const isPassing = response.status === 429 || response.status >= 500
        if (!isPassing || tries >= TRIES) throw failure
        const seconds = Number(response.headers.get('retry-after'))
        if (seconds > 0) waitMs = Math.min(seconds * 1000, MAX_WAIT_MS)
      } catch (error) {
        if (error instanceof PorticoError || tries >= TRIES || this.#closing.signal.aborted) throw error
      }
      await pause(waitMs, undefined, { signal: this.#closing.signal })
    }
  }
}

/** Pieces as they are, and all of them as one text for chats that show no more. */
function toShown({ pieces, buttons = [] }: ChatMessage): object {
  const shown = pieces.map(
    (piece): ChatPiece => ('text' in piece ? { ...piece, text: showHidden(wellFormed(piece.text)) } : piece),
  )
  const text = shown.map((piece) => {
    if (piece.kind === 'person') return `@${piece.person.id} `
    return piece.kind === 'link' ? piece.url : piece.text
  })
  return {
    pieces: shown,
    text: text.join(''),
    buttons: buttons.map((button) => ({ ...button, label: showHidden(button.label) })),
  }
}
