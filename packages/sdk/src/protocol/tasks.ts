/**
 * Tasks as data, in both generations: the core feature of 2025-11-25 and the extension of 2026-07-28. What differs between
 * them on the wire stands in one table each; the work itself (`server/tasks`) knows the neutral task alone.
 */

import { METHOD_NOT_FOUND, PorticoError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RpcErrorObject } from '../jsonrpc/message.ts'
import { MISSING_CLIENT_CAPABILITY } from './errors.ts'
import type { Revision } from './revision.ts'
import { META_RELATED_TASK, vocabularyOf } from './revisions/vocabulary.ts'
import { areBlocks } from './shapes.ts'
import type { CallToolResult } from './tools.ts'

export { META_RELATED_TASK, TASKS_EXTENSION } from './revisions/vocabulary.ts'

/** Marks the tools by which callers without tasks follow one: whoever follows tasks by itself passes them over. */
export const META_TASK_HELPER = 'portico/task-helper'

/** In `_meta` of the answer that a task was made (2025-11-25): what a model may be told meanwhile. */
const META_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response'

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
  /** How long it is kept from its creation on; `Infinity` for without end, which is `null` on the wire. */
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
  // Just what the request itself would have been answered with, its type included.
  if (status === 'completed' && result !== undefined)
    return { ...written, result: { resultType: 'complete', ...revision.writeCallToolResult(result) } }
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

/** How often to ask about a task whose server does not say. */
const USUAL_POLL_MS = 1_000
const MAX_ID_LENGTH = 1_024
/** Characters of a message that are kept. */
export const MAX_STATUS_MESSAGE = 8_192
/** Questions of one task that are open together. What a client asks a person at a time is far less. */
const MAX_QUESTIONS = 1_000

/** The answer to a request that became a task. */
export interface CreatedTask {
  readonly task: TaskView
  /** What the model may be told until there is a result (2025-11-25). */
  readonly immediateResponse?: string
}

/**
 * Reads what a peer says of a task: `tasks/get`, a notice, an item of a list. Throws `invalid-message` for what is none; of
 * outcome and questions, what the status says must be there is there.
 */
export function readTask(value: unknown, generation: TaskGeneration): TaskView {
  const task = readMembers(value, generation)
  if (!generation.inlinesOutcome) return task
  const { result, error, inputRequests } = value as JsonObject
  if (task.status === 'input_required') return { ...task, questions: readQuestions(inputRequests) }
  if (task.status === 'completed') return { ...task, result: readOutcome(result) }
  return task.status === 'failed' ? { ...task, error: readError(error) } : task
}

/** Reads the answer to a request that became a task. Throws `invalid-message` for what is none. */
export function readCreated(result: JsonObject, generation: TaskGeneration): CreatedTask {
  const task = readMembers(generation.name === 'core' ? result.task : result, generation)
  const told = isObject(result._meta) ? result._meta[META_IMMEDIATE_RESPONSE] : undefined
  return generation.name === 'core' && typeof told === 'string' ? { task, immediateResponse: told } : { task }
}

function readMembers(value: unknown, { ttl, pollInterval }: TaskGeneration): TaskView {
  if (!isObject(value)) throw unreadable('is no object')
  const { taskId, status, statusMessage } = value
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID_LENGTH) throw unreadable('has no usable id')
  if (typeof status !== 'string' || !Object.hasOwn(TRANSITIONS, status)) throw unreadable('has an unknown status')
  if (statusMessage !== undefined && statusMessage !== null && typeof statusMessage !== 'string')
    throw unreadable('has a statusMessage that is no text')
  const createdAt = readTime(value, 'createdAt')
  const keptMs = value[ttl] === null ? undefined : readSpan(value, ttl)
  return {
    taskId,
    // Just shown to be one of them.
    status: status as TaskStatus,
    ...(typeof statusMessage === 'string' && { statusMessage: statusMessage.slice(0, MAX_STATUS_MESSAGE) }),
    createdAt,
    updatedAt: readTime(value, 'lastUpdatedAt'),
    // What no date can say would fail whoever shows it.
    ttlMs: keptMs === undefined || createdAt + keptMs > LAST_MOMENT ? Number.POSITIVE_INFINITY : keptMs,
    pollIntervalMs: readSpan(value, pollInterval) ?? USUAL_POLL_MS,
  }
}

/** The last one that `Date` knows. */
const LAST_MOMENT = 8.64e15

function readTime(value: JsonObject, member: string): number {
  const text = value[member]
  const time = typeof text === 'string' && text.length < 64 ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw unreadable(`has a ${member} that is no time`)
  return time
}

function readSpan(value: JsonObject, member: string): number | undefined {
  const span = value[member]
  if (span === undefined) return undefined
  if (typeof span !== 'number' || !(span >= 0)) throw unreadable(`has a ${member} that is no time span`)
  return span
}

function readQuestions(value: unknown): JsonObject {
  if (!isObject(value)) throw unreadable('waits for input and has no inputRequests')
  const questions = Object.entries(value)
  if (questions.length > MAX_QUESTIONS) throw unreadable(`has more than ${MAX_QUESTIONS} questions`)
  for (const [key, question] of questions) {
    if (!isObject(question) || typeof question.method !== 'string')
      throw unreadable(`has a question that is no request: ${key.slice(0, 100)}`)
  }
  return value
}

function readOutcome(value: unknown): CallToolResult {
  if (!isObject(value)) throw unreadable('is completed and has no result')
  const { content, structuredContent } = value
  if (content === undefined ? structuredContent === undefined : !Array.isArray(content) || !areBlocks(content))
    throw unreadable('has a result that is none')
  // Just shown to have what makes one.
  return (content === undefined ? { ...value, content: [] } : value) as unknown as CallToolResult
}

function readError(value: unknown): RpcErrorObject {
  if (!isObject(value) || !Number.isInteger(value.code) || typeof value.message !== 'string')
    throw unreadable('is failed and has no error')
  const { code, message, data } = value as { code: number; message: string; data?: unknown }
  return { code, message, ...(data !== undefined && { data }) }
}

function unreadable(reason: string): PorticoError {
  return new PorticoError('invalid-message', `The task that the other side described ${reason}`, {
    delivery: 'unknown',
  })
}
