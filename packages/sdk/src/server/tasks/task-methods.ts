/** The methods of tasks in both generations: look, fetch, answer, list, cancel. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import {
  EXTENSION_TASKS,
  generationOf,
  TASK_METHODS,
  type TaskGeneration,
  withRelatedTask,
  writeDetailedTask,
  writeTask,
} from '../../protocol/tasks.ts'
import { methodNotFound } from '../call/answer.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, invalidParam, type ServerMethod, stringParam } from '../call/method.ts'
import type { OwnTasks } from './own-tasks.ts'
import { declaresTasks, taskRequired } from './task-answer.ts'
import type { TaskBook } from './task-book.ts'
import { type TaskRecord, viewOf } from './task-record.ts'
import { gone, outcomeOf, type TaskWait } from './task-wait.ts'

const PAGE = 100

type Serve = (call: ServerCall, generation: TaskGeneration) => Promise<JsonObject>

export class TaskMethods {
  readonly #book: TaskBook
  readonly #wait: TaskWait
  readonly #own: OwnTasks

  constructor(book: TaskBook, wait: TaskWait, own: OwnTasks) {
    this.#own = own
    this.#book = book
    this.#wait = wait
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
    await this.#wait.answer(record.id, inputResponses)
    return {}
  }

  async #cancel(call: ServerCall, generation: TaskGeneration): Promise<JsonObject> {
    const record = await this.#require(call)
    const cancelled = await this.#book.cancel(record.id)
    if (generation === EXTENSION_TASKS) return {}
    if (cancelled === undefined) throw invalidParam('taskId', 'names a task that is over')
    return writeTask(viewOf(cancelled), generation)
  }

  async #list(call: ServerCall, generation: TaskGeneration): Promise<JsonObject> {
    const { principal } = call.conversation
    // Who is not known by name shares that with everybody else: 2025-11-25, tasks, "Task Isolation and Access Control".
    if (principal === undefined) throw methodNotFound(call.method)
    await this.#own.admitAll(call)
    const { cursor } = call.params
    if (cursor !== undefined && (typeof cursor !== 'string' || !(await this.#book.find(cursor, principal.id)))) {
      throw invalidParam('cursor', 'is not one that was given out')
    }
    this.#book.tellAccess({ method: call.method, principal: principal.id })
    const records = await this.#book.list(principal.id, cursor, PAGE)
    this.#own.looks.spend(call, records.length)
    const last = records.length === PAGE ? records.at(-1)?.id : undefined
    const shown = records.filter((record) => this.#own.isUsable(record, call))
    const tasks = shown.map((record) => writeTask(viewOf(record), generation))
    return last === undefined ? { tasks } : { tasks, nextCursor: last }
  }

  /** Waits for the end, and meanwhile puts the task's questions to the client that waits (2025-11-25). */
  async #result(call: ServerCall): Promise<JsonObject> {
    const { id } = await this.#require(call)
    const record = await this.#wait.wait(call, id, { related: true })
    return withRelatedTask(outcomeOf(record, call) ?? {}, id)
  }

  async #require(call: ServerCall): Promise<TaskRecord> {
    const taskId = stringParam(call.params, 'taskId')
    const principal = call.conversation.principal?.id
    const record = await this.#own.find(taskId, call)
    this.#book.tellAccess({ taskId, method: call.method, principal, tool: record?.request.params.name })
    return record ?? gone()
  }
}

/** The generation of this request's revision, if it has the method; the capability is looked at before any id. */
function requireGeneration(call: ServerCall): TaskGeneration {
  const generation = generationOf(call.conversation.revision)
  if (generation === undefined || !generation.methods.has(call.method)) throw methodNotFound(call.method)
  if (generation === EXTENSION_TASKS && !declaresTasks(call)) throw taskRequired(generation)
  return generation
}
