/**
 * A `Channel` over a pair of Node streams with newline framing: pipes, Unix sockets, TCP. `stdio.ts` and
 * `child-process.ts` build on it; both directions stay bounded, and whatever ends the streams ends in `closed`, once.
 */

import type { Readable, Writable } from 'node:stream'
import { type JsonLimits, parseJson } from '../framing/json.ts'
import { createLineDecoder, encodeLine, type LineDecoder } from '../framing/lines.ts'
import type { Receiving } from '../framing/receiving.ts'
import type { Sending } from '../framing/sending.ts'
import type { Channel, ChannelEvents, Malformed, Urgency } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { type SendLimits, SendQueue } from './send-queue.ts'

/** The most that is taken from a byte stream, and kept for one. */
export interface ByteStreamLimits extends JsonLimits, SendLimits {
  readonly maxLineBytes?: number
}

/** The streams that a channel reads and writes, and its limits. */
export interface ByteStreamOptions {
  /** A socket needs `allowHalfOpen` if answers are to be sent after its peer has ended. */
  readonly readable: Readable
  readonly writable: Writable
  readonly label: string
  readonly limits?: ByteStreamLimits
  /** Counts what is held of a line that is not complete. */
  readonly receiving?: Receiving
  /** Counts what waits for a peer that does not read. */
  readonly sending?: Sending
  /** Lines that were never meant as messages are reported as `noise`: the peer is a program that may also print. */
  readonly toleratesNoise?: boolean
  /** False for streams that outlive the channel, such as the process's own: they are neither ended nor destroyed. */
  readonly owned?: boolean
  /** Writes in place of `writable.write`, where that has been diverted. */
  readonly write?: (text: string, done?: () => void) => boolean
  /** How long what the peer still says is read after writing has failed or ended. */
  readonly lingerMs?: number
  /** How long `close` waits for the peer to take what is queued. */
  readonly closeMs?: number
}

/** A channel over a pair of byte streams, one message on each line. */
export interface ByteStreamChannel extends Channel {
  /** Ends the outgoing direction once all queued messages are written, and goes on reading. */
  end(): Promise<void>
  /** Gives up at once. */
  destroy(reason?: Error): void
  /** Log messages dropped because the peer did not read. */
  readonly dropped: number
}

/**
 * Makes a channel of a readable and a writable stream, one message on each line, for `connect` or `serveChannel`.
 *
 * @example
 * ```ts
 * import { createByteStreamChannel } from '@portico/sdk/socket'
 * import { connect } from '@portico/sdk/client'
 * import { createConnection } from 'node:net'
 *
 * const socket = createConnection({ port: 4000, allowHalfOpen: true })
 * const client = await connect(createByteStreamChannel({ readable: socket, writable: socket, label: 'port 4000' }))
 * ```
 */
export function createByteStreamChannel(options: ByteStreamOptions): ByteStreamChannel {
  return new StreamChannel(options)
}

