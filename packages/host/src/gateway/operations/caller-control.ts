/** What those who run a gateway can do about its callers: see them, send new ones elsewhere, and shut one out. */

import { PorticoError } from '@portico/sdk/server'
import type { SharedPlace } from '../../config/shared-place.ts'
import { HostError } from '../../errors.ts'
import type { CallerConnections } from '../connections/caller-connections.ts'
import type { Meter, Tally } from '../metrics.ts'

/** A caller as those who run the gateway see it. */
export interface GatewayCaller extends Pick<Tally, 'calls' | 'running'> {
  readonly principal: string
  /** Servers that it has connections of its own to. */
  readonly servers: readonly string[]
}

/** More than an operator shuts out by hand; a script gone wild is told. */
export const MAX_REVOKED = 10_000

export class CallerControl {
  /** New callers should go elsewhere. */
  draining = false
  readonly #meter: Pick<Meter, 'snapshot'>
  readonly #connections: Pick<CallerConnections, 'byPrincipal' | 'endOf'>
  readonly #revoked = new Set<string>()
  /** Shut out here, and not yet written where the others read. */
  readonly #unshared = new Set<string>()
  readonly #shared: SharedRevocations | undefined
  #looking: Promise<void> = Promise.resolve()
  #unfollow: (() => void) | undefined

  constructor(
    meter: Pick<Meter, 'snapshot'>,
    connections: Pick<CallerConnections, 'byPrincipal' | 'endOf'>,
    shared?: SharedRevocations,
  ) {
    this.#meter = meter
    this.#connections = connections
    this.#shared = shared
    if (shared !== undefined) void this.#follow(shared).catch((error: unknown) => shared.failed(error))
  }

  close(): void {
    this.#unfollow?.()
  }

  callers(): readonly GatewayCaller[] {
    const servers = this.#connections.byPrincipal()
    return Object.entries(this.#meter.snapshot().principals).map(([principal, { calls, running }]) => ({
      principal,
      calls,
      running,
      servers: [...(servers.get(principal) ?? [])],
    }))
  }

  /** Whether anybody is shut out at all: a request asks no more where nobody is. */
  get shutsOut(): boolean {
    return this.#revoked.size > 0
  }

  isShutOut(principal: string | undefined): boolean {
    return principal !== undefined && this.#revoked.has(principal)
  }

  /** Holds here at once, and everywhere when it resolves; of two for one caller the later counts, wherever they were said. */
  async revoke(principal: string): Promise<void> {
    if (this.#revoked.size >= MAX_REVOKED && !this.#revoked.has(principal)) {
      throw new HostError('invalid-config', `No more than ${MAX_REVOKED} callers can be shut out`)
    }
    this.#revoked.add(principal)
    this.#connections.endOf(principal)
    if (this.#shared === undefined) return
    this.#unshared.add(principal)
    await this.#share('is shut out at this replica alone', (names) =>
      [...new Set([...names, principal])].slice(-MAX_REVOKED),
    )
    this.#unshared.delete(principal)
    await this.#look()
  }

  /** Whether the caller was shut out, here or at another replica. */
  async restore(principal: string): Promise<boolean> {
    let isKnown = this.#revoked.has(principal)
    if (this.#shared !== undefined) {
      await this.#share('stays shut out', (names) => {
        isKnown ||= names.includes(principal)
        return names.filter((name) => name !== principal)
      })
      this.#unshared.delete(principal)
      await this.#look()
    } else this.#revoked.delete(principal)
    return isKnown
  }

  revoked(): readonly string[] {
    return [...this.#revoked]
  }

  /** Writers take turns at the store, so that what is written last is what holds. */
  async #share(otherwise: string, change: (names: readonly string[]) => readonly string[]): Promise<void> {
    const shared = this.#shared
    try {
      await shared?.text.update((text) => JSON.stringify(change(fromText(text))))
    } catch (cause) {
      shared?.failed(cause)
      const remedy = 'Send it again when the state answers'
      throw new PorticoError(
        'store-unavailable',
        `The caller ${otherwise}: the shared state cannot be written. ${remedy}`,
        {
          cause,
        },
      )
    }
  }

  /** Whom another replica has shut out is shut out here, too. */
  async #follow(shared: SharedRevocations): Promise<void> {
    const lookAgain = (): void => void this.#look().catch((error: unknown) => shared.failed(error))
    const ends = [shared.whenBack(() => void this.#shareAll().then(lookAgain, lookAgain))]
    this.#unfollow = () => {
      for (const end of ends) end()
    }
    ends.push(await shared.text.follow(lookAgain))
    await this.#look()
  }

  /** What could not be written is written when the shared state is back: nobody comes in again because it was away. */
  async #shareAll(): Promise<void> {
    const names = [...this.#unshared]
    if (names.length === 0) return
    await this.#share('is shut out at this replica alone', (kept) =>
      [...new Set([...kept, ...names])].slice(-MAX_REVOKED),
    )
    for (const name of names) this.#unshared.delete(name)
  }

  /** One look after the other: an older one must not undo what a newer one found. */
  #look(): Promise<void> {
    const look = (): Promise<void> => this.#lookNow()
    this.#looking = this.#looking.then(look, look)
    return this.#looking
  }

  async #lookNow(): Promise<void> {
    const text = await this.#shared?.text.get()
    // Whoever was let in again left a list, if an empty one: where there is none, it was lost, and nobody comes in by that.
    if (text === undefined && this.#revoked.size > 0) {
      for (const name of this.#revoked) this.#unshared.add(name)
      await this.#shareAll()
      return
    }
    const names = new Set([...fromText(text), ...this.#unshared])
    for (const name of this.#revoked) if (!names.has(name)) this.#revoked.delete(name)
    for (const name of names) {
      if (this.#revoked.has(name)) continue
      this.#revoked.add(name)
      this.#connections.endOf(name)
    }
  }
}

/** Who is shut out at all replicas. */
export interface SharedRevocations {
  readonly text: SharedPlace
  /** Told what could not be shared. */
  readonly failed: (error: unknown) => void
  /** Told when the shared state answers again; gives how to listen no more. */
  readonly whenBack: (listener: () => void) => () => void
}

function fromText(text: string | undefined): readonly string[] {
  // Only this file writes it, so the shape is known.
  return text === undefined ? [] : (JSON.parse(text) as string[])
}
