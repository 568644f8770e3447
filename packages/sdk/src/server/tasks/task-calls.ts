/**
 * How a call becomes a task, or does not: by what the tool says, what the caller can, and how long the work takes. Sits around
 * the tool itself, inside all middleware.
 */

import { METHOD_NOT_FOUND, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { progressToken } from '../../protocol/meta.ts'
import {
  EXTENSION_TASKS,
  generationOf,
  isFinal,
  TASKS_EXTENSION,
  type TaskGeneration,
  withRelatedTask,
  writeCreated,
  writeTask,
} from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { roundsOf } from '../asking/asking.ts'
import type { ServerCall } from '../call/call.ts'
import { andThen } from '../call/method.ts'
import type { FeatureHost } from '../feature.ts'
import type { TaskBook } from './task-book.ts'
import type { TaskEngine } from './task-engine.ts'
import type { TaskSettings } from './task-options.ts'
import { type TaskRecord, type TaskRequest, viewOf } from './task-record.ts'
import { PLAIN_STATE } from './task-run.ts'

/** The member of a result that says which task the call became. Handlers cannot set it: it is taken out of what they return. */
export const BECAME_TASK = '~task'

type Run = () => CallToolResult | Promise<CallToolResult>

export class TaskCalls {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #engine: TaskEngine

  constructor(server: FeatureHost, book: TaskBook, engine: TaskEngine) {
    this.#server = server
    this.#book = book
    this.#engine = engine
  }

  /** Runs a tool's work, or makes a task of it. */
  call(settings: TaskSettings, call: ServerCall, run: Run): CallToolResult | Promise<CallToolResult> {
    if (call.detached !== undefined) return call.detached.known ?? andThen(run(), clean)
    const generation = generationOf(call.conversation.revision)
    if (generation === undefined) return andThen(run(), clean)
    const asked = generation === EXTENSION_TASKS ? declaresTasks(call) : isObject(call.params.task)
    const { mode } = settings
    if (mode === 'never') {
      // 2025-11-25, tools, "Task support": what a tool does not have is not found.
      if (asked && generation.name === 'core') throw new RpcError(METHOD_NOT_FOUND, 'This tool does not run as a task')
      return andThen(run(), clean)
    }
    if (!asked) {
      if (mode === 'required') throw taskRequired(generation)
      return andThen(run(), clean)
    }
    if (generation.name === 'core' || settings.after === 0) return this.#create(settings, call, generation)
    return this.#after(settings, call, run)
  }

  /** A task from the start. */
  async #create(settings: TaskSettings, call: ServerCall, generation: TaskGeneration): Promise<CallToolResult> {
    const record = await this.#keep(settings, call)
    // Followed first, so that nothing is missed of a task that is done at once.
    const { session } = call
    if (session !== undefined) await this.#tellSession(session, record, generation)
    const run = await this.#engine.begin(record)
    const token = progressToken(call.sent)
    if (run !== undefined && session !== undefined && token !== undefined) {
      run.onProgress = (progress, total, message) => {
        const params = {
          progressToken: token,
          progress,
          ...(total !== undefined && { total }),
          ...(message && { message }),
        }
        post(session, 'notifications/progress', withRelatedTask(params, record.id))
      }
    }
    return created(record, generation)
  }

  /** A task if the work is not done in time, or is about to wait. */
  async #after(settings: TaskSettings, call: ServerCall, run: Run): Promise<CallToolResult> {
    let leave: (() => void) | undefined
    const time = new Promise<void>((resolve) => {
      leave = resolve
    })
    const timer = setTimeout(() => leave?.(), settings.after)
    let left: (() => void) | undefined
    const gone = new Promise<void>((resolve) => {
      left = resolve
    })
    call.leave = () => {
      leave?.()
      return gone
    }
    const work = Promise.resolve().then(run).then(clean)
    const first = await Promise.race([
      work.then(
        () => 'done',
        () => 'done',
      ),
      time.then(() => 'late'),
    ])
    clearTimeout(timer)
    call.leave = undefined
    if (first === 'done' || call.answered) {
      left?.()
      return work
    }
    try {
      return await this.#leave(settings, call, work)
    } finally {
      left?.()
    }
  }

  async #leave(settings: TaskSettings, call: ServerCall, work: Promise<CallToolResult>): Promise<CallToolResult> {
    const rounds = await roundsOf(this.#server.asker, call)
    const record = await this.#keep(settings, call, await rounds.snapshot(PLAIN_STATE))
    if (call.answered || call.cancelled) {
      // It asked, or was cancelled, while the task was being kept: nobody will hear of that one.
      await this.#book.change(record.id, () => ({ status: 'cancelled' }))
      return work
    }
    await this.#engine.adopt(record, call, work)
    return created(record, EXTENSION_TASKS)
  }

  #keep(settings: TaskSettings, call: ServerCall, state?: string): Promise<TaskRecord> {
    const asked = isObject(call.params.task) ? call.params.task.ttl : undefined
    const ttlMs =
      typeof asked === 'number' && asked > 0 && call.session !== undefined ? Math.round(asked) : settings.ttlMs
    const { pollIntervalMs } = settings
    return this.#book.create({ request: toRequest(call), ttlMs, pollIntervalMs, ...(state !== undefined && { state }) })
  }

  /** `notifications/tasks/status` to the session that asked for the task, while both last (2025-11-25). */
  async #tellSession(
    session: LegacySession,
    { id, status, statusMessage }: TaskRecord,
    generation: TaskGeneration,
  ): Promise<void> {
    let stop: (() => void) | undefined
    let told = `${status} ${statusMessage}`
    const tell = async (): Promise<void> => {
      const record = session.phase === 'closed' ? undefined : await this.#book.read(id)
      const now = `${record?.status} ${record?.statusMessage}`
      if (record !== undefined && now !== told) post(session, generation.notice, writeTask(viewOf(record), generation))
      told = now
      if (record === undefined || isFinal(record.status)) stop?.()
    }
    stop = await this.#book.watch(id, () => void tell().catch(() => {}))
    session.onClose(stop)
  }
}

