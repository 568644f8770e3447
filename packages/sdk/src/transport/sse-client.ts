/**
 * The client's end of HTTP+SSE (2024-11-05): messages come on one event stream, and go out as POSTs to the address that
 * the stream names first. Both together are a `Channel`; `connect/` uses it for servers that know nothing newer.
 */

import { createEventDecoder } from '../framing/event-stream.ts'
import { type JsonLimits, parseJson } from '../framing/json.ts'
import type { Channel, ChannelEvents } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { discard, type HttpAnswer, type HttpCall, type HttpDialer } from './http-client/http-client.ts'

interface SseChannelOptions {
  readonly url: URL
  readonly dialer: HttpDialer
  /** Headers of every request. */
  readonly headers?: () => { readonly [name: string]: string } | Promise<{ readonly [name: string]: string }>
  readonly limits?: JsonLimits & { readonly maxEventBytes?: number }
  readonly signal?: AbortSignal
}

/** Opens the stream; resolves when the server has named the address for messages. */
export function openSseChannel(options: SseChannelOptions): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const channel = new SseChannel(options, resolve, reject)
    const { signal } = options
    const aborted = () =>
      channel.fail(
        new PorticoError('aborted', 'Connecting was cancelled', { cause: signal?.reason, delivery: 'not-sent' }),
      )
    if (signal?.aborted) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
    channel.settled = () => signal?.removeEventListener('abort', aborted)
  })
}

class SseChannel implements Channel {
  readonly label: string
  settled = (): void => {}
  readonly #options: SseChannelOptions
  readonly #resolve: (channel: Channel) => void
  readonly #reject: (error: PorticoError) => void
  readonly #posts = new Set<HttpCall>()
  /** Messages go out one after the other: the server reads them in the order of their arrival. */
  #sending: Promise<void> = Promise.resolve()
  #stream: HttpCall | undefined
  #endpoint: URL | undefined
  #events: ChannelEvents | undefined
  #early: unknown[] = []
  #over: { readonly reason: PorticoError | undefined } | undefined

  constructor(options: SseChannelOptions, resolve: (channel: Channel) => void, reject: (error: PorticoError) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    this.label = `${options.url.origin}${options.url.pathname}`
    void this.#start()
  }

  open(events: ChannelEvents): void {
    this.#events = events
    for (const value of this.#early.splice(0)) events.message(value)
    if (this.#over !== undefined) events.closed(this.#over.reason)
  }

  send(text: string): void {
    this.#sending = this.#sending.then(() => this.#post(text))
  }

  flush(): Promise<void> {
    return this.#sending
  }

  async close(): Promise<void> {
    await Promise.race([this.#sending, new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref?.())])
    this.#end(undefined)
  }

  fail(reason: PorticoError): void {
    this.#end(reason)
  }

  async #start(): Promise<void> {
    const { dialer, url } = this.#options
    const headers = await this.#headers()
    if (headers === undefined || this.#over !== undefined) return
    this.#stream = dialer.request(
      { method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } },
      { answered: (answer) => this.#answered(answer), failed: (error) => this.#end(error) },
    )
  }

  #answered(answer: HttpAnswer): void {
    const type = answer.header('content-type') ?? ''
    if (answer.status !== 200 || !type.startsWith('text/event-stream')) {
      const message = `No event stream: HTTP ${answer.status}`
      this.#end(new PorticoError('http-status', message, { data: { status: answer.status }, delivery: 'not-sent' }))
      return
    }
    const decoder = createEventDecoder({
      maxEventBytes: this.#options.limits?.maxEventBytes,
      onEvent: ({ event, data }) => this.#event(event, data),
      // Whose answer it was nobody can tell from here; so none of them is left waiting.
      onFault: (reason) => this.#end(new PorticoError('limit-exceeded', reason, { delivery: 'unknown' })),
    })
    answer.read({
      data: (chunk) => decoder.push(chunk),
      end: (error) => {
        decoder.end()
        this.#end(error ?? new PorticoError('closed', 'The event stream has ended', { delivery: 'unknown' }))
      },
    })
  }

  #event(event: string, data: string): void {
    if (this.#over !== undefined) return
    if (this.#endpoint === undefined) {
      if (event === 'endpoint') this.#named(data)
      return
    }
    if (event !== 'message' || data === '') return
    const parsed = parseJson(data, this.#options.limits)
    if (!parsed.ok) this.#events?.malformed({ ...parsed, excerpt: data.slice(0, 200) })
    else if (this.#events !== undefined) this.#events.message(parsed.value)
    else this.#early.push(parsed.value)
  }

  /** The address must be on the same origin: a server may not direct this client's messages at others. */
  #named(data: string): void {
    const { url } = this.#options
    const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined
    if (endpoint?.origin !== url.origin) {
      this.#end(
        new PorticoError('invalid-message', 'The endpoint is not on the origin of the stream', {
          delivery: 'not-sent',
        }),
      )
      return
    }
    this.#endpoint = endpoint
    this.settled()
    this.#resolve(this)
  }

  async #post(body: string): Promise<void> {
    const url = this.#endpoint
    const headers = await this.#headers()
    if (headers === undefined || url === undefined || this.#over !== undefined) return
    await new Promise<void>((resolve) => {
      const request = {
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // One that is lost would end the stream, and with it all that is under way: none follows another that may be ending.
        fresh: true,
      } as const
      const call = this.#options.dialer.request(request, {
        answered: (answer) => {
          this.#posts.delete(call)
          discard(answer, call)
          // Whose message was refused nobody can tell from here; so none of them is left waiting.
          if (answer.status >= 300) this.#end(refused(answer.status))
          resolve()
        },
        failed: (error) => {
          this.#posts.delete(call)
          this.#end(error)
          resolve()
        },
      })
      this.#posts.add(call)
    })
  }

  async #headers(): Promise<{ readonly [name: string]: string } | undefined> {
    try {
      return (await this.#options.headers?.()) ?? {}
    } catch (cause) {
      this.#end(new PorticoError('connect-failed', 'The headers could not be made', { cause, delivery: 'not-sent' }))
      return undefined
    }
  }

  #end(reason: PorticoError | undefined): void {
    if (this.#over !== undefined) return
    this.#over = { reason }
    this.settled()
    this.#stream?.abort()
    for (const call of this.#posts) call.abort()
    this.#posts.clear()
    this.#events?.closed(reason)
    // Does nothing once the channel was handed out.
    this.#reject(reason ?? new PorticoError('closed', 'The connection was closed', { delivery: 'not-sent' }))
  }
}

const FLUSH_MS = 1_000

function refused(status: number): PorticoError {
  return new PorticoError('closed', `The server refused a message with HTTP ${status}`, { delivery: 'unknown' })
}
