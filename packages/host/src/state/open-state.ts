/** The one way to open a place for shared state; the code of each kind of database is loaded when that kind is asked for. */

import { HostError } from '../errors.ts'
import type { OpenedState } from './opened-state.ts'

/** Where state is kept that several processes share. */
export type StateSetting = SqliteSetting

/** A file that processes of one machine share. */
export interface SqliteSetting {
  /** The file, on a disk of this machine (not on a network's); it is made where there is none. */
  readonly sqlite: string
  /** Whether each write also survives a power cut, at the cost of a wait for the disk. Otherwise the last moments may be lost. */
  readonly fullSync?: boolean
}

/**
 * Opens a place for state that outlives the process and that several processes share. The database itself is reached with the
 * first call, and again by itself after it was away; until then calls reject with `store-unavailable`.
 *
 * @example
 * ```ts
 * import { openState } from '@portico/host/state'
 * import { createTasks } from '@portico/sdk/tasks'
 *
 * const { store, bus } = await openState({ sqlite: '/var/lib/office/state.db' })
 * const tasks = createTasks({ store, bus })
 * ```
 */
export async function openState(setting: StateSetting): Promise<OpenedState> {
  const { openSqliteState } = await import('./sqlite/sqlite-state.ts')
  return openSqliteState(requireFile(setting.sqlite), setting.fullSync === true)
}

function requireFile(path: unknown): string {
  if (typeof path === 'string' && path !== '' && !path.startsWith(':') && !path.startsWith('file:')) return path
  throw invalidSetting(
    '`sqlite` is the path of a file; for state in memory use createMemoryStore of @portico/sdk/state',
  )
}

function invalidSetting(problem: string): HostError {
  return new HostError('invalid-config', problem, { data: { problems: [problem] } })
}