const DEFAULT_LINGER_MS = 250
const DEFAULT_CLOSE_MS = 5000
const EXCERPT = 200
const MESSAGE_START = /\{\s*"(?:jsonrpc|result|error|method)"\s*:/

class StreamChannel implements ByteStreamChannel {
  readonly label: string
  readonly #options: ByteStreamOptions
  readonly #readable: Readable
  readonly #writable: Writable
  readonly #write: (text: string, done?: () => void) => boolean
  readonly #queue: SendQueue
  readonly #decoder: LineDecoder
  readonly #gone: Promise<void>
  #resolveGone = (): void => {}
  #events: ChannelEvents | undefined
  #closing: Promise<void> | undefined
  #linger: ReturnType<typeof setTimeout> | undefined
  #inputEnded = false
  #outputEnded = false
  #closed = false
  #reason: Error | undefined

  constructor(options: ByteStreamOptions) {
    const { readable, writable, limits } = options
    this.label = options.label
    this.#options = options
    this.#readable = readable
    this.#writable = writable
    this.#write = options.write ?? ((text, done) => writable.write(text, done))
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#queue = new SendQueue({
      ...limits,
      sending: options.sending,
      write: this.#writeLines,
      overflow: (error) => this.#finish(error),
    })
    this.#decoder = createLineDecoder({
      maxBytes: limits?.maxLineBytes,
      receiving: options.receiving,
      onLine: this.#onLine,
      onFault: (kind, reason, excerpt, found) =>
        this.#malformed({ kind: kind === 'limit' ? 'limit' : 'parse', reason, excerpt, found }),
      onEndless: (reason) => this.#finish(new PorticoError('limit-exceeded', reason)),
    })
    // Messages are joined here already; a socket that waits for more to join only delays them.
    if ('setNoDelay' in writable && typeof writable.setNoDelay === 'function') writable.setNoDelay(true)
    writable.on('drain', this.#onDrain)
    writable.on('error', this.#onWriteError)
    writable.on('close', this.#onWriteClose)
    readable.on('error', this.#onReadError)
  }

  get dropped(): number {
    return this.#queue.dropped
  }

  open(events: ChannelEvents): void {
    this.#events = events
    if (this.#closed) {
      queueMicrotask(() => events.closed(this.#reason))
      return
    }
    this.#readable.on('data', this.#onData)
    this.#readable.on('end', this.#onEnd)
    this.#readable.on('close', this.#onReadClose)
    if (this.#readable.readableEnded) queueMicrotask(this.#onEnd)
    else if (this.#readable.destroyed) queueMicrotask(this.#onReadClose)
  }

  send(text: string, urgency?: Urgency, key?: string | number): void {
    if (!this.#outputEnded) this.#queue.push(text, urgency, key)
  }

  async flush(): Promise<void> {
    await this.#queue.flushed()
    if (this.#closed || this.#writable.writableLength === 0 || this.#writable.writableEnded) return
    await new Promise<void>((resolve) => this.#write('', () => resolve()))
  }

  async end(): Promise<void> {
    if (this.#outputEnded) return
    this.#outputEnded = true
    await this.flush()
    if (this.#closed || this.#options.owned === false || this.#writable.destroyed) return
    await new Promise<void>((resolve) => this.#writable.end(() => resolve()))
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  destroy(reason?: Error): void {
    this.#finish(reason)
  }

  /** Ending and then waiting for the peer's own end keeps a socket from being reset with messages still on their way. */
  async #shut(): Promise<void> {
    if (this.#closed) return
    const deadline = setTimeout(() => this.#finish(), this.#options.closeMs ?? DEFAULT_CLOSE_MS)
    await this.end()
    if (this.#closed || this.#inputEnded || this.#options.owned === false) this.#finish()
    else this.#lingerThenFinish(undefined)
    if (this.#events === undefined) this.#readable.once('end', this.#onEnd).resume()
    await this.#gone
    clearTimeout(deadline)
  }

  readonly #writeLines = (texts: string[]): boolean => {
    const only = texts.length === 1 ? texts[0] : undefined
    return this.#write(encodeLine(only ?? texts.join('\n')))
  }

  readonly #onLine = (text: string): void => {
    if (this.#closed) return
    const parsed = parseJson(text, this.#options.limits)
    if (parsed.ok) {
      if (this.#options.toleratesNoise && (typeof parsed.value !== 'object' || parsed.value === null)) {
        this.#malformed({ kind: 'noise', reason: 'not a message', excerpt: text.slice(0, EXCERPT) })
      } else {
        this.#events?.message(parsed.value)
      }
      return
    }
    if (this.#options.toleratesNoise && this.#afterNoise(text)) return
    // A broken message still opens like one; `[info] ready` does not count, since programs print just that.
    const isNoise = this.#options.toleratesNoise && parsed.kind === 'parse' && !text.trimStart().startsWith('{')
    this.#malformed({
      kind: isNoise ? 'noise' : parsed.kind,
      reason: parsed.reason,
      excerpt: text.slice(0, EXCERPT),
      found: parsed.found,
    })
  }

  /** A program that prints without an end of line puts the next message behind its text. True when there was one. */
  #afterNoise(text: string): boolean {
    const at = 1 + text.slice(1).search(MESSAGE_START)
    const parsed = at === 0 ? undefined : parseJson(text.slice(at), this.#options.limits)
    if (!parsed?.ok) return false
    this.#malformed({ kind: 'noise', reason: 'text before a message', excerpt: text.slice(0, Math.min(at, EXCERPT)) })
    if (!this.#closed) this.#events?.message(parsed.value)
    return true
  }

  #malformed(fault: Malformed): void {
    if (!this.#closed) this.#events?.malformed(fault)
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    // A peer that still talks while this side closes is reading too; `closeMs` bounds the courtesy.
    if (this.#closing !== undefined) this.#linger?.refresh()
    this.#decoder.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
  }

  readonly #onDrain = (): void => this.#queue.drained()

  readonly #onEnd = (): void => {
    if (this.#inputEnded || this.#closed) return
    this.#inputEnded = true
    this.#decoder.end()
    if (this.#linger !== undefined || this.#writable.destroyed) this.#finish(this.#reason)
    else if (this.#closing !== undefined) return
    else if (this.#events?.ended !== undefined) this.#events.ended()
    else void this.close()
  }

  readonly #onReadClose = (): void => {
    if (!this.#inputEnded) this.#finish(this.#reason)
  }

  readonly #onReadError = (error: Error): void => this.#finish(toClosedError(error, this.label))

  readonly #onWriteError = (error: Error): void => {
    this.#queue.close()
    this.#outputEnded = true
    const reason = toClosedError(error, this.label)
    // What the peer said before it stopped listening may still lie in the other pipe.
    if (this.#canStillRead()) this.#lingerThenFinish(reason)
    else this.#finish(reason)
  }

  readonly #onWriteClose = (): void => {
    this.#queue.close()
    if (!this.#canStillRead()) {
      this.#finish(this.#reason)
    } else if (!this.#outputEnded) {
      // Not by our own `end`, which goes on reading.
      this.#outputEnded = true
      this.#lingerThenFinish(undefined)
    }
  }

  #canStillRead(): boolean {
    if (this.#options.lingerMs === undefined && this.#closing === undefined) return false
    return !this.#inputEnded && !this.#readable.destroyed
  }

  #lingerThenFinish(reason: Error | undefined): void {
    this.#reason ??= reason
    this.#linger ??= setTimeout(() => this.#finish(this.#reason), this.#options.lingerMs ?? DEFAULT_LINGER_MS)
  }

  #finish(reason?: Error): void {
    if (this.#closed) return
    this.#closed = true
    this.#reason = reason
    this.#outputEnded = true
    clearTimeout(this.#linger)
    this.#options.receiving?.done()
    this.#queue.close()
    this.#release()
    this.#events?.closed(reason)
    this.#resolveGone()
  }

  /** The error listeners stay: what fails after the end concerns nobody, but unheard it would end the process. */
  #release(): void {
    this.#readable.off('data', this.#onData)
    this.#readable.off('end', this.#onEnd)
    this.#readable.off('close', this.#onReadClose)
    this.#writable.off('drain', this.#onDrain)
    this.#writable.off('close', this.#onWriteClose)
    if (this.#options.owned === false) {
      this.#readable.pause()
      return
    }
    this.#readable.destroy()
    this.#writable.destroy()
  }
}

function toClosedError(error: Error, label: string): PorticoError {
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return new PorticoError('closed', `The connection over ${label} failed${code}`, { cause: error })
}
