/** What those who run a gateway can do about its callers: see them, send new ones elsewhere, and shut one out. */

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

  constructor(meter: Pick<Meter, 'snapshot'>, connections: Pick<CallerConnections, 'byPrincipal' | 'endOf'>) {
    this.#meter = meter
    this.#connections = connections
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
  }

  restore(principal: string): boolean {
    return this.#revoked.delete(principal)
  }

  revoked(): readonly string[] {
    return [...this.#revoked]
  }
}
