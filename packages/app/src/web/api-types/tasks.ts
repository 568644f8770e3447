/** `tasks.*`: calls that their servers work on by themselves. */

import type { HostTask } from '@portico/host'
import type { CallToolResult } from '@portico/sdk/client'
import type { Method } from './method.ts'

export interface TasksApi {
  'tasks.list': Method<{}, { readonly tasks: readonly TaskRow[] }>
  /** Waits for the end of a task that runs. */
  'tasks.result': Method<{ readonly label: string }, { readonly result: CallToolResult }>
  'tasks.cancel': Method<{ readonly label: string }>
  /** Takes it off the list; one that runs is cancelled. */
  'tasks.forget': Method<{ readonly label: string }>
}

/** A task as the page shows it. */
export interface TaskRow extends HostTask {
  /** The chat that began it. */
  readonly chat?: string
}
