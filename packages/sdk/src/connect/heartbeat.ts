/**
 * Notices a stream that has gone silent although its server used to send comments to keep it alive: the other end, or the
 * way to it, is gone without a word. Streams without such comments are never judged.
 */

export class Heartbeat {
  readonly #silent: () => void
  #last = performance.now()
  /** The longest pause that a comment has ended; 0 until there was one. */
  #beatMs = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(silent: () => void) {
    this.#silent = silent
  }

  /** Takes note of bytes. */
  seen(chunk: Uint8Array): void {
    const now = performance.now()
    const pause = now - this.#last
    this.#last = now
    if (chunk[0] !== COLON || pause < SHORTEST_BEAT_MS) return
    this.#beatMs = Math.max(this.#beatMs, pause)
    this.#timer ??= setTimeout(() => this.#look(), this.#patience())
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One timer for the whole stream: it is set anew when it fires, not with every chunk. */
  #look(): void {
    const left = this.#last + this.#patience() - performance.now()
    if (left <= 0) this.#silent()
    else this.#timer = setTimeout(() => this.#look(), left)
  }

  #patience(): number {
    return Math.max(SHORTEST_PATIENCE_MS, this.#beatMs * 1.33)
  }
}

const COLON = 0x3a
const SHORTEST_BEAT_MS = 1_000
const SHORTEST_PATIENCE_MS = 20_000
