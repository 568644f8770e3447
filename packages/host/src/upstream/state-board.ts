/**
 * The state of one server as people see it: what its life last said, and over that what ails a server that is connected
 * all the same. Tells of a change once.
 */

import { HostError } from '../errors.ts'
import type { UpstreamState } from './upstream.ts'

/** What is wrong with a server that is connected. */
export type Ailment = 'quarantine' | 'lists' | 'loop' | 'flood'

/** What is wrong with a connected server, and what to do about it, each in one line. */
export interface AilmentWords {
  readonly reason: string
  readonly remedy: string
}

export type PlainState = Omit<UpstreamState, 'since'>

export class StateBoard {
  readonly #ailments = new Map<Ailment, AilmentWords>()
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

  /** As the life of the server last said it. */
  get plain(): PlainState {
    return this.#plain
  }

  get shown(): UpstreamState {
    return this.#shown
  }

  show(state: PlainState): void {
    this.#plain = state
    const { state: name, reason: words, remedy, retryAt } = this.#withAilments(state)
    const reason = words === undefined ? undefined : this.#hide(words)
    const before = this.#shown
    const isSame = before.state === name && before.reason === reason && before.retryAt === retryAt
    this.#shown = {
      state: name,
      ...(reason !== undefined && { reason }),
      ...(remedy !== undefined && { remedy }),
      ...(retryAt !== undefined && { retryAt }),
      since: before.state === name ? before.since : Date.now(),
    }
    if (!isSame) this.#tell(this.#shown)
  }

  /** Notes an ailment; undefined takes it back. */
  ail(ailment: Ailment, words: AilmentWords | undefined): void {
    if (words === undefined) this.#ailments.delete(ailment)
    else this.#ailments.set(ailment, words)
    this.show(this.#plain)
  }

  /** More came than is taken. Goes away by itself when that has not happened for a while. */
  flooded(): void {
    clearTimeout(this.#floodTimer)
    this.#floodTimer = setTimeout(() => this.ail('flood', undefined), FLOOD_MS).unref()
    if (!this.#ailments.has('flood')) this.ail('flood', FLOOD)
  }

  close(): void {
    clearTimeout(this.#floodTimer)
  }

  #withAilments(plain: PlainState): PlainState {
    if (plain.state !== 'ready') return plain
    const quarantine = this.#ailments.get('quarantine')
    if (quarantine !== undefined) return { ...plain, state: 'quarantined', ...quarantine }
    const trouble = this.#ailments.get('lists') ?? this.#ailments.get('flood')
    // What one user suffers from is said, and takes nothing from the others.
    return trouble === undefined
      ? { ...plain, ...this.#ailments.get('loop') }
      : { ...plain, state: 'degraded', ...trouble }
  }
}

const FLOOD_MS = 10_000
const FLOOD: AilmentWords = {
  reason: 'It sends more notifications than are taken; the rest is dropped.',
  remedy: 'Nothing else is affected. Report it to whoever makes the server.',
}

/** What callers of a server in this state are told. */
export function toUnavailable(server: string, state: PlainState, cause?: unknown): HostError {
  const reason = state.reason ?? `It is ${state.state}.`
  const data = { server, state: state.state, reason, remedy: state.remedy, retryAt: state.retryAt }
  return new HostError('unavailable', `"${server}" is not available: ${reason}`, { cause, data })
}
