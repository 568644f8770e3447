/**
 * The body of a web `Response` that an event stream is written to. Its reader pulls; `write` tells when it has fallen
 * behind. `fetch-handler.ts` makes one for each stream. Whoever writes gives up a reader that takes nothing; what is
 * left when the last was written is watched here.
 */

import { allowedMs } from '../../framing/pace.ts'
import type { Sending } from '../../framing/sending.ts'
import { unref } from '../../transport/http-heartbeat.ts'
import type { StreamEvents, StreamWriter } from '../../transport/http-reply.ts'

/** How much may wait for the reader, and how long. */
interface StreamBounds {
  readonly sending: Sending
  readonly stalledMs: number
}

/** What the reader may leave lying about before it is behind. */
const HIGH_WATER = 64 * 1024

export class WebStreamWriter implements StreamWriter {
  readonly readable: ReadableStream<Uint8Array>
  readonly sending: Sending | undefined
  readonly stalledMs: number | undefined
  readonly #onEnd: () => void
  readonly #cancelActions: (() => void)[] = []
  #events: StreamEvents | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #closed = false
  /** Runs once all is written and not yet taken. */
  #stalled: ReturnType<typeof setTimeout> | undefined

  constructor(onEnd: () => void, bounds?: StreamBounds) {
    this.#onEnd = onEnd
    this.sending = bounds?.sending
    this.stalledMs = bounds?.stalledMs
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => {
          if (this.#stalled === undefined) this.#events?.drained()
          else this.#finish()
        },
        cancel: () => {
          // From here on the controller throws.
          this.#controller = undefined
          for (const action of this.#cancelActions) action()
          this.#close()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER }),
    )
  }

  write(text: string): boolean {
    if (this.#closed || this.#controller === undefined) return true
    this.#controller.enqueue(ENCODER.encode(text))
    return (this.#controller.desiredSize ?? 0) > 0
  }

  open(events: StreamEvents): void {
    this.#events = events
    if (this.#closed) queueMicrotask(() => events.closed())
  }

  onCancel(action: () => void): void {
    this.#cancelActions.push(action)
  }

  end(): void {
    if (this.#closed || this.#stalled !== undefined) return
    this.#onEnd()
    const { desiredSize = null } = this.#controller ?? {}
    if (desiredSize === null || desiredSize > 0 || this.stalledMs === undefined) this.#finish()
    // A stream that is closed no longer tells what is taken of it.
    else if (this.sending?.waits(HIGH_WATER - desiredSize) !== undefined) this.abort()
    else this.#watch(this.stalledMs, desiredSize)
  }

  /** The reader is waited for while it takes some from one look to the next. */
  #watch(stalledMs: number, before: number): void {
    const look = (): void => {
      const now = this.#controller?.desiredSize ?? before
      if (now <= before) {
        this.abort()
        return
      }
      this.sending?.waits(HIGH_WATER - now)
      this.#watch(stalledMs, now)
    }
    this.#stalled = setTimeout(look, allowedMs(stalledMs, HIGH_WATER - before))
    unref(this.#stalled)
  }

  abort(): void {
    if (this.#closed) return
    this.#controller?.error(new DOMException('The reader is too slow', 'AbortError'))
    // From here on the controller throws.
    this.#controller = undefined
    for (const action of this.#cancelActions) action()
    this.#close()
  }

  /** The reader is known to be gone. An error would reach nobody but the platform, which would report it. */
  abandon(): void {
    if (this.#closed) return
    this.#controller?.close()
    this.#close()
  }

  #finish(): void {
    this.#controller?.close()
    this.#close()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#stalled)
    this.sending?.waits(0)
    this.#events?.closed()
  }
}

const ENCODER = new TextEncoder()
