/**
 * The state of one server as people see it: what was last heard of its connections, and over
 * that what is wrong with a server that is connected all the same. Tells of a change once.
 */

import { HostError } from '../errors.ts'
import type { UpstreamState } from './upstream.ts'

/** What is wrong with a server that is connected. */
export type Degradation = 'quarantine' | 'lists' | 'loop' | 'flood'

/** What is wrong with a connected server, and what to do about it, each in one line. */
export interface DegradationWords {
  readonly reason: string
  readonly remedy: string
}

export type PlainState = Omit<UpstreamState, 'since'>

export class ServerStatus {
  readonly #degradations = new Map<Degradation, DegradationWords>()
  readonly #tell: (state: UpstreamState) => void
  readonly #hide: (text: string) => string
  #plain: PlainState
  #shown: UpstreamState
  #floodTimer: ReturnType<typeof setTimeout> | undefined

  constructor(state: PlainState, tell: (state: UpstreamState) => void, hide?: (text: string) => string) {
    this.#hide = hide ?? ((text) => text)
    this.#tell = tell
    this.#plain = state
    this.#shown = { ...state, since: Date.now() }
  }

  /** As its connections last had it, whatever else is wrong. */
  get plain(): PlainState {
    return this.#plain
  }

  get shown(): UpstreamState {
    return this.#shown
  }

  show(state: PlainState): void {
    this.#plain = state
    const { state: name, reason: words, remedy, retryAt, awaits } = this.#withDegradations(state)
    const reason = words === undefined ? undefined : this.#hide(words)
    const before = this.#shown
    const isSame = before.state === name && before.reason === reason && before.retryAt === retryAt
    this.#shown = {
      state: name,
      ...(reason !== undefined && { reason }),
      ...(remedy !== undefined && { remedy }),
      ...(retryAt !== undefined && { retryAt }),
      ...(awaits !== undefined && { awaits }),
      since: before.state === name ? before.since : Date.now(),
    }
    if (!isSame) this.#tell(this.#shown)
  }

  /** Notes what is wrong with a server that is connected; undefined says that it is over. */
  degrade(degradation: Degradation, words: DegradationWords | undefined): void {
    if (words === undefined) this.#degradations.delete(degradation)
    else this.#degradations.set(degradation, words)
    this.show(this.#plain)
  }

  /** More came than is taken. Goes away by itself when that has not happened for a while. */
  flooded(): void {
    clearTimeout(this.#floodTimer)
    this.#floodTimer = setTimeout(() => this.degrade('flood', undefined), FLOOD_MS).unref()
    if (!this.#degradations.has('flood')) this.degrade('flood', FLOOD)
  }

  close(): void {
    clearTimeout(this.#floodTimer)
  }

  #withDegradations(plain: PlainState): PlainState {
    if (plain.state !== 'ready') return plain
    const quarantine = this.#degradations.get('quarantine')
    if (quarantine !== undefined) return { ...plain, state: 'quarantined', ...quarantine }
    const trouble = this.#degradations.get('lists') ?? this.#degradations.get('flood')
    // What one user suffers from is said, and takes nothing from the others.
    return trouble === undefined
      ? { ...plain, ...this.#degradations.get('loop') }
      : { ...plain, state: 'degraded', ...trouble }
  }
}

const FLOOD_MS = 10_000
const FLOOD: DegradationWords = {
  reason: 'It sends more notifications than are taken; the rest is dropped.',
  remedy: 'Nothing else is affected. Report it to whoever makes the server.',
}

/** What callers of a server in this state are told. */
export function toUnavailable(server: string, state: PlainState, cause?: unknown): HostError {
  const reason = state.reason ?? `It is ${state.state}.`
  const data = { server, state: state.state, reason, remedy: state.remedy, retryAt: state.retryAt }
  return new HostError('unavailable', `"${server}" is not available: ${reason}`, { cause, data })
}
