/** The methods of tasks in both generations: look, fetch, answer, list, cancel. */

import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import {
  EXTENSION_TASKS,
  generationOf,
  isFinal,
  TASK_METHODS,
  type TaskGeneration,
  withRelatedTask,
  writeDetailedTask,
  writeTask,
} from '../../protocol/tasks.ts'
import { requestClient } from '../../session/session-request.ts'
import { methodNotFound } from '../call/answer.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, invalidParam, type ServerMethod, stringParam } from '../call/method.ts'
import type { FeatureHost } from '../feature.ts'
import type { TaskBook } from './task-book.ts'
import { declaresTasks, taskRequired } from './task-calls.ts'
import type { TaskEngine } from './task-engine.ts'
import { type OpenQuestion, type TaskRecord, unanswered, viewOf, withAnswers } from './task-record.ts'

const PAGE = 100

type Serve = (call: ServerCall, generation: TaskGeneration) => Promise<JsonObject>

export class TaskMethods {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #engine: TaskEngine
  /** Questions that are with a client at the moment, so that two open `tasks/result` do not ask twice. */
  readonly #delivered = new Set<string>()

  constructor(server: FeatureHost, book: TaskBook, engine: TaskEngine) {
    this.#server = server
    this.#book = book
    this.#engine = engine
  }

  methods(): ServerMethod[] {
    const serve: { readonly [method: string]: Serve } = {
      'tasks/get': (call, generation) => this.#get(call, generation),
      'tasks/result': (call) => this.#result(call),
      'tasks/update': (call) => this.#update(call),
      'tasks/list': (call, generation) => this.#list(call, generation),
      'tasks/cancel': (call, generation) => this.#cancel(call, generation),
    }
    return [...TASK_METHODS].map((method) =>
      defineMethod<JsonObject>({
        method,
        run: (call) => (serve[method] as Serve)(call, requireGeneration(call)),
        write: (result) => result,
      }),
    )
  }

  async #get(call: ServerCall, generation: TaskGeneration): Promise<JsonObject> {
    return writeDetailedTask(viewOf(await this.#require(call)), generation, call.conversation.revision)
  }

  async #update(call: ServerCall): Promise<JsonObject> {
    const record = await this.#require(call)
    const { inputResponses } = call.params
    if (!isObject(inputResponses)) throw invalidParam('inputResponses', 'must be an object')
    await this.#answer(record.id, inputResponses)
    return {}
  }

  async #cancel(call: ServerCall, generation: TaskGeneration): Promise<JsonObject> {
    const record = await this.#require(call)
    const cancelled = await this.#book.change(record.id, () => ({ status: 'cancelled' }))
    this.#engine.cancelled(record.id)
    if (generation === EXTENSION_TASKS) return {}
    if (cancelled === undefined) throw invalidParam('taskId', 'names a task that is over')
    return writeTask(viewOf(cancelled), generation)
  }

  async #list(call: ServerCall, generation: TaskGeneration): Promise<JsonObject> {
    const { principal } = call.conversation
    // Who is not known by name shares that with everybody else: 2025-11-25, tasks, "Task Isolation and Access Control".
    if (principal === undefined) throw methodNotFound(call.method)
    const { cursor } = call.params
    if (cursor !== undefined && (typeof cursor !== 'string' || !(await this.#book.find(cursor, principal.id)))) {
      throw invalidParam('cursor', 'is not one that was given out')
    }
    const records = await this.#book.list(principal.id, cursor, PAGE)
    const last = records.length === PAGE ? records.at(-1)?.id : undefined
    const tasks = records.map((record) => writeTask(viewOf(record), generation))
    return last === undefined ? { tasks } : { tasks, nextCursor: last }
  }

  /** Waits for the end, and meanwhile puts the task's questions to the client that waits (2025-11-25). */
  async #result(call: ServerCall): Promise<JsonObject> {
    let record = await this.#require(call)
    const { id } = record
    let changed = (): void => {}
    let next = wait()
    const stop = await this.#book.watch(id, () => changed())
    call.signal.addEventListener('abort', () => changed(), { once: true })
    function wait(): Promise<void> {
      return new Promise((resolve) => {
        changed = resolve
      })
    }
    try {
      for (;;) {
        record = (await this.#book.find(id, call.conversation.principal?.id)) ?? gone()
        if (isFinal(record.status)) return outcomeOf(record, call)
        for (const [key, question] of unanswered(record)) void this.#deliver(call, record.id, key, question)
        await next
        if (call.cancelled) throw new RpcError(INTERNAL_ERROR, 'The request was cancelled')
        next = wait()
      }
    } finally {
      stop()
    }
  }

  async #deliver(call: ServerCall, id: string, key: string, { method, params }: OpenQuestion): Promise<void> {
    const { session } = call
    const mark = `${id} ${key}`
    if (session === undefined || this.#delivered.has(mark)) return
    this.#delivered.add(mark)
    try {
      // What was looked at may be older than an answer that came while somebody else asked.
      const now = await this.#book.read(id)
      if (now === undefined || !unanswered(now).some(([open]) => open === key)) return
      const { askTimeoutMs: timeoutMs } = this.#server.asker
      const asked = { method, params: withRelatedTask(params, id) }
      const answer = await requestClient(session, asked, call.outlet, { timeoutMs, signal: call.signal })
      await this.#answer(id, { [key]: answer })
    } catch (error) {
      if (error instanceof RpcError) await this.#refused(id, key, method, error)
    } finally {
      this.#delivered.delete(mark)
    }
  }

  /** A form that the client will not show counts as cancelled; without any other answer the task cannot go on. */
  async #refused(id: string, key: string, method: string, { message }: RpcError): Promise<void> {
    if (method === 'elicitation/create') return this.#answer(id, { [key]: { action: 'cancel' } })
    const statusMessage = `The client refused ${method}: ${message}`
    const error = { code: INTERNAL_ERROR, message: statusMessage }
    await this.#book.change(id, () => ({ status: 'failed', error, statusMessage }))
  }

  async #answer(id: string, answers: JsonObject): Promise<void> {
    const changed = await this.#book.change(id, (record) => withAnswers(record, answers))
    if (changed?.status === 'working') this.#engine.wake(id)
  }

  async #require(call: ServerCall): Promise<TaskRecord> {
    const id = stringParam(call.params, 'taskId')
    return (await this.#book.find(id, call.conversation.principal?.id)) ?? gone()
  }
}

/** The generation of this request's revision, if it has the method; the capability is looked at before any id. */
function requireGeneration(call: ServerCall): TaskGeneration {
  const generation = generationOf(call.conversation.revision)
  if (generation === undefined || !generation.methods.has(call.method)) throw methodNotFound(call.method)
  if (generation === EXTENSION_TASKS && !declaresTasks(call)) throw taskRequired(generation)
  return generation
}

function gone(): never {
  throw new RpcError(INVALID_PARAMS, 'Unknown task', { parameter: 'taskId', reason: 'names no task here' })
}

/** What the request itself would have been answered with. */
function outcomeOf({ id, status, result, error }: TaskRecord, call: ServerCall): JsonObject {
  if (result !== undefined) return withRelatedTask(call.conversation.revision.writeCallToolResult(result), id)
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  throw new RpcError(INTERNAL_ERROR, `The task was ${status}`)
}
