/**
 * Keep-alive comments for all open event streams of one server, from one timer, so that ten thousand quiet listeners
 * cost no timer each. Event streams join when they open and leave when they close.
 */

export interface HeartbeatStream {
  beat(): void
}

export class Heartbeat {
  readonly #intervalMs: number
  readonly #streams = new Set<HeartbeatStream>()
  #timer: ReturnType<typeof setInterval> | undefined

  /** An interval of 0 switches keep-alive off. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  get size(): number {
    return this.#streams.size
  }

  add(stream: HeartbeatStream): void {
    if (this.#intervalMs <= 0) return
    this.#streams.add(stream)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#beat(), this.#intervalMs)
      unref(this.#timer)
    }
  }

  delete(stream: HeartbeatStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }
}

/** Lets the process end although the timer runs, where the runtime has such a notion. */
export function unref(timer: unknown): void {
  // Node's timers are objects with `unref`; elsewhere they are numbers, on which the member reads as undefined.
  ;(timer as { unref?: () => void }).unref?.()
}
