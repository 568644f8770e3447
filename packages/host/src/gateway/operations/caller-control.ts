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
    this.#share((names) => [...new Set([...names, principal])].slice(-MAX_REVOKED))
  }

  restore(principal: string): boolean {
    const known = this.#revoked.delete(principal)
    if (known) this.#share((names) => names.filter((name) => name !== principal))
    return known
  }

  revoked(): readonly string[] {
    return [...this.#revoked]
  }

  #share(change: (names: readonly string[]) => readonly string[]): void {
    const shared = this.#shared
    shared?.text
      .update((text) => JSON.stringify(change(fromText(text))))
      .catch((error: unknown) => shared.failed(error))
  }

  /** Whom another replica has shut out is shut out here, too. */
  async #follow(shared: SharedRevocations): Promise<void> {
    const look = async (): Promise<void> => {
      const names = new Set(fromText(await shared.text.get()))
      for (const name of this.#revoked) if (!names.has(name)) this.#revoked.delete(name)
      for (const name of names) {
        if (this.#revoked.has(name)) continue
        this.#revoked.add(name)
        this.#connections.endOf(name)
      }
    }
    this.#unfollow = await shared.text.follow(() => void look().catch((error: unknown) => shared.failed(error)))
    await look()
  }
}

/** Who is shut out at all replicas. */
export interface SharedRevocations {
  readonly text: SharedPlace
  /** Told what could not be shared. */
  failed(error: unknown): void
}

function fromText(text: string | undefined): readonly string[] {
  // Only this file writes it, so the shape is known.
  return text === undefined ? [] : (JSON.parse(text) as string[])
}
