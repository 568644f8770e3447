/** What every place for shared state gives once it is open, and how it says that it cannot be reached. */

import { PorticoError } from '@portico/sdk/server'
import type { Bus, Store } from '@portico/sdk/state'
import { HostError } from '../errors.ts'

/** A store and a bus on one database. Close it when the program ends; what is kept stays. */
export interface OpenedState {
  readonly store: Store
  readonly bus: Bus
  /** Asks the database for a sign of life; never rejects, and takes a few seconds at most. */
  status(): Promise<StateStatus>
  /** Closes store and bus. Closing twice is no error. */
  close(): Promise<void>
}

/** How a database answered just now. */
export interface StateStatus {
  readonly kind: 'sqlite' | 'postgres' | 'redis'
  /** The file, or host, port and database, without name and password. */
  readonly place: string
  readonly available: boolean
  /** How long the answer took. */
  readonly tookMs: number
  /** Why it is not available, and what to do. */
  readonly reason?: string
}

/** The error of a call while the database is away. */
export function unavailable(message: string, cause: unknown): PorticoError {
  return new PorticoError('store-unavailable', message, { cause })
}

/** Asks for a sign of life and tells how that went. */
export async function probe(
  { kind, place }: Pick<StateStatus, 'kind' | 'place'>,
  ask: () => Promise<unknown>,
): Promise<StateStatus> {
  const began = performance.now()
  const tookMs = () => Math.round((performance.now() - began) * 10) / 10
  try {
    await ask()
    return { kind, place, available: true, tookMs: tookMs() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { kind, place, available: false, tookMs: tookMs(), reason }
  }
}

/** Loads a library that need not be installed; where it is not, the error says how to have it. */
export async function loadPeer<Library>(what: string, name: string): Promise<Library> {
  try {
    // A name in a variable: neither compilers nor bundlers look for a library that need not be there.
    return (await import(name)) as Library
  } catch (error) {
    const problem = `${what} needs the package ${name}. Install it with: npm install ${name}`
    throw new HostError('invalid-config', problem, { cause: error, data: { problems: [problem] } })
  }
}
