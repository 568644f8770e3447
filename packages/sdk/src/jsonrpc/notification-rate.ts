/**
 * Holds the messages that may be left out, logs and progress, to so many a second. Event streams and duplex connections
 * each put one before their queue: that one bounds what waits for a slow reader, this one what a quick reader must hear.
 */

import type { Channel, Urgency } from './channel.ts'

export class NotificationRate {
  readonly #perSecond: number
  readonly #sink: Pick<Channel, 'send'>
  #second = 0
  #sentThisSecond = 0
  #dropped = 0
  /** The newest progress by key that came too soon; sent with the next second or the next message that must be. */
  #early: Map<string | number, string> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(perSecond: number, sink: Pick<Channel, 'send'>) {
    this.#perSecond = perSecond
    this.#sink = sink
  }

  /** How many messages were left out so far. */
  get dropped(): number {
    return this.#dropped
  }

  send(text: string, urgency: Urgency = 'keep', key?: string | number): void {
    if (urgency === 'keep') {
      if (this.#early !== undefined) this.flush()
      this.#sink.send(text, urgency, key)
    } else if (this.#isWithinRate()) {
      this.#sink.send(text, urgency, key)
    } else if (urgency === 'progress' && key !== undefined) {
      this.#early ??= new Map()
      if (this.#early.has(key)) this.#dropped++
      this.#early.set(key, text)
      this.#timer ??= setTimeout(() => this.flush(), this.#second + 1000 - Date.now())
    } else {
      this.#dropped++
    }
  }

  /** Sends the progress that came too soon. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const early = this.#early
    this.#early = undefined
    if (early === undefined || this.#closed) return
    for (const [key, text] of early) this.#sink.send(text, 'progress', key)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#early = undefined
  }

  #isWithinRate(): boolean {
    const now = Date.now()
    // A clock that was set back starts a new second too.
    if (now - this.#second >= 1000 || now < this.#second) {
      this.#second = now
      this.#sentThisSecond = 0
    }
    if (this.#sentThisSecond >= this.#perSecond) return false
    this.#sentThisSecond++
    return true
  }
}
