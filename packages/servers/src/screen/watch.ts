/** Looks at what somebody subscribed to, as often as told and no oftener, and says when it looks different. */

import { createHash } from 'node:crypto'
import type { SubscriptionWatcher } from '../subscribers.ts'

interface WatchOptions {
  readonly everyMs: number
  /** The picture behind a URI; undefined when there is none, or it must not be looked at. */
  readonly look: (uri: string) => Promise<Uint8Array | undefined>
  readonly changed: (uri: string) => void
}

const MAX_WATCHED = 20

export class ScreenWatch implements SubscriptionWatcher {
  readonly #options: WatchOptions
  readonly #held = new Map<string, { count: number; seen: string | undefined }>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: WatchOptions) {
    this.#options = options
  }

  hold(uri: string): void {
    const known = this.#held.get(uri)
    if (known !== undefined) known.count++
    // More than anybody can look at is not watched; to read still works.
    else if (this.#held.size < MAX_WATCHED) this.#held.set(uri, { count: 1, seen: undefined })
    this.#schedule()
  }

  release(uri: string): void {
    const known = this.#held.get(uri)
    if (known !== undefined && --known.count <= 0) this.#held.delete(uri)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#held.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed || this.#held.size === 0) return
    this.#timer = setTimeout(() => void this.#round(), this.#options.everyMs)
    this.#timer.unref()
  }

  async #round(): Promise<void> {
    for (const [uri, held] of this.#held) {
      if (this.#closed) return
      const picture = await this.#options.look(uri).catch(() => undefined)
      if (picture === undefined) continue
      const hash = createHash('sha256').update(picture).digest('base64')
      if (held.seen !== undefined && held.seen !== hash) this.#options.changed(uri)
      held.seen = hash
    }
    this.#timer = undefined
    this.#schedule()
  }
}
