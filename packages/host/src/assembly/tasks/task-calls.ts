/** What a program can do with the tasks of a host. */

import type { CallToolResult, JsonObject } from '@portico/sdk/client'
import type { ActionResult } from '../act-outcome.ts'
import type { ActOptions } from '../options.ts'
import type { HostTask } from './host-task.ts'

/** Options of `host.callAsTask`. */
export interface TaskCallOptions extends ActOptions {
  /** How long the result is waited for before the task goes on by itself; not at all unless given. */
  readonly attendMs?: number
  /** Asks for a task where the tool leaves that to its caller (2025-11-25). True unless given. */
  readonly task?: boolean
}

/** What `host.callAsTask` gives: the task that goes on, or the result, where there was one in time. */
export type StartedCall =
  | { readonly task: HostTask; readonly arguments: JsonObject; readonly reason: string; readonly told?: string }
  | (ActionResult<CallToolResult> & { readonly task?: undefined })

/** The tasks of a host, made by it: `host.tasks`. */
export interface HostTasks {
  /** All that are remembered, the oldest first, of earlier processes with the same state folder too. */
  list(): Promise<readonly HostTask[]>
  /** Waits for what a task comes to. It passes the rules again: what they deny by now is kept back. */
  result(label: string, options?: ActOptions): Promise<ActionResult<CallToolResult>>
  /** Asks the server to end it. */
  cancel(label: string): Promise<void>
  /**
   * Gives a task of a conversation that is gone to another one: its result goes there. False where somebody follows it, where its
   * result was handed over, and where its server is not the one that gave out its id.
   */
  handTo(label: string, session: string): Promise<boolean>
  /** Takes a task off the list. It is cancelled if it runs. */
  forget(label: string): Promise<void>
}
