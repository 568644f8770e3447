/**
 * Notices a stream that has gone silent although its server used to send comments to keep it alive: the other end, or the
 * way to it, is gone without a word. Streams without such comments are never judged.
 */

export class Heartbeat {
  readonly #silent: () => void
  readonly #patienceMs: number
  #last = performance.now()
  /** The longest pause that a comment has ended; 0 until there was one. */
  #beatMs = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `patienceMs` is the shortest silence that counts. */
  constructor(silent: () => void, patienceMs = PATIENCE_MS) {
    this.#silent = silent
    this.#patienceMs = patienceMs
  }

  /** Takes note of bytes. */
  seen(chunk: Uint8Array): void {
    const now = performance.now()
    const pause = now - this.#last
    this.#last = now
    if (chunk[0] !== COLON || pause < this.#patienceMs / 20) return
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
    return Math.max(this.#patienceMs, this.#beatMs * 1.33)
  }
}

const COLON = 0x3a
const PATIENCE_MS = 20_000
