/**
 * Counts what is going on at once, for the whole server and for each principal, and says no when a bound is reached.
 * Requests and listeners are counted apart: a listener may stay for days and costs next to nothing meanwhile.
 */

import type { Principal } from '../auth/principal.ts'
import type { Refusal } from './http-refusal.ts'
import type { ServeLimits } from './limits.ts'

export type LoadKind = 'request' | 'listener'

const RETRY_AFTER = ['retry-after', '1'] as const

export class Load {
  readonly #requests: Tally
  readonly #listeners: Tally
  #onIdle: (() => void)[] = []

  constructor(limits: ServeLimits) {
    this.#requests = new Tally('maxInFlight', limits.maxInFlight, limits.maxInFlightPerPrincipal)
    this.#listeners = new Tally('maxListeners', limits.maxListeners, limits.maxListenersPerPrincipal)
  }

  get inFlight(): number {
    return this.#requests.total
  }

  get listeners(): number {
    return this.#listeners.total
  }

  /** Counts `count` more, or says why not and counts nothing. */
  enter(kind: LoadKind, principal: Principal | undefined, count = 1): Refusal | undefined {
    return this.#tally(kind).enter(principal, count)
  }

  leave(kind: LoadKind, principal: Principal | undefined, count = 1): void {
    this.#tally(kind).leave(principal, count)
    if (this.#onIdle.length > 0 && this.inFlight === 0) for (const action of this.#onIdle.splice(0)) action()
  }

  /** Calls back once no request is being worked on. */
  onIdle(action: () => void): void {
    if (this.inFlight === 0) action()
    else this.#onIdle.push(action)
  }

  #tally(kind: LoadKind): Tally {
    return kind === 'request' ? this.#requests : this.#listeners
  }
}

class Tally {
  total = 0
  readonly #name: string
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #perPrincipal = new Map<string, number>()

  constructor(name: string, max: number, maxPerPrincipal: number) {
    this.#name = name
    this.#max = max
    this.#maxPerPrincipal = maxPerPrincipal
  }

  enter(principal: Principal | undefined, count: number): Refusal | undefined {
    if (this.total + count > this.#max) {
      return { status: 503, message: `The server is busy: ${this.#name} (${this.#max}) reached`, headers: RETRY_AFTER }
    }
    if (principal !== undefined) {
      const own = (this.#perPrincipal.get(principal.id) ?? 0) + count
      if (own > this.#maxPerPrincipal) {
        const message = `Too much at once: ${this.#name}PerPrincipal (${this.#maxPerPrincipal}) reached`
        return { status: 429, message, headers: RETRY_AFTER }
      }
      this.#perPrincipal.set(principal.id, own)
    }
    this.total += count
    return undefined
  }

  leave(principal: Principal | undefined, count: number): void {
    this.total -= count
    if (principal === undefined) return
    const own = (this.#perPrincipal.get(principal.id) ?? 0) - count
    if (own > 0) this.#perPrincipal.set(principal.id, own)
    else this.#perPrincipal.delete(principal.id)
  }
}
