/** How much tasks may take: in the store, of each owner, and of the process that works on them. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { digestOf } from '../../session/sealed-state.ts'

/** How much tasks may take. */
export interface TaskLimits {
  /**
   * Tasks that one principal may have at a time. One that is over counts as a tenth while it is kept, and one whose arguments,
   * answers or result are long as several: as one more for every 65,536 characters. Also the most handlers of one principal's
   * tasks that run in one process: one that goes on after its task was cancelled still takes a place.
   */
  readonly maxTasksPerPrincipal: number
  /** The same for all who are not known by name together. */
  readonly maxAnonymousTasks: number
  /** Characters of one task with its arguments, answers and result. */
  readonly maxTaskLength: number
  /** The longest time that a client may ask a task to be kept. */
  readonly maxTtlMs: number
  /**
   * How often one principal may ask about tasks in a minute, in one process; a page of a list counts once more for each task
   * on it. What comes too soon is refused with the time to wait, before the store is asked.
   */
  readonly maxLooksPerMinute: number
  /** The same for all who are not known by name together. */
  readonly maxAnonymousLooksPerMinute: number
  /** Tasks that one process works on at a time; what becomes due beyond that waits until one of them asks, sleeps or is over. */
  readonly maxRunning: number
}

export const TASK_LIMITS: TaskLimits = {
  maxTasksPerPrincipal: 100,
  maxAnonymousTasks: 1000,
  maxTaskLength: 2 * 1024 * 1024,
  maxTtlMs: 24 * 3_600_000,
  maxLooksPerMinute: 6000,
  maxAnonymousLooksPerMinute: 60_000,
  maxRunning: 1000,
}

const ANONYMOUS = 'anonymous'

/** Whose a task is, as the store knows them: a digest of the principal's id, or all who have none together. */
export async function ownerOf(principal: string | undefined): Promise<string> {
  return principal === undefined ? ANONYMOUS : digestOf(principal)
}

/** A limit as the option is called, and how much it is. */
interface Bound {
  readonly option: string
  readonly limit: number
}

/** How many tasks an owner may have. */
export function tasksOf(owner: string, { maxTasksPerPrincipal, maxAnonymousTasks }: TaskLimits): Bound {
  return owner === ANONYMOUS
    ? { option: 'maxAnonymousTasks', limit: maxAnonymousTasks }
    : { option: 'maxTasksPerPrincipal', limit: maxTasksPerPrincipal }
}

/** That an owner has as much as it may have, and what to do about it. */
export function noRoom({ option, limit }: Bound, remedy: string): PorticoError {
  const message = `No room for another task: ${option} (${limit}) reached. ${remedy}`
  return new PorticoError('limit-exceeded', message, { data: { option, limit, remedy } })
}
