/**
 * Server-sent events, as the HTTP transports use them: the server's side encodes messages into events, the client's side
 * decodes the bytes of a response. Decoding follows the WHATWG algorithm with two differences that MCP needs: an event
 * whose data is present but empty is reported (2025-11-25 sends one to make its id known), and bytes that are not UTF-8
 * are a fault, not U+FFFD inside a message. Callbacks must not throw.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import { ByteBuffer } from './byte-buffer.ts'
import { FRAMING_LIMITS, toLimitReason } from './limits.ts'
import { BOM, decodeUtf8, utf8Length } from './utf8.ts'

export interface OutgoingEvent {
  readonly data: string
  readonly id?: string
  readonly event?: string
  /** Milliseconds that the client shall wait before it connects again. */
  readonly retry?: number
}

export interface IncomingEvent {
  readonly data: string
  /** The id in force: this event's own or the last one before it; empty when there was none. */
  readonly id: string
  /** `message` when the stream names none. */
  readonly event: string
}

interface EventDecoderOptions {
  readonly maxEventBytes?: number
  readonly onEvent: (event: IncomingEvent) => void
  /** The number as sent; what is a sensible wait is for the caller to judge. */
  readonly onRetry?: (ms: number) => void
  /** An event was left out; its id is not taken over, so that resuming asks for it again. */
  readonly onFault: (reason: string) => void
}

interface EventDecoder {
  readonly lastEventId: string
  push(chunk: Uint8Array): void
  /** The bytes have ended: an event without its closing blank line is dropped. */
  end(): void
}

