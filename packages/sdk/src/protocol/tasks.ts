/**
 * Tasks as data, in both generations: the core feature of 2025-11-25 and the extension of 2026-07-28. What differs between
 * them on the wire stands in one table each; the work itself (`server/tasks`) knows the neutral task alone.
 */

import { METHOD_NOT_FOUND } from '../jsonrpc/errors.ts'
import type { JsonObject, RpcErrorObject } from '../jsonrpc/message.ts'
import { MISSING_CLIENT_CAPABILITY } from './errors.ts'
import type { Revision } from './revision.ts'
import { vocabularyOf } from './revisions/vocabulary.ts'
import type { CallToolResult } from './tools.ts'

/** The extension of 2026-07-28, under which both sides declare it. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** In `_meta` of everything that belongs to a task of 2025-11-25. */
export const META_RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** Where a task stands. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** From which status a task may go to which (2025-11-25, tasks, "Task Status Lifecycle"; the extension has the same). */
export const TRANSITIONS: { readonly [status in TaskStatus]: ReadonlySet<TaskStatus> } = {
  working: new Set<TaskStatus>(['input_required', 'completed', 'failed', 'cancelled']),
  input_required: new Set<TaskStatus>(['working', 'completed', 'failed', 'cancelled']),
  completed: new Set<TaskStatus>(),
  failed: new Set<TaskStatus>(),
  cancelled: new Set<TaskStatus>(),
}

/** Whether nothing more can happen to a task. */
export function isFinal(status: TaskStatus): boolean {
  return TRANSITIONS[status].size === 0
}

/** A task as both generations show it, in neutral words. */
export interface TaskView {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** Milliseconds since 1970, like `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** What the tool answered, once it has. */
  readonly result?: CallToolResult
  /** The protocol error that ended it. */
  readonly error?: RpcErrorObject
  /** The questions that are open, by key. */
  readonly questions?: JsonObject
}

/** What one generation does differently on the wire. */
export interface TaskGeneration {
  readonly name: 'core' | 'extension'
  readonly ttl: string
  readonly pollInterval: string
  /** What a tool result with `isError` makes of the task. */
  readonly toolErrorStatus: TaskStatus
  readonly methods: ReadonlySet<string>
  /** The notice of a change. */
  readonly notice: string
  /** Whether to cancel a task that is over is an error, or acknowledged like any other. */
  readonly refusesCancelOfFinal: boolean
  /** The code for a tool that only runs as a task, asked for without. */
  readonly taskRequiredCode: number
  /** Whether outcome and questions stand in the task itself. */
  readonly inlinesOutcome: boolean
}

/** 2025-11-25: the requestor asks for a task, and fetches the result by `tasks/result`. */
export const CORE_TASKS: TaskGeneration = {
  name: 'core',
  ttl: 'ttl',
  pollInterval: 'pollInterval',
  toolErrorStatus: 'failed',
  methods: new Set(['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel']),
  notice: 'notifications/tasks/status',
  refusesCancelOfFinal: true,
  taskRequiredCode: METHOD_NOT_FOUND,
  inlinesOutcome: false,
}

/** 2026-07-28: the server decides for clients that declare the extension; `tasks/get` has everything. */
export const EXTENSION_TASKS: TaskGeneration = {
  name: 'extension',
  ttl: 'ttlMs',
  pollInterval: 'pollIntervalMs',
  toolErrorStatus: 'completed',
  methods: new Set(['tasks/get', 'tasks/update', 'tasks/cancel']),
  notice: 'notifications/tasks',
  refusesCancelOfFinal: false,
  taskRequiredCode: MISSING_CLIENT_CAPABILITY,
  inlinesOutcome: true,
}

/** The methods of both, which carry the id of a task. */
export const TASK_METHODS: ReadonlySet<string> = new Set([...CORE_TASKS.methods, ...EXTENSION_TASKS.methods])

/** The generation that a revision has, if it has any. */
export function generationOf(revision: Revision): TaskGeneration | undefined {
  if (revision.era === 'modern') return EXTENSION_TASKS
  return vocabularyOf(revision).coreTasks ? CORE_TASKS : undefined
}

/** The status that a generation gives a task which is over. */
function statusOf({ status, result }: TaskView, { toolErrorStatus }: TaskGeneration): TaskStatus {
  return status === 'completed' && result?.isError === true ? toolErrorStatus : status
}

/** The members that every description of a task has. */
export function writeTask(task: TaskView, generation: TaskGeneration): JsonObject {
  const { taskId, statusMessage, createdAt, updatedAt } = task
  return {
    taskId,
    status: statusOf(task, generation),
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    [generation.ttl]: task.ttlMs,
    [generation.pollInterval]: task.pollIntervalMs,
  }
}

/** What `tasks/get` and notices say: with outcome and open questions, where the generation puts them there. */
export function writeDetailedTask(task: TaskView, generation: TaskGeneration, revision: Revision): JsonObject {
  const written = writeTask(task, generation)
  if (!generation.inlinesOutcome) return written
  const { status, result, error, questions } = task
  if (status === 'input_required') return { ...written, inputRequests: questions ?? {} }
  if (status === 'completed' && result !== undefined)
    return { ...written, result: revision.writeCallToolResult(result) }
  return status === 'failed' ? { ...written, error } : written
}

/** The answer to the request that became a task. */
export function writeCreated(task: TaskView, generation: TaskGeneration): JsonObject {
  const written = writeTask(task, generation)
  return generation.name === 'core' ? { task: written } : { resultType: 'task', ...written }
}

/** `_meta` with the mark of 2025-11-25 that says which task something belongs to. */
export function withRelatedTask<Value extends JsonObject>(value: Value, taskId: string): Value {
  const meta = value._meta as JsonObject | undefined
  return { ...value, _meta: { ...meta, [META_RELATED_TASK]: { taskId } } }
}
