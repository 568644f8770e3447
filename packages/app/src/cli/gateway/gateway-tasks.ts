/** The section `gateway.tasks` of portico.json: where the gateway keeps the tasks of its callers, and for how long. */

import type { GatewayTasks } from '@portico/host/gateway'
import { openState, type SharedState } from '@portico/host/state'

export interface TasksSettings {
  /** A file for tasks alone; in `gateway.state` unless given, and in the memory of the process where there is none. */
  readonly sqlite?: string
  /** How long a task is kept from its creation. */
  readonly ttlMs?: number
  /** How often callers are asked to look. */
  readonly pollIntervalMs?: number
}

interface OpenedTasks {
  readonly options: GatewayTasks
  close(): Promise<void>
}

export async function openTasks(
  { sqlite, ...own }: TasksSettings = {},
  shared: SharedState | undefined,
): Promise<OpenedTasks> {
  const place = shared && { store: shared.store, bus: shared.bus }
  if (sqlite === undefined) return { options: { ...own, ...place }, close: async () => {} }
  const state = await openState({ sqlite })
  return { options: { ...own, store: state.store, bus: state.bus }, close: () => state.close() }
}