/** CR and CRLF within the data arrive as LF: the format has no way to carry them. */
export function encodeEvent({ data, id, event, retry }: OutgoingEvent): string {
  let head = ''
  if (event !== undefined) head += `event: ${toFieldValue('name', event)}\n`
  if (id !== undefined) head += `id: ${toFieldValue('id', id)}\n`
  if (retry !== undefined) head += `retry: ${Math.max(0, Math.trunc(retry))}\n`
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`
  return `${head}data: ${data.split(LINE_ENDING).join('\ndata: ')}\n\n`
}

/** Keeps a connection alive without being seen by anybody. */
export function encodeComment(text: string): string {
  return `: ${text.split(LINE_ENDING).join('\n: ')}\n\n`
}

export function createEventDecoder(options: EventDecoderOptions): EventDecoder {
  return new Events(options)
}

const LINE_ENDING = /\r\n|\r|\n/
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
/** What comments may come to between two events, whatever the bound on an event: years of heartbeats. */
const LEAST_NOISE_BYTES = 16 * 1024 * 1024

class Events implements EventDecoder {
  lastEventId = ''
  readonly #options: EventDecoderOptions
  readonly #maxBytes: number
  /** The start of a line whose end has not come. */
  readonly #held = new ByteBuffer()
  #data: string[] = []
  #id: string | undefined
  #event = ''
  #size = 0
  /** Bytes since the last event that were part of none. */
  #noise = 0
  #faulted = false
  #skippingLine = false
  #afterCr = false
  #atStart = true

  constructor(options: EventDecoderOptions) {
    this.#options = options
    this.#maxBytes = options.maxEventBytes ?? FRAMING_LIMITS.maxEventBytes
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    // The second half of a CRLF that the chunks have parted.
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0
    this.#afterCr = chunk[chunk.length - 1] === CR
    if (this.#skippingLine || this.#held.length > 0) {
      const end = firstLineEnd(chunk, start)
      this.#hold(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (end === -1) return
      if (!this.#skippingLine) this.#lineBytes(this.#held.view())
      this.#held.clear()
      this.#skippingLine = false
      start = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1
    }
    const tail = lastLineEnd(chunk) + 1
    if (tail > start) {
      this.#lines(chunk.subarray(start, tail))
      start = tail
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start))
  }

  end(): void {
    this.#held.clear()
    this.#reset()
    this.#skippingLine = false
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skippingLine) return
    if (!this.#faulted && this.#size + this.#held.length + bytes.length <= this.#maxBytes) {
      this.#held.append(bytes)
    } else if (bytes.length > 0) {
      // Too long, or of an event that is given up already: only the end of the line still matters.
      this.#fault(toLimitReason('maxEventBytes', this.#maxBytes))
      this.#held.clear()
      this.#skippingLine = true
      this.#atStart = false
    }
  }

  /** Whole lines with their endings, decoded at once; line by line only when some byte among them is bad. */
  #lines(bytes: Uint8Array): void {
    const text = decodeUtf8(bytes)
    if (text === undefined) {
      for (let start = 0; start < bytes.length; ) {
        const end = firstLineEnd(bytes, start)
        this.#lineBytes(bytes.subarray(start, end))
        start = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1
      }
      return
    }
    const isAscii = text.length === bytes.length
    // Looked up again only when passed: a stream without CR is searched for it once, not once per line.
    let cr = text.indexOf('\r')
    let lf = text.indexOf('\n')
    for (let start = 0; start < text.length; ) {
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start)
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start)
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
      const line = text.slice(start, end)
      this.#line(line, isAscii ? line.length : utf8Length(line))
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1
    }
  }

  #lineBytes(bytes: Uint8Array): void {
    const text = decodeUtf8(bytes)
    if (text !== undefined) this.#line(text, bytes.length)
    else {
      this.#atStart = false
      if (this.#fits(bytes.length)) this.#fault('the event is not UTF-8')
    }
  }

  #line(raw: string, size: number): void {
    const line = this.#atStart && raw.charCodeAt(0) === BOM ? raw.slice(1) : raw
    this.#atStart = false
    if (line === '') this.#dispatch()
    else if (!this.#faulted && this.#fits(size)) {
      const colon = line.indexOf(':')
      if (colon === 0) {
        this.#pass(size + 1)
        return
      }
      this.#size += size
      if (colon === -1) this.#field(line, '')
      else this.#field(line.slice(0, colon), line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1))
    }
  }

  #fits(size: number): boolean {
    const isWithin = this.#size + size <= this.#maxBytes
    if (!isWithin) this.#fault(toLimitReason('maxEventBytes', this.#maxBytes))
    return isWithin
  }

  /** Heartbeats are welcome for ever, but a body that unpacks to nothing else is no stream of events. */
  #pass(size: number): void {
    this.#noise += size
    if (this.#noise <= Math.max(this.#maxBytes, LEAST_NOISE_BYTES)) return
    this.#noise = 0
    this.#fault(toLimitReason('maxEventBytes', this.#maxBytes))
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#event = value
    else if (name === 'id') {
      if (!value.includes('\0')) this.#id = value
    } else if (name === 'retry' && /^[0-9]+$/.test(value)) {
      this.#options.onRetry?.(Math.min(Number(value), Number.MAX_SAFE_INTEGER))
    }
  }

  /** An event that was given up has neither id nor data left. */
  #dispatch(): void {
    const data = this.#data
    const event = this.#event || 'message'
    if (data.length > 0) this.#noise = 0
    else this.#pass(this.#size + 1)
    if (this.#id !== undefined) this.lastEventId = this.#id
    this.#reset()
    if (data.length > 0) this.#options.onEvent({ data: data.join('\n'), id: this.lastEventId, event })
  }

  #fault(reason: string): void {
    if (this.#faulted) return
    this.#reset()
    this.#faulted = true
    this.#options.onFault(reason)
  }

  #reset(): void {
    if (this.#data.length > 0) this.#data = []
    this.#id = undefined
    this.#event = ''
    this.#size = 0
    this.#faulted = false
  }
}

function toFieldValue(what: string, value: string): string {
  if (value.includes('\n') || value.includes('\r') || value.includes('\0')) {
    throw new PorticoError('invalid-definition', `the ${what} of an event may hold no CR, LF or NUL`)
  }
  return value
}

function firstLineEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF || bytes[at] === CR) return at
  }
  return -1
}

function lastLineEnd(bytes: Uint8Array): number {
  const lf = bytes.lastIndexOf(LF)
  const cr = bytes.subarray(lf + 1).lastIndexOf(CR)
  return cr === -1 ? lf : lf + 1 + cr
}
