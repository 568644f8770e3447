/**
 * Counts what is going on at once, for the whole server and for each principal, and says no when a bound is reached.
 * Requests and listeners are counted apart: a listener may stay for days and costs next to nothing meanwhile. Each way
 * of serving has a load with bounds of its own, but a server that is served in several ways is counted once. A request
 * counts until its handler has settled: one that was cancelled and goes on all the same still takes its place. Where
 * callers have names, whoever has a place leaves the last of them to those who have none; all without a name are one.
 */

import type { Principal } from '../../auth/principal.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import type { Refusal } from './http-refusal.ts'
import type { SharedLimits } from './limits.ts'
import { busy, lastPlaces, tooMuch } from './refusals.ts'

export type LoadKind = 'request' | 'listener'

type LoadLimits = Pick<
  SharedLimits,
  'maxInFlight' | 'maxInFlightPerPrincipal' | 'maxListeners' | 'maxListenersPerPrincipal'
>

export class Load {
  readonly #requests: Bound
  readonly #listeners: Bound
  #onIdle: (() => void)[] = []

  /** `named` says that this way of serving knows who calls. */
  constructor(limits: LoadLimits, endpoint: Endpoint, named = false) {
    const { requests, listeners } = talliesOf(endpoint)
    if (named) requests.named = listeners.named = true
    const { maxInFlight, maxInFlightPerPrincipal, maxListeners, maxListenersPerPrincipal } = limits
    this.#requests = toBound(requests, 'maxInFlight', maxInFlight, maxInFlightPerPrincipal)
    this.#listeners = toBound(listeners, 'maxListeners', maxListeners, maxListenersPerPrincipal)
  }

  /** Requests that came by this way of serving and are not answered yet. */
  get inFlight(): number {
    return this.#requests.own
  }

  /** Listeners that came by this way of serving and are still open. */
  get listeners(): number {
    return this.#listeners.own
  }

  /** Counts `count` more, or says why not and counts nothing. */
  enter(kind: LoadKind, principal: Principal | undefined, count = 1): Refusal | undefined {
    const bound = kind === 'request' ? this.#requests : this.#listeners
    const { tally, name, max, maxPerPrincipal } = bound
    const total = tally.total + count
    if (total > max) return busy(`${name} (${max}) reached`)
    const own = (principal === undefined ? tally.anonymous : tally.of(principal)) + count
    if (principal !== undefined && own > maxPerPrincipal) return tooMuch(`${name}PerPrincipal`, maxPerPrincipal)
    if (own > 1 && tally.named && total > max - keptShare(max)) return lastPlaces(name, max)
    bound.own += count
    tally.total = total
    if (principal === undefined) tally.anonymous = own
    else tally.set(principal, own)
    return undefined
  }

  /** Why one more would be refused now, if so. */
  refusalOf(kind: LoadKind, principal: Principal | undefined): Refusal | undefined {
    const refusal = this.enter(kind, principal)
    if (refusal !== undefined) return refusal
    this.answered(kind)
    this.leave(kind, principal)
    return undefined
  }

  /** An answer is there, or none will come: nobody waits for these any more. */
  answered(kind: LoadKind, count = 1): void {
    const bound = kind === 'request' ? this.#requests : this.#listeners
    bound.own -= count
    if (this.#onIdle.length > 0 && this.inFlight === 0) for (const action of this.#onIdle.splice(0)) action()
  }

  /** The work is over, and its place is free. */
  leave(kind: LoadKind, principal: Principal | undefined, count = 1): void {
    const { tally } = kind === 'request' ? this.#requests : this.#listeners
    tally.total -= count
    if (principal === undefined) tally.anonymous -= count
    else tally.set(principal, tally.of(principal) - count)
  }

  /** Calls back once no request waits for its answer. */
  onIdle(action: () => void): void {
    if (this.inFlight === 0) action()
    else this.#onIdle.push(action)
  }
}

/** The place of some requests that are answered together, from the time they have entered. */
export class RequestCount {
  readonly #load: Load
  readonly #principal: Principal | undefined
  readonly #count: number

  constructor(load: Load, principal: Principal | undefined, count = 1) {
    this.#load = load
    this.#principal = principal
    this.#count = count
  }

  answered(): void {
    this.#load.answered('request', this.#count)
  }

  /** For one of them. */
  settled(): void {
    this.#load.leave('request', this.#principal)
  }
}

interface Bound {
  /** Of those that came by this way of serving. */
  own: number
  readonly tally: Tally
  readonly name: string
  readonly max: number
  readonly maxPerPrincipal: number
}

function toBound(tally: Tally, name: string, max: number, maxPerPrincipal: number): Bound {
  return { own: 0, tally, name, max, maxPerPrincipal }
}

/** The places that are left to those who have none, where callers have names: those without count as one. */
export function keptShare(max: number): number {
  return Math.floor(max / 8)
}

class Tally {
  total = 0
  anonymous = 0
  /** Some way of serving knows who calls. */
  named = false
  readonly #perPrincipal = new Map<string, number>()

  of(principal: Principal): number {
    return this.#perPrincipal.get(principal.id) ?? 0
  }

  set(principal: Principal, count: number): void {
    if (count > 0) this.#perPrincipal.set(principal.id, count)
    else this.#perPrincipal.delete(principal.id)
  }
}

interface Tallies {
  readonly requests: Tally
  readonly listeners: Tally
}

const TALLIES = new WeakMap<Endpoint, Tallies>()

function talliesOf(endpoint: Endpoint): Tallies {
  let tallies = TALLIES.get(endpoint)
  if (tallies === undefined) {
    tallies = { requests: new Tally(), listeners: new Tally() }
    TALLIES.set(endpoint, tallies)
  }
  return tallies
}
