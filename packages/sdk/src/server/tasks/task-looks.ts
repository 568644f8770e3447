/**
 * How often callers ask about tasks. Clients are told how often to look, and nothing makes them keep to it; each look is a read
 * of a store that others share, so whoever looks too often is refused before the store is asked.
 */

import type { ServerCall } from '../call/call.ts'
import { ANYBODY, Buckets } from '../call/call-rate.ts'
import type { TaskLimits } from './task-limits.ts'

export class TaskLooks {
  readonly #named: Buckets
  readonly #anonymous: Buckets

  constructor({ maxLooksPerMinute, maxAnonymousLooksPerMinute }: TaskLimits) {
    this.#named = new Buckets({ callsPerMinute: maxLooksPerMinute }, 'maxLooksPerMinute')
    this.#anonymous = new Buckets({ callsPerMinute: maxAnonymousLooksPerMinute }, 'maxAnonymousLooksPerMinute')
  }

  /** Counts a look, or throws what its caller is answered with. */
  take({ conversation: { principal } }: ServerCall): void {
    if (principal === undefined) this.#anonymous.take(ANYBODY)
    else this.#named.take(principal.id)
  }

  /** Counts what a request has looked at besides. */
  spend({ conversation: { principal } }: ServerCall, count: number): void {
    if (principal === undefined) this.#anonymous.spend(ANYBODY, count)
    else this.#named.spend(principal.id, count)
  }
}
