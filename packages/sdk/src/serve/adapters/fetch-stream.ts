/**
 * The body of a web `Response` that an event stream is written to. Its reader pulls; `write` tells when it has fallen
 * behind. `fetch-handler.ts` makes one for each stream.
 */

import type { StreamEvents, StreamWriter } from '../../transport/http-reply.ts'

export class WebStreamWriter implements StreamWriter {
  readonly readable: ReadableStream<Uint8Array>
  readonly #onEnd: () => void
  readonly #cancelActions: (() => void)[] = []
  #events: StreamEvents | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #closed = false

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#events?.drained(),
        cancel: () => {
          // From here on the controller throws.
          this.#controller = undefined
          for (const action of this.#cancelActions) action()
          this.#close()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
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
    if (this.#closed) return
    this.#onEnd()
    this.#controller?.close()
    this.#close()
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

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#events?.closed()
  }
}

const ENCODER = new TextEncoder()
