/**
 * The body of a web `Response` that an event stream is written to. Its reader pulls; `write` tells when it has fallen
 * behind. `fetch-handler.ts` makes one for each stream.
 */

import type { StreamWriter } from '../transport/http-reply.ts'

export class WebStreamWriter implements StreamWriter {
  readonly readable: ReadableStream<Uint8Array>
  readonly #onEnd: () => void
  readonly #closeActions: (() => void)[] = []
  readonly #cancelActions: (() => void)[] = []
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #drain: (() => void) | undefined
  #closed = false

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#drain?.(),
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

  onDrain(action: () => void): void {
    this.#drain = action
  }

  onClose(action: () => void): void {
    this.#closeActions.push(action)
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
    for (const action of this.#closeActions.splice(0)) action()
  }
}

const ENCODER = new TextEncoder()
