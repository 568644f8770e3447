/** What authors say of tasks: of one tool, and of the server. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'

/**
 * Whether a tool's calls become tasks. `auto`: a call that is not done after a while does. `required`: every call does, and
 * callers that could ask for tasks and do not are refused. `never`: none does.
 */
export type TaskMode = 'auto' | 'required' | 'never'

/** How the calls of one tool become tasks. */
export interface TaskOptions {
  readonly mode: TaskMode
  /**
   * Milliseconds that a call may take before it becomes a task: 5,000 for `auto`, 0 for `required`. Questions that the handler
   * asks before that are asked on the request itself.
   */
  readonly after?: number
  /** How long a task is kept from its creation, in milliseconds; an hour unless given. */
  readonly ttlMs?: number
  /** How often clients are asked to look, in milliseconds; a second unless given. */
  readonly pollIntervalMs?: number
}

/** The options with nothing left open. */
export interface TaskSettings extends Required<TaskOptions> {
  /** Whether the tool promises structured content. */
  readonly structured: boolean
}

const MODES: ReadonlySet<unknown> = new Set(['auto', 'required', 'never'])
const AFTER: { readonly [mode in TaskMode]: number } = { auto: 5000, required: 0, never: 0 }
const TTL_MS = 3_600_000
const POLL_INTERVAL_MS = 1000
const TABLE = { mode: 'text', after: 'time', ttlMs: 'count', pollIntervalMs: 'count' } as const

/** Reads what a tool says, or throws. */
export function toTaskSettings(task: TaskMode | TaskOptions | undefined, structured: boolean): TaskSettings {
  const options: TaskOptions = typeof task === 'object' ? task : { mode: task ?? 'never' }
  requireOptions('task', options, TABLE)
  const { mode } = options
  if (!MODES.has(mode)) throw invalidDefinition('task must be "auto", "required" or "never"')
  const { after = AFTER[mode], ttlMs = TTL_MS, pollIntervalMs = POLL_INTERVAL_MS } = options
  return { mode, after, ttlMs, pollIntervalMs, structured }
}

/** Of tools that nobody said anything of. */
export const NEVER: TaskSettings = toTaskSettings('never', false)

/** The helper tool that ends a task. */
export const CANCEL_HELPER = 'task_cancel'

/** Of helper tools, whose results stand in the place of others. */
export const HELPER: TaskSettings = { ...NEVER }
