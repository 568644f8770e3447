/**
 * Newline framing, as stdio and byte streams use it: one message per line. Transports push the chunks they read; each
 * complete line comes out as text for `parseJson`. A line that is not UTF-8 or too long is reported and skipped, and
 * the next line is read as if nothing had happened. Callbacks must not throw.
 */

import { ByteBuffer } from './byte-buffer.ts'
import { FRAMING_LIMITS, toLimitReason } from './limits.ts'
import { ByteIdFinder, type FoundId } from './message-id.ts'
import type { Receiving } from './receiving.ts'
import { BOM, decodeUtf8, toReadable } from './utf8.ts'

type LineFault = 'utf8' | 'limit'

interface LineDecoderOptions {
  readonly maxBytes?: number
  /** Counts what is held of a line that is not complete. */
  readonly receiving?: Receiving | undefined
  readonly onLine: (text: string) => void
  /**
   * `excerpt` is the start of the line, with bytes that are not UTF-8 replaced. A line that is too long is told of at its
   * end: only then is it sure whether the message in it has an id.
   */
  readonly onFault: (kind: LineFault, reason: string, excerpt: string, found?: FoundId) => void
  /** A line that is too long does not end: what else comes of it is not looked at, and costs time for as long as it comes. */
  readonly onEndless?: (reason: string) => void
}

export interface LineDecoder {
  push(chunk: Uint8Array): void
  /** The bytes have ended: what is left counts as the last line. */
  end(): void
}

export function createLineDecoder(options: LineDecoderOptions): LineDecoder {
  return new Lines(options)
}

/** `text` must hold no newline; `stringifyJson` makes none. */
export function encodeLine(text: string): string {
  return `${text}\n`
}

const LF = 0x0a
const CR = 0x0d
const EXCERPT_BYTES = 80
/** So many times more than it may have, and at least so much, and no end is expected of a line. */
const ENDLESS = 4
const ENDLESS_BYTES = 16 * 1024 * 1024

interface Skipped {
  readonly ids: ByteIdFinder
  readonly start: Uint8Array
  /** Why there was no room for it, unless it is simply too long. */
  readonly reason: string | undefined
  /** What has come of it since. */
  size: number
}

class Lines implements LineDecoder {
  readonly #options: LineDecoderOptions
  readonly #maxBytes: number
  readonly #held = new ByteBuffer()
  /** Set while the rest of a line that is too long is thrown away. */
  #skipped: Skipped | undefined
  #atStart = true

  constructor(options: LineDecoderOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? FRAMING_LIMITS.maxLineBytes
  }

  push(chunk: Uint8Array): void {
    let start = 0
    if (this.#skipped !== undefined || this.#held.length > 0) {
      const end = chunk.indexOf(LF)
      this.#hold(end === -1 ? chunk : chunk.subarray(0, end))
      if (end === -1) return
      this.#finishHeld()
      start = end + 1
    }
    const last = chunk.lastIndexOf(LF)
    if (last >= start) {
      this.#lines(chunk.subarray(start, last))
      start = last + 1
    }
    if (start < chunk.length) this.#hold(start === 0 ? chunk : chunk.subarray(start))
  }

  end(): void {
    this.#finishHeld()
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skipped !== undefined) {
      this.#skip(this.#skipped, bytes)
      return
    }
    // One byte more than the bound, since a CR at the end is part of the line ending.
    const fits = this.#held.length + bytes.length <= this.#maxBytes + 1
    const full = fits ? this.#options.receiving?.add(bytes.length) : undefined
    if (fits && full === undefined) {
      this.#held.append(bytes)
    } else {
      const ids = new ByteIdFinder()
      ids.push(this.#held.view())
      ids.push(bytes)
      if (this.#held.length < EXCERPT_BYTES) this.#held.append(bytes.subarray(0, EXCERPT_BYTES))
      this.#skipped = { ids, start: this.#held.view().slice(0, EXCERPT_BYTES), reason: full, size: 0 }
      this.#held.clear()
      this.#options.receiving?.skip()
    }
  }

  #skip(skipped: Skipped, bytes: Uint8Array): void {
    skipped.ids.push(bytes)
    skipped.size += bytes.length
    if (skipped.size > Math.max(this.#maxBytes * ENDLESS, ENDLESS_BYTES)) {
      this.#options.onEndless?.(`${toLimitReason('maxLineBytes', this.#maxBytes)}, and the line does not end`)
    }
  }

  #finishHeld(): void {
    const skipped = this.#skipped
    this.#skipped = undefined
    if (skipped === undefined) this.#line(this.#held.view())
    else this.#fault('limit', skipped.start, skipped.ids.found(), skipped.reason)
    this.#held.clear()
    this.#options.receiving?.done()
    this.#atStart = false
  }

  /** Whole lines, parted by LF: decoded at once when every one of them is sure to be good. */
  #lines(bytes: Uint8Array): void {
    const text = bytes.length <= this.#maxBytes ? decodeUtf8(bytes) : undefined
    let start = 0
    if (text === undefined) {
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
        this.#line(bytes.subarray(start, end))
        start = end + 1
      }
      this.#line(bytes.subarray(start))
    } else {
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        this.#emit(text, start, end)
        start = end + 1
      }
      this.#emit(text, start, text.length)
    }
  }

  #line(bytes: Uint8Array): void {
    const length = bytes[bytes.length - 1] === CR ? bytes.length - 1 : bytes.length
    const text = length > this.#maxBytes ? undefined : decodeUtf8(bytes)
    if (text === undefined) {
      if (length > this.#maxBytes) {
        const ids = new ByteIdFinder()
        ids.push(bytes)
        this.#fault('limit', bytes, ids.found())
      } else this.#fault('utf8', bytes)
      this.#atStart = false
    } else {
      this.#emit(text, 0, text.length)
    }
  }

  #emit(text: string, from: number, to: number): void {
    const start = this.#atStart && text.charCodeAt(from) === BOM ? from + 1 : from
    this.#atStart = false
    const end = to > start && text.charCodeAt(to - 1) === CR ? to - 1 : to
    if (end > start) this.#options.onLine(text.slice(start, end))
  }

  #fault(kind: LineFault, bytes: Uint8Array, found?: FoundId, full?: string): void {
    const reason = full ?? (kind === 'utf8' ? 'the line is not UTF-8' : toLimitReason('maxLineBytes', this.#maxBytes))
    this.#options.onFault(kind, reason, toReadable(bytes.subarray(0, EXCERPT_BYTES)), found)
  }
}
