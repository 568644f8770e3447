/** The methods of tasks as a client sends them, in both generations. All of them may be sent again after a loss. */

import { INVALID_PARAMS, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import {
  CORE_TASKS,
  generationOf,
  readTask,
  TASKS_EXTENSION,
  type TaskGeneration,
  type TaskView,
} from '../../protocol/tasks.ts'
import type { SentCall } from '../attempt.ts'
import type { Connection } from '../connection.ts'
import type { RequestOptions } from '../options.ts'
import type { TaskHost } from './host.ts'
import type { TaskPage } from './run.ts'

/** A task as it was seen over a connection. */
export interface SeenTask {
  readonly view: TaskView
  readonly generation: TaskGeneration
}

/** The tasks that a server has declared, if it has. */
export function declaredTasks({ revision, server }: Connection): TaskGeneration | undefined {
  const generation = generationOf(revision)
  const { tasks, extensions } = server.capabilities
  const declared = generation === CORE_TASKS ? isObject(tasks) : isObject(extensions?.[TASKS_EXTENSION])
  return declared ? generation : undefined
}

/** The tasks that a connection has. Throws where it has none. */
export function requireTasks(connection: Connection): TaskGeneration {
  const generation = declaredTasks(connection)
  if (generation !== undefined) return generation
  throw missing(generationOf(connection.revision) === CORE_TASKS ? 'tasks' : TASKS_EXTENSION)
}

/** `tasks/get`. An id that the server does not know is `not-found`. */
export function getTask(host: TaskHost, taskId: string, options: RequestOptions = {}): Promise<SeenTask> {
  return host.requests.send<SeenTask>(
    {
      method: 'tasks/get',
      params: { taskId },
      timeoutMs: host.timeouts.readMs,
      tasks: true,
      read: (result, { connection }: SentCall) => {
        const generation = requireTasks(connection ?? host.connection)
        return { generation, view: readTask(result, generation) }
      },
      rescue: (error) => Promise.reject(toUnknown(error, taskId)),
    },
    { idempotent: true, ...options },
  )
}

/** `tasks/result` of 2025-11-25, which is answered when the task is over. */
export function fetchResult(host: TaskHost, taskId: string, options: RequestOptions): Promise<JsonObject> {
  const spec = { method: 'tasks/result', params: { taskId }, timeoutMs: Number.POSITIVE_INFINITY }
  return host.requests.send(spec, { idempotent: false, ...options })
}

/** `tasks/update` of 2026-07-28: a key that was answered before is passed over by the server. */
export async function sendAnswers(host: TaskHost, taskId: string, inputResponses: JsonObject): Promise<void> {
  const params = { taskId, inputResponses }
  const { readMs: timeoutMs } = host.timeouts
  await host.requests.send({ method: 'tasks/update', params, timeoutMs, tasks: true }, { idempotent: true })
}

/** `tasks/cancel`. 2025-11-25 answers with the task as it is then. */
export function cancelTask(host: TaskHost, taskId: string): Promise<SeenTask | undefined> {
  const { connection } = host
  if (requireTasks(connection) === CORE_TASKS && !isObject(connection.server.capabilities.tasks?.cancel)) {
    throw missing('tasks.cancel')
  }
  return host.requests.send<SeenTask | undefined>(
    {
      method: 'tasks/cancel',
      params: { taskId },
      timeoutMs: host.timeouts.readMs,
      tasks: true,
      read: (result, { connection }) => {
        const generation = requireTasks(connection ?? host.connection)
        return generation === CORE_TASKS ? { generation, view: readTask(result, generation) } : undefined
      },
    },
    { idempotent: true },
  )
}

/** `tasks/list` of 2025-11-25, a page of it. */
export async function listTasks(
  host: TaskHost,
  cursor: string | undefined,
  options: RequestOptions,
): Promise<TaskPage> {
  const { revision, server } = await host.requests.connected(options.signal)
  if (generationOf(revision) !== CORE_TASKS || !isObject(server.capabilities.tasks?.list)) throw missing('tasks.list')
  const params = cursor === undefined ? {} : { cursor }
  const spec = { method: 'tasks/list', params, timeoutMs: host.timeouts.listMs }
  const { tasks, nextCursor } = await host.requests.send(spec, { idempotent: true, ...options })
  if (!Array.isArray(tasks) || (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string')) {
    throw new PorticoError('invalid-message', 'The list of tasks is none', { delivery: 'unknown' })
  }
  const views = tasks.map((task) => readTask(task, CORE_TASKS))
  return typeof nextCursor === 'string' ? { tasks: views, nextCursor } : { tasks: views }
}

function toUnknown(error: unknown, taskId: string): unknown {
  if (!(error instanceof RpcError) || error.rpcCode !== INVALID_PARAMS) return error
  return new PorticoError('not-found', 'The server does not know this task, or no longer does', {
    cause: error,
    delivery: 'unknown',
    data: { taskId },
  })
}

function missing(capability: string): PorticoError {
  return new PorticoError('capability-missing', `The server did not declare "${capability}", which this needs`, {
    delivery: 'not-sent',
    data: { capability },
  })
}
