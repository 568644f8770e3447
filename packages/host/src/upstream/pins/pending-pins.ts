/**
 * Pins on their way to where they are kept: what comes in one moment is one write, and what could not be written stays
 * and is tried again, since a pin that is lost lets a changed definition pass for one that was never seen.
 */

import type { Pin, PinChanges } from './pin.ts'

const AGAIN_MS = 30_000

export class PendingPins {
  readonly #keep: (changes: ReadonlyMap<string, PinChanges>) => Promise<void>
  readonly #failed: (error: Error) => void
  #changes = new Map<string, PinChanges>()
  #writing: Promise<void> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(keep: (changes: ReadonlyMap<string, PinChanges>) => Promise<void>, failed: (error: Error) => void) {
    this.#keep = keep
    this.#failed = failed
  }

  write(server: string, key: string, pin: Pin | undefined): void {
    const open = this.#changes.get(server) ?? { anew: false, pins: new Map() }
    open.pins.set(key, pin)
    this.#changes.set(server, open)
    this.#schedule()
  }

  forget(server: string): void {
    this.#changes.set(server, { anew: true, pins: new Map() })
    this.#schedule()
  }

  /** Resolves when all is written, or could not be. */
  async flush(): Promise<void> {
    if (this.#changes.size > 0) this.#schedule()
    while (this.#writing !== undefined) await this.#writing
  }

  /** What cannot be written from now on is not tried again. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
  }

  #schedule(): void {
    clearTimeout(this.#again)
    this.#writing ??= this.#save().then(
      () => {
        this.#writing = undefined
        // What came between the last write and now.
        if (this.#changes.size > 0) this.#schedule()
      },
      (error: unknown) => {
        this.#writing = undefined
        if (!this.#closed) this.#again = setTimeout(() => this.#schedule(), AGAIN_MS).unref()
        this.#failed(error instanceof Error ? error : new Error(String(error)))
      },
    )
  }

  async #save(): Promise<void> {
    // A moment, so that a whole listing is one write.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#changes.size > 0) {
      const now = this.#changes
      this.#changes = new Map()
      try {
        await this.#keep(now)
      } catch (error) {
        this.#changes = joined(now, this.#changes)
        throw error
      }
    }
  }
}

function joined(
  older: ReadonlyMap<string, PinChanges>,
  newer: ReadonlyMap<string, PinChanges>,
): Map<string, PinChanges> {
  const all = new Map(older)
  for (const [server, changes] of newer) {
    const before = changes.anew ? undefined : older.get(server)
    if (before === undefined) all.set(server, changes)
    else all.set(server, { anew: before.anew, pins: new Map([...before.pins, ...changes.pins]) })
  }
  return all
}
