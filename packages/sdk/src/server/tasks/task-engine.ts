/**
 * What wakes workers, within one process: a task that is due is run at once where it became due, and a look around from time
 * to time finds those whose process died. Which of several processes works on a task is decided by its lease.
 */

import { createPrincipal, type Principal } from '../../auth/principal.ts'
import type { Outlet } from '../../jsonrpc/channel.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { Conversation } from '../../session/conversation.ts'
import { randomToken } from '../../session/random-token.ts'
import { ServerCall } from '../call/call.ts'
import type { FeatureHost } from '../feature.ts'
import type { TaskBook } from './task-book.ts'
import type { TaskRecord, TaskRequest } from './task-record.ts'
import { LEASE_MS, leaseKey, TaskRun } from './task-run.ts'

const LOOK_MS = 5000

export class TaskEngine {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #owner = randomToken()
  readonly #runs = new Map<string, TaskRun>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(server: FeatureHost, book: TaskBook) {
    this.#server = server
    this.#book = book
  }

  /** Looks for tasks that nobody works on, now and from time to time. Keeps no process alive. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    if (typeof this.#timer === 'object') this.#timer.unref()
    void this.look()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async look(): Promise<void> {
    try {
      for (const id of await this.#book.due()) this.wake(id)
    } catch (error) {
      this.#server.reportPrivately(error, 'looking for tasks')
    }
  }

  /** Runs a task here, unless somebody does already. */
  wake(id: string): void {
    if (this.#runs.has(id)) return
    this.#run(id).catch((error: unknown) => void this.#server.reportPrivately(error, 'running a task'))
  }

  /** Goes on with a call that left its request. */
  async adopt(record: TaskRecord, call: ServerCall, work: Promise<CallToolResult>): Promise<TaskRun | undefined> {
    const run = await this.#take(record.id, call)
    if (run === undefined) return undefined
    this.#follow(record.id, run, run.goOn(work))
    return run
  }

  /** Begins with a task that was just kept. */
  async begin(record: TaskRecord): Promise<TaskRun | undefined> {
    const run = await this.#take(record.id, toCall(record))
    if (run !== undefined) this.#follow(record.id, run, run.replay())
    return run
  }

  /** Tells the run in this process, if it is here; others find out by themselves. */
  cancelled(id: string): void {
    this.#runs.get(id)?.cancel('The task was cancelled')
  }

  async #run(id: string): Promise<void> {
    const record = await this.#book.read(id)
    if (record?.status === 'working') await this.begin(record)
  }

  async #take(id: string, call: ServerCall): Promise<TaskRun | undefined> {
    const lease = await this.#book.store.lease(leaseKey(id), this.#owner, LEASE_MS)
    if (lease === undefined) return undefined
    const record = await this.#book.change(id, ({ status }) =>
      status === 'working' ? { epoch: lease.epoch } : undefined,
    )
    if (record === undefined) {
      await this.#book.store.release(leaseKey(id), lease)
      return undefined
    }
    const run = new TaskRun(this.#server, this.#book, record, { lease, call })
    this.#runs.set(id, run)
    return run
  }

  #follow(id: string, run: TaskRun, work: Promise<void>): void {
    const over = async (): Promise<void> => {
      if (this.#runs.get(id) === run) this.#runs.delete(id)
      // Answers may have come while the run that asked still held the lease.
      await this.#run(id)
    }
    work.then(over, over).catch((error: unknown) => void this.#server.reportPrivately(error, 'running a task'))
  }
}

/** The request of a task as a call, with what is known of it by now. */
function toCall(record: TaskRecord): ServerCall {
  const { request, state, questions = {} } = record
  const answers = Object.values(questions).flatMap(({ key, answer }) => (answer === undefined ? [] : [[key, answer]]))
  const again: JsonObject =
    state === undefined ? {} : { requestState: state, inputResponses: Object.fromEntries(answers) }
  const params = { ...request.params, ...again }
  return new ServerCall(record.id, 'tools/call', params, toConversation(request), NOWHERE, undefined, undefined)
}

function toConversation({ version, capabilities, clientInfo, principal }: TaskRequest): Conversation {
  const revision = revisionOf(version)
  if (revision === undefined) throw new Error(`No revision ${version}`)
  return { revision, capabilities, clientInfo, principal: principal && toPrincipal(principal), logLevel: undefined }
}

function toPrincipal({ id, scopes, claims }: NonNullable<TaskRequest['principal']>): Principal {
  return createPrincipal(id, scopes, claims)
}

/** A task has no request to answer. */
const NOWHERE: Outlet = { send: () => {}, end: () => {}, close: () => {} }
