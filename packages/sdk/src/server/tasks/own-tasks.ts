/** The one way from a request to a task: it is the caller's own, and may be asked about. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ServerCall } from '../call/call.ts'
import type { RequestContext } from '../context.ts'
import type { FeatureHost } from '../feature.ts'
import { isAdmitted, isUsable } from '../items/access.ts'
import type { Access } from '../items/item-options.ts'
import type { TaskBook } from './task-book.ts'
import { TaskLooks } from './task-looks.ts'
import { CANCEL_HELPER } from './task-options.ts'
import type { TaskRecord } from './task-record.ts'

/** Refuses a request about a task by throwing; given what the task was called with, unless it is about all of them, or none. */
export type TaskAdmission = (params: JsonObject | undefined, ctx: RequestContext) => void | Promise<void>

export class OwnTasks {
  readonly #server: Pick<FeatureHost, 'plainContext' | 'collections'>
  readonly #book: TaskBook
  readonly #admit: TaskAdmission | undefined
  readonly looks: TaskLooks

  constructor(
    server: Pick<FeatureHost, 'plainContext' | 'collections'>,
    book: TaskBook,
    admit: TaskAdmission | undefined,
  ) {
    this.#server = server
    this.#book = book
    this.#admit = admit
    this.looks = new TaskLooks(book.limits)
  }

  /** A task of the caller's; undefined for what is unknown or another's, which nobody can tell apart. Counts as a look. */
  async find(id: string, call: ServerCall): Promise<TaskRecord | undefined> {
    this.looks.take(call)
    return this.findAgain(id, call)
  }

  /** The same for a request that was counted already, and waits or listens. */
  async findAgain(id: string, call: ServerCall): Promise<TaskRecord | undefined> {
    const found = await this.#book.find(id, call.conversation.principal?.id)
    const record =
      found && (endsTask(call) || isAdmitted(this.#accessOf(found), call.conversation.principal)) ? found : undefined
    // Who asks for what is not there is counted, too.
    await this.#admit?.(record?.request.params, this.#server.plainContext(call))
    return record
  }

  /** Whether its caller could make the call now that became this task. */
  isUsable(record: TaskRecord, { conversation: { principal } }: ServerCall): boolean {
    return isUsable(this.#accessOf(record), principal)
  }

  /** The rules of a task's tool; none where the tool is gone, or another server's. */
  #accessOf({ request }: TaskRecord): Access {
    const tools = this.#server.collections.find(({ kind }) => kind === 'tool')
    return tools?.registry.get(String(request.params.name))?.access ?? {}
  }

  /** Lets a request in that is about all tasks of its caller, or throws. Counts as a look. */
  async admitAll(call: ServerCall): Promise<void> {
    this.looks.take(call)
    await this.#admit?.(undefined, this.#server.plainContext(call))
  }
}

/** To end one's own task is never refused, whatever the rules of its tool are by now. */
function endsTask({ method, params }: ServerCall): boolean {
  return method === 'tasks/cancel' || (method === 'tools/call' && params.name === CANCEL_HELPER)
}
