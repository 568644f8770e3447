/** The section `gateway.tasks` of portico.json: where the gateway keeps the tasks of its callers, and for how long. */

import type { GatewayTasks } from '@portico/host/gateway'
import { openState } from '@portico/host/state'

export interface TasksSettings {
  /** A file in which tasks outlive the gateway's process; in its memory unless given. */
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

export async function openTasks({ sqlite, ...own }: TasksSettings = {}): Promise<OpenedTasks> {
  if (sqlite === undefined) return { options: own, close: async () => {} }
  const state = await openState({ sqlite })
  return { options: { ...own, store: state.store, bus: state.bus }, close: () => state.close() }
}
