/** What those who run a gateway can do about its callers: see them, send new ones elsewhere, and shut one out. */

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
  readonly #shared: SharedRevocations | undefined
  /** What the others have not been told yet: whether each is shut out. */
  readonly #untold = new Map<string, boolean>()
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

  revoke(principal: string): void {
    if (this.#revoked.size >= MAX_REVOKED && !this.#revoked.has(principal)) {
      throw new HostError('invalid-config', `No more than ${MAX_REVOKED} callers can be shut out`)
    }
    this.#revoked.add(principal)
    this.#connections.endOf(principal)
    this.#share(principal, true)
  }

  restore(principal: string): boolean {
    const known = this.#revoked.delete(principal)
    if (known) this.#share(principal, false)
    return known
  }

  revoked(): readonly string[] {
    return [...this.#revoked]
  }

  #share(principal: string, isRevoked: boolean): void {
    if (this.#shared === undefined) return
    this.#untold.set(principal, isRevoked)
    this.#tell(this.#shared)
  }

  /** What cannot be told now is told when the shared state is back: nobody comes in again because it was away. */
  #tell({ text, failed }: SharedRevocations): void {
    if (this.#untold.size === 0) return
    const told = new Map(this.#untold)
    const change = (before: string | undefined): string => {
      const names = new Set(fromText(before))
      for (const [name, isRevoked] of told) isRevoked ? names.add(name) : names.delete(name)
      return JSON.stringify([...names].slice(-MAX_REVOKED))
    }
    text.update(change).then(() => {
      for (const [name, isRevoked] of told) if (this.#untold.get(name) === isRevoked) this.#untold.delete(name)
    }, failed)
  }

  /** Whom another replica has shut out is shut out here, too. */
  async #follow(shared: SharedRevocations): Promise<void> {
    const look = async (): Promise<void> => {
      const names = new Set(fromText(await shared.text.get()))
      for (const [name, isRevoked] of this.#untold) isRevoked ? names.add(name) : names.delete(name)
      for (const name of this.#revoked) if (!names.has(name)) this.#revoked.delete(name)
      for (const name of names) {
        if (this.#revoked.has(name)) continue
        this.#revoked.add(name)
        this.#connections.endOf(name)
      }
    }
    const lookAgain = (): void => void look().catch((error: unknown) => shared.failed(error))
    const ends = [
      shared.whenBack(() => {
        this.#tell(shared)
        lookAgain()
      }),
    ]
    this.#unfollow = () => {
      for (const end of ends) end()
    }
    ends.push(await shared.text.follow(lookAgain))
    await look()
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
