/**
 * A bus over a database that pushes messages to a connection. After that connection was away, it is made again by itself,
 * and everybody who listens is told that messages may have been lost.
 */

import type { PorticoError } from '@portico/sdk/server'
import type { Bus, BusListener } from '@portico/sdk/state'
import { Link, withLimit } from './link.ts'
import { Listeners } from './listeners.ts'

/** How one kind of database carries messages. */
export interface Carrier {
  publish(topic: string, text: string): Promise<void>
  /** Connects to hear messages. */
  connect(heard: (topic: string, text: string) => void, lost: () => void): Promise<Hearing>
  failure(cause: unknown): PorticoError
}

/** A connection that hears. */
export interface Hearing {
  /** Resolves when whatever is published from now on is heard. */
  listen(topics: readonly string[]): Promise<void>
  ignore(topic: string): void
  /** A sign of life. */
  ping(): Promise<unknown>
  end(): void
}

const BEAT_MS = 10_000
const MAX_REST_MS = 2000

export class RemoteBus implements Bus {
  readonly #carrier: Carrier
  readonly #listeners = new Listeners()
  /** Topics that somebody is about to listen to. */
  readonly #coming = new Map<string, number>()
  readonly #link: Link<Hearing>
  #beat: ReturnType<typeof setInterval> | undefined
  #restoring = false
  #closed = false

  constructor(carrier: Carrier) {
    this.#carrier = carrier
    this.#link = new Link({
      connect: (lost) =>
        carrier.connect(
          (topic, text) => this.#listeners.tell(topic, text),
          () => {
            lost()
            void this.#restore()
          },
        ),
      end: (hearing) => hearing.end(),
      failure: (cause) => carrier.failure(cause),
    })
  }

  publish(topic: string, text: string): Promise<void> {
    return this.#carrier.publish(topic, text)
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    this.#coming.set(topic, (this.#coming.get(topic) ?? 0) + 1)
    try {
      await this.#hear([topic])
      this.#beat ??= startBeat(() => this.#checkLife())
      return this.#listeners.add(topic, listener, () => this.#forget(topic))
    } finally {
      const coming = (this.#coming.get(topic) ?? 1) - 1
      if (coming === 0) this.#coming.delete(topic)
      else this.#coming.set(topic, coming)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#beat)
    this.#listeners.clear()
    this.#link.close()
  }

  /** Listens on the connection that there is in the end: one that was lost meanwhile hears nothing. */
  async #hear(topics: readonly string[]): Promise<void> {
    for (;;) {
      const hearing = await this.#link.get()
      try {
        await hearing.listen(topics)
      } catch (error) {
        this.#link.drop()
        throw this.#carrier.failure(error)
      }
      if ((await this.#link.get()) === hearing) return
    }
  }

  #forget(topic: string): void {
    if (this.#coming.has(topic) || this.#closed) return
    void this.#link.get().then(
      (hearing) => {
        if (!this.#listeners.has(topic) && !this.#coming.has(topic)) hearing.ignore(topic)
      },
      // A connection that is away listens to nothing.
      () => {},
    )
  }

  async #restore(): Promise<void> {
    if (this.#restoring) return
    this.#restoring = true
    for (let rest = 50; !this.#closed && this.#listeners.size > 0; rest = Math.min(MAX_REST_MS, rest * 2)) {
      try {
        await this.#hear(this.#listeners.topics())
        this.#listeners.tellLost()
        break
      } catch {
        await restFor(rest)
      }
    }
    this.#restoring = false
  }

  /** Notices a connection whose other end is gone without a word. */
  async #checkLife(): Promise<void> {
    if (this.#listeners.size === 0) return
    try {
      const hearing = await this.#link.get()
      await withLimit(hearing.ping(), BEAT_MS / 2)
    } catch {
      this.#link.drop()
      await this.#restore()
    }
  }
}

function startBeat(check: () => Promise<void>): ReturnType<typeof setInterval> {
  const timer = setInterval(() => void check(), BEAT_MS)
  timer.unref()
  return timer
}

/** Keeps no process alive. */
function restFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
