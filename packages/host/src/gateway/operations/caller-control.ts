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
  /** Shut out here, and when; not yet written where the others read. */
  readonly #unshared = new Map<string, number>()
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
    this.#unshared.set(principal, Date.now())
    await this.#share('is shut out at this replica alone', (list) => withNames(list, [principal]))
    this.#unshared.delete(principal)
    await this.#look()
  }

  /** Whether the caller was shut out, here or at another replica. */
  async restore(principal: string): Promise<boolean> {
    let isKnown = this.#revoked.has(principal)
    if (this.#shared !== undefined) {
      await this.#share('stays shut out', (list) => {
        isKnown ||= list.names.includes(principal)
        return withoutName(list, principal)
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
  async #share(otherwise: string, change: (list: Revocations) => Revocations): Promise<void> {
    const shared = this.#shared
    try {
      await shared?.text.update((text) => toText(change(fromText(text))))
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
    const waiting = [...this.#unshared]
    if (waiting.length === 0) return
    await this.#share('is shut out at this replica alone', (list) =>
      withNames(
        list,
        waiting.filter((one) => !isRestoredAfter(list, one)).map(([name]) => name),
      ),
    )
    for (const [name, at] of waiting) if (this.#unshared.get(name) === at) this.#unshared.delete(name)
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
      for (const name of this.#revoked) this.#unshared.set(name, this.#unshared.get(name) ?? Date.now())
      await this.#shareAll()
      return
    }
    const list = fromText(text)
    for (const one of this.#unshared) if (isRestoredAfter(list, one)) this.#unshared.delete(one[0])
    const names = new Set([...list.names, ...this.#unshared.keys()])
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

/**
 * Who is shut out, and who was let in again and when: a replica that could not write down that it shut somebody out, and does so
 * later, finds out that they have been let in since. Times are those of the replicas' own clocks.
 */
interface Revocations {
  readonly names: readonly string[]
  readonly restored: readonly Restored[]
}

interface Restored {
  readonly restored: string
  readonly at: number
}

/** How long, and how many of those who were let in again are remembered. */
const RESTORED_MS = 24 * 3_600_000
const MAX_RESTORED = 1_000

function withNames({ names, restored }: Revocations, more: readonly string[]): Revocations {
  return {
    names: [...new Set([...names, ...more])].slice(-MAX_REVOKED),
    restored: restored.filter((one) => !more.includes(one.restored)),
  }
}

function withoutName({ names, restored }: Revocations, name: string): Revocations {
  const at = Date.now()
  const others = restored.filter((one) => one.restored !== name && at - one.at < RESTORED_MS)
  return {
    names: names.filter((one) => one !== name),
    restored: [...others.slice(1 - MAX_RESTORED), { restored: name, at }],
  }
}

function isRestoredAfter({ restored }: Revocations, [name, saidAt]: readonly [string, number]): boolean {
  return restored.some((one) => one.restored === name && one.at >= saidAt)
}

/** One list of both, in which a replica of an earlier version reads the names. */
function toText({ names, restored }: Revocations): string {
  return JSON.stringify([...names, ...restored])
}

function fromText(text: string | undefined): Revocations {
  // Only this file writes it, so the shape is known.
  const all = text === undefined ? [] : (JSON.parse(text) as (string | Restored)[])
  return {
    names: all.filter((one) => typeof one === 'string'),
    restored: all.filter((one) => typeof one === 'object'),
  }
}