/** What a handler passes on from elsewhere cannot pretend that its call became a task. */
function clean(result: CallToolResult): CallToolResult {
  if (!Object.hasOwn(result, BECAME_TASK)) return result
  return Object.fromEntries(
    Object.entries(result).filter(([name]) => name !== BECAME_TASK),
  ) as unknown as CallToolResult
}

function post(session: LegacySession, method: string, params: JsonObject): void {
  session.post(JSON.stringify({ jsonrpc: '2.0', method, params }), 'keep')
}

/** Whether this request declares the extension; what earlier ones said does not count. */
export function declaresTasks({ conversation: { capabilities } }: ServerCall): boolean {
  return isObject(capabilities.extensions) && Object.hasOwn(capabilities.extensions, TASKS_EXTENSION)
}

/** The refusal of a caller that would have to know tasks. */
export function taskRequired({ taskRequiredCode, name }: TaskGeneration): RpcError {
  if (name === 'core') return new RpcError(taskRequiredCode, 'This tool runs as a task only: send `task` with the call')
  return new RpcError(taskRequiredCode, `This needs the extension "${TASKS_EXTENSION}"`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

function created(record: TaskRecord, generation: TaskGeneration): CallToolResult {
  // A result for middleware to look at, which has no content yet.
  return { content: [], [BECAME_TASK]: writeCreated(viewOf(record), generation) } as CallToolResult
}

function toRequest(call: ServerCall): TaskRequest {
  const { task: _task, requestState: _state, inputResponses: _answers, ...params } = call.params
  const { revision, capabilities, clientInfo, principal } = call.conversation
  return {
    params,
    version: revision.version,
    capabilities,
    ...(clientInfo && { clientInfo }),
    ...(principal && {
      principal: {
        id: principal.id,
        scopes: [...principal.scopes],
        ...(principal.claims && { claims: { ...principal.claims } }),
      },
    }),
  }
}
