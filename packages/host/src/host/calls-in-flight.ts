/**
 * Which acts of ours a server is working on, so that what it asks meanwhile is asked as part of the right conversation,
 * and what it asks with nothing under way is known to come from the background.
 */

import type { ActOptions } from './options.ts'

export class CallsInFlight {
  readonly #acts = new Map<string, Set<ActOptions>>()

  /** Notes an act; call what comes back when it is over. */
  enter(server: string, options: ActOptions): () => void {
    const acts = this.#acts.get(server) ?? new Set()
    this.#acts.set(server, acts)
    // A wrapper, since the same options may be used for several acts.
    const act = { ...options }
    acts.add(act)
    return () => acts.delete(act)
  }

  /** The newest act on a server, or undefined when it is idle. A connection does not say more on the older revisions. */
  newest(server: string): ActOptions | undefined {
    return [...(this.#acts.get(server) ?? [])].at(-1)
  }
}
