/** How the calls of a tool become tasks for callers that can have them: what the configuration says, and the gateway besides. */

import type { TaskSettings } from '@portico/sdk/relay'
import type { Bus, Store } from '@portico/sdk/state'
import type { TaskLimits } from '@portico/sdk/tasks'
import type { ServerSettings } from '../../config/server-config.ts'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'

/** Where a gateway keeps the tasks of its callers, and for how long. Which calls become one is in each server's settings. */
export interface GatewayTasks {
  /** Where they are kept; in the memory of this process unless given. With one that outlives it, so do they. */
  readonly store?: Store
  /** How processes that share a store tell each other of changes. */
  readonly bus?: Bus
  /** How many tasks a caller may have, and how large one may be. */
  readonly limits?: Partial<TaskLimits>
  /** How long a task is kept from its creation, in milliseconds; an hour unless given. */
  readonly ttlMs?: number
  /** How often callers are asked to look, in milliseconds; a second unless given. */
  readonly pollIntervalMs?: number
  /**
   * How long the request of a caller without tasks stays open, in milliseconds, before it is given a handle and the tools
   * `task_status`, `task_result` and `task_cancel`. Unless given, it stays open for as long as the server takes, and there are no
   * such tools.
   */
  readonly holdMs?: number
  /** How long a gateway may be silent, in milliseconds, before another takes its tasks up; 30,000 unless given. */
  readonly leaseMs?: number
  /** 32-byte keys that seal what the store keeps of a task, newest first: the first seals, all open. Nothing is sealed without. */
  readonly keys?: readonly Uint8Array[]
}

const TTL_MS = 3_600_000
const POLL_INTERVAL_MS = 1_000

/** What holds for one tool; undefined where its calls become no tasks. */
export function taskSettingsOf(
  { ownName, definition }: CatalogueItem,
  { tasks, tasksAfterMs, tools }: ServerSettings,
  { ttlMs = TTL_MS, pollIntervalMs = POLL_INTERVAL_MS }: GatewayTasks,
): TaskSettings | undefined {
  const own = Object.hasOwn(tools, ownName) ? tools[ownName] : undefined
  if ((own?.tasks ?? tasks) === 'off') return undefined
  const structured = 'outputSchema' in definition
  return { mode: 'auto', after: own?.tasksAfterMs ?? tasksAfterMs, ttlMs, pollIntervalMs, structured }
}

/** A tool as lists show it: whether it may be asked for as a task is up to the gateway (2025-11-25). */
export function withExecution<Shown extends object>(tool: Shown, settings: TaskSettings | undefined): Shown {
  const { execution: _own, ...rest } = tool as Shown & { execution?: unknown }
  return (settings === undefined ? rest : { ...rest, execution: { taskSupport: 'optional' } }) as Shown
}
