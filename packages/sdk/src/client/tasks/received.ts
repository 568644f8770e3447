/**
 * Questions of a server of 2025-11-25 that it asked to have answered as tasks: the client is the one who works then, keeps
 * what came out of it for a while, and is asked for it. There are few, small and soon forgotten (sec-364).
 */

import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RpcErrorObject } from '../../jsonrpc/message.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Revision } from '../../protocol/revision.ts'
import {
  CORE_TASKS,
  generationOf,
  isFinal,
  META_RELATED_TASK,
  type TaskStatus,
  type TaskView,
  withRelatedTask,
  writeCreated,
  writeTask,
} from '../../protocol/tasks.ts'
import type { Relayed } from '../relay.ts'

/** A question of the server's, and whoever it is answered for. */
export interface AskedRequest {
  readonly method: string
  readonly params: JsonObject
  readonly signal: AbortSignal
  readonly relay: Relayed | undefined
}

/** How much a server may have this client keep. */
const MAX_TASKS = 32
const MAX_RESULT_LENGTH = 2 * 1024 * 1024
const USUAL_TTL_MS = 600_000
const LONGEST_TTL_MS = 3_600_000
const POLL_MS = 1_000
const PAGE = 16

interface Received {
  view: TaskView
  readonly work: AbortController
  readonly timer: ReturnType<typeof setTimeout>
  /** Settled when the task is over. */
  readonly over: Promise<void>
  end(): void
  result?: JsonObject
  error?: RpcErrorObject
}

export class ReceivedTasks {
  readonly #answer: (asked: AskedRequest) => Promise<JsonObject>
  readonly #tasks = new Map<string, Received>()

  constructor(answer: (asked: AskedRequest) => Promise<JsonObject>) {
    this.#answer = answer
  }

  /** Answers a request that asks for a task, or about one. Those that cannot be tasks are answered as they are (T25-09). */
  async take(asked: AskedRequest, revision: Revision, { tasks }: ClientCapabilities): Promise<JsonObject> {
    const { method, params, signal } = asked
    const known = generationOf(revision) === CORE_TASKS && tasks !== undefined
    if (!method.startsWith('tasks/')) {
      const [kind = '', name = ''] = method.split('/')
      const offered = known ? tasks.requests?.[kind] : undefined
      const wanted = isObject(params.task) && isObject(offered) && isObject(offered[name])
      return wanted ? this.#create(asked) : asRelated(await this.#answer(asked), params._meta)
    }
    switch (known ? method : '') {
      case 'tasks/get':
        return writeTask(this.#require(params).view, CORE_TASKS)
      case 'tasks/result':
        return this.#result(this.#require(params), signal)
      case 'tasks/list':
        return this.#list(params.cursor)
      case 'tasks/cancel':
        return this.#cancel(this.#require(params))
      default:
        throw new RpcError(METHOD_NOT_FOUND, `Method not found: this client does not offer ${method}`)
    }
  }

  /** Forgets all tasks, and ends the work on them. */
  close(): void {
    for (const id of this.#tasks.keys()) this.#forget(id)
  }

  #create({ method, params: { task, ...params }, relay }: AskedRequest): JsonObject {
    if (this.#tasks.size >= MAX_TASKS) throw new RpcError(INVALID_REQUEST, `More than ${MAX_TASKS} tasks`)
    const taskId = crypto.randomUUID()
    const now = Date.now()
    const asked = isObject(task) && typeof task.ttl === 'number' && task.ttl > 0 ? task.ttl : USUAL_TTL_MS
    const ttlMs = Math.min(asked, LONGEST_TTL_MS)
    const times = { createdAt: now, updatedAt: now, ttlMs, pollIntervalMs: POLL_MS }
    const work = new AbortController()
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    const timer = setTimeout(() => this.#forget(taskId), ttlMs)
    const received: Received = { view: { taskId, status: 'working', ...times }, work, timer, over, end }
    this.#tasks.set(taskId, received)
    this.#answer({ method, params, signal: work.signal, relay }).then(
      (result) => this.#done(received, result),
      (error) => this.#failed(received, error),
    )
    return writeCreated(received.view, CORE_TASKS)
  }

  #done(received: Received, result: JsonObject): void {
    if (JSON.stringify(result).length > MAX_RESULT_LENGTH) {
      this.#failed(received, new RpcError(INTERNAL_ERROR, 'The answer is too large to be kept'))
      return
    }
    if (settle(received, 'completed')) received.result = result
    received.end()
  }

  /** What a handler threw stays here; the server learns only that there is no answer. */
  #failed(received: Received, error: unknown): void {
    const shown = error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, 'The client could not answer this')
    if (settle(received, 'failed', shown.message)) received.error = shown.toErrorObject()
    received.end()
  }

  async #result(received: Received, signal: AbortSignal): Promise<JsonObject> {
    await Promise.race([received.over, new Promise((resolve) => signal.addEventListener('abort', resolve))])
    const { result, error, view } = received
    if (result !== undefined) return withRelatedTask(result, view.taskId)
    if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
    throw new RpcError(INTERNAL_ERROR, `The task was ${view.status}`)
  }

  #list(cursor: unknown): JsonObject {
    const all = [...this.#tasks.values()]
    const at = cursor === undefined ? 0 : all.findIndex(({ view }) => view.taskId === cursor) + 1
    if (cursor !== undefined && at === 0) throw new RpcError(INVALID_PARAMS, 'Unknown cursor')
    const page = all.slice(at, at + PAGE)
    const last = page.at(-1)
    const tasks = page.map(({ view }) => writeTask(view, CORE_TASKS))
    return at + PAGE < all.length && last !== undefined ? { tasks, nextCursor: last.view.taskId } : { tasks }
  }

  #cancel(received: Received): JsonObject {
    if (!settle(received, 'cancelled')) throw new RpcError(INVALID_PARAMS, 'The task is over')
    received.work.abort('The server cancelled the task')
    received.end()
    return writeTask(received.view, CORE_TASKS)
  }

  #require({ taskId }: JsonObject): Received {
    const received = typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined
    if (received === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown task')
    return received
  }

  #forget(taskId: string): void {
    const received = this.#tasks.get(taskId)
    if (received === undefined) return
    this.#tasks.delete(taskId)
    clearTimeout(received.timer)
    settle(received, 'cancelled')
    received.work.abort('The time of the task is over')
    received.end()
  }
}

/** Whatever belongs to a task of the server's says so (2025-11-25, tasks, "Associating Task-Related Messages"). */
function asRelated(answer: JsonObject, meta: unknown): JsonObject {
  const related = isObject(meta) ? meta[META_RELATED_TASK] : undefined
  return isObject(related) ? withRelatedTask(answer, String(related.taskId)) : answer
}

/** Ends a task, unless it has ended: what is over stays as it is (T25-34). */
function settle(received: Received, status: TaskStatus, statusMessage?: string): boolean {
  if (isFinal(received.view.status)) return false
  const updatedAt = Math.max(Date.now(), received.view.updatedAt)
  received.view = { ...received.view, status, updatedAt, ...(statusMessage !== undefined && { statusMessage }) }
  return true
}
