/** Listeners by event, for the parts of this folder that report something. One that throws or rejects harms nobody. */

import { requireName } from '@portico/sdk/internal'
import { callListener } from '../../config/call-listener.ts'

export class Listeners<Events> {
  readonly #names: readonly string[]
  readonly #listeners = new Map<keyof Events, Set<(value: never) => void>>()

  /** Takes every event that there is. */
  constructor(events: { readonly [Event in keyof Events]: true }) {
    this.#names = Object.keys(events)
  }

  /** Adds a listener; the function that comes back removes it. */
  on<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void {
    requireName('event', event, this.#names)
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  has(event: keyof Events): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      // `on` admits only listeners of this event's type under its name.
      callListener(listener as (value: Events[E]) => void, value)
    }
  }
}
