/** The one way from a request to a task: it is the caller's own, and may be asked about. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ServerCall } from '../call/call.ts'
import type { RequestContext } from '../context.ts'
import type { FeatureHost } from '../feature.ts'
import type { TaskBook } from './task-book.ts'
import type { TaskRecord } from './task-record.ts'

/** Refuses a request about a task by throwing; given what the task was called with, unless it is about all of them, or none. */
export type TaskAdmission = (params: JsonObject | undefined, ctx: RequestContext) => void | Promise<void>

export class OwnTasks {
  readonly #server: Pick<FeatureHost, 'plainContext'>
  readonly #book: TaskBook
  readonly #admit: TaskAdmission | undefined

  constructor(server: Pick<FeatureHost, 'plainContext'>, book: TaskBook, admit: TaskAdmission | undefined) {
    this.#server = server
    this.#book = book
    this.#admit = admit
  }

  /** A task of the caller's; undefined for what is unknown or another's, which nobody can tell apart. */
  async find(id: string, call: ServerCall): Promise<TaskRecord | undefined> {
    const record = await this.#book.find(id, call.conversation.principal?.id)
    // Who asks for what is not there is counted, too.
    await this.#admit?.(record?.request.params, this.#server.plainContext(call))
    return record
  }

  /** Lets a request in that is about all tasks of its caller, or throws. */
  async admitAll(call: ServerCall): Promise<void> {
    await this.#admit?.(undefined, this.#server.plainContext(call))
  }
}
