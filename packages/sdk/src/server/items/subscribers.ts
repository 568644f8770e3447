/**
 * How many subscribe to each resource, on every revision and way of serving together, for authors who watch something
 * only while somebody wants to know of it.
 */

import { tellObserver } from '../../jsonrpc/observer.ts'
import type { LegacySession, SessionWatcher } from '../../session/legacy-session.ts'

/**
 * Called with a resource's URI: for `onSubscribe` when its first subscriber has come, for `onUnsubscribe` when its last
 * one has left.
 */
export type SubscriptionWatcher = (uri: string) => void

export class Subscribers implements SessionWatcher {
  readonly #counts = new Map<string, number>()
  readonly #followed = new WeakSet<LegacySession>()
  readonly #failed: (error: unknown, where: string) => void
  came: SubscriptionWatcher[] = []
  left: SubscriptionWatcher[] = []

  /** `failed` hears what a watcher throws. */
  constructor(failed: (error: unknown, where: string) => void) {
    this.#failed = failed
  }

  add(uri: string): void {
    const count = this.#counts.get(uri) ?? 0
    this.#counts.set(uri, count + 1)
    if (count === 0) this.#tell(this.came, uri, 'onSubscribe')
  }

  remove(uri: string): void {
    const count = this.#counts.get(uri) ?? 0
    if (count > 1) this.#counts.set(uri, count - 1)
    else if (this.#counts.delete(uri)) this.#tell(this.left, uri, 'onUnsubscribe')
  }

  /** Counts out what a session is subscribed to when it ends. */
  follow(session: LegacySession): void {
    if (this.#followed.has(session)) return
    this.#followed.add(session)
    session.onClose(this)
  }

  sessionClosed(session: LegacySession): void {
    for (const uri of session.subscriptions) this.remove(uri)
  }

  /** Goes on with another server's watchers: for the old ones everybody leaves, to the new ones everybody comes. */
  takeOver(other: Subscribers): void {
    for (const uri of this.#counts.keys()) this.#tell(this.left, uri, 'onUnsubscribe')
    this.came = other.came
    this.left = other.left
    for (const uri of this.#counts.keys()) this.#tell(this.came, uri, 'onSubscribe')
  }

  #tell(watchers: readonly SubscriptionWatcher[], uri: string, where: string): void {
    for (const watcher of watchers) {
      tellObserver(
        () => watcher(uri),
        (error) => this.#failed(error, where),
      )
    }
  }
}
