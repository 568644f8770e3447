/**
 * How a call becomes a task, or does not: by what the tool says, what the caller can, and how long the work takes. Sits around
 * the tool itself, inside all middleware.
 */

import { INVALID_REQUEST, METHOD_NOT_FOUND, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { LONGEST_TIMER_MS } from '../../jsonrpc/longest-timer.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type ProgressToken, progressToken } from '../../protocol/meta.ts'
import {
  CORE_TASKS,
  EXTENSION_TASKS,
  generationOf,
  isFinal,
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
import { answered, clean, declaresTasks, taskRequired } from './task-answer.ts'
import type { TaskBook } from './task-book.ts'
import type { TaskEngine } from './task-engine.ts'
import { handleOf } from './task-helpers.ts'
import { HELPER, type TaskSettings } from './task-options.ts'
import { type TaskRecord, type TaskRequest, viewOf } from './task-record.ts'
import { PLAIN_STATE, type ProgressListener } from './task-run.ts'
import { outcomeOf, type TaskWait } from './task-wait.ts'

type Run = () => CallToolResult | Promise<CallToolResult>

/** What calls need beside the server. */
interface CallParts {
  readonly book: TaskBook
  readonly engine: TaskEngine
  readonly wait: TaskWait
  /** How long the request of a caller without tasks stays open; undefined: for as long as the work takes. */
  readonly holdMs: number | undefined
}

/** No client may ask for less: a task that is forgotten while it runs is counted by nobody. */
const MIN_ASKED_TTL_MS = 60_000

export class TaskCalls {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #engine: TaskEngine
  readonly #wait: TaskWait
  readonly #holdMs: number | undefined

  constructor(server: FeatureHost, { book, engine, wait, holdMs }: CallParts) {
    this.#server = server
    this.#book = book
    this.#engine = engine
    this.#wait = wait
    this.#holdMs = holdMs
  }

  /** Whether a call may become a task, by what its caller says, or is one. */
  concerns(call: ServerCall): boolean {
    if (call.detached !== undefined) return true
    const generation = generationOf(call.conversation.revision)
    return generation !== undefined && asksForTask(call, generation)
  }

  /** Runs a tool's work, or makes a task of it. */
  call(settings: TaskSettings, call: ServerCall, run: Run): CallToolResult | Promise<CallToolResult> {
    if (call.detached !== undefined) return call.detached.known ?? andThen(run(), clean)
    const generation = generationOf(call.conversation.revision)
    const asked = generation !== undefined && asksForTask(call, generation)
    const { mode } = settings
    if (mode === 'never') {
      // 2025-11-25, tools, "Task support": what a tool does not have is not found.
      if (asked && generation.name === 'core') throw new RpcError(METHOD_NOT_FOUND, 'This tool does not run as a task')
      return settings === HELPER ? run() : andThen(run(), clean)
    }
    if (!asked) {
      if (mode === 'required' && generation !== undefined) throw taskRequired(generation)
      return this.#holdMs === undefined ? andThen(run(), clean) : this.#held(settings, call, run, this.#holdMs)
    }
    if (generation.name === 'core' || settings.after === 0) return this.#create(settings, call, generation)
    return this.#unlessDone(settings, call, run, async (record) => answered(writeCreated(viewOf(record), generation)))
  }

  /** A task from the start. */
  async #create(settings: TaskSettings, call: ServerCall, generation: TaskGeneration): Promise<CallToolResult> {
    const record = await this.#keep(settings, call).catch(refuse)
    // Followed first, so that nothing is missed of a task that is done at once.
    if (call.session !== undefined) await this.#orReport(this.#tellSession(call.session, record, call.sent))
    await this.#orReport(this.#engine.begin(record.id))
    return answered(writeCreated(viewOf(record), generation))
  }

  /** For a caller without tasks: the result on the open request, or after a while the way to it. */
  async #held(settings: TaskSettings, call: ServerCall, run: Run, holdMs: number): Promise<CallToolResult> {
    const until = performance.now() + holdMs
    const hold = async (record: TaskRecord): Promise<CallToolResult> => {
      this.#engine.onProgress(record.id, (...told) => call.tell(...told))
      const forMs = Math.max(0, until - performance.now())
      try {
        const now = await this.#wait.wait(call, record.id, { forMs, patient: true })
        return answered(outcomeOf(now, call) ?? call.conversation.revision.writeCallToolResult(handleOf(now, settings)))
      } catch (error) {
        // Who gave up has no id to ask for it by.
        if (call.cancelled) await this.#book.cancel(record.id)
        throw error
      } finally {
        this.#engine.onProgress(record.id, undefined)
      }
    }
    if (settings.after > 0) return this.#unlessDone(settings, call, run, hold)
    const record = await this.#keep(settings, call).catch(refuse)
    // Held first, so that nothing is missed of what it tells at once.
    const [result] = await Promise.all([hold(record), this.#orReport(this.#engine.begin(record.id))])
    return result
  }

  /** Goes on with `become` once the work is not done in time, or is about to wait. */
  async #unlessDone(
    settings: TaskSettings,
    call: ServerCall,
    run: Run,
    become: (record: TaskRecord) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const [late, left] = [createSignal(), createSignal()]
    const timer = setTimeout(late.fire, settings.after)
    call.leave = () => {
      late.fire()
      return left.fired
    }
    const work = Promise.resolve().then(run).then(clean)
    const done = work.then(
      () => true,
      () => true,
    )
    let record: TaskRecord | undefined
    try {
      const inTime = await Promise.race([done, late.fired.then(() => false)])
      clearTimeout(timer)
      if (!inTime && !call.answered) record = await this.#leave(settings, call, work)
    } finally {
      call.leave = undefined
      left.fire()
    }
    return record === undefined ? work : become(record)
  }

  /** A task that is kept is found by the next look, whatever went wrong after that: its caller is told of the task. */
  async #orReport(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => void this.#server.reportPrivately(error, 'beginning a task'))
  }

  /**
   * Makes a task of work that runs; undefined where there is no room for one, it cannot be kept, or the request is over already.
   * What has begun has its answer: it then goes on as the call of somebody who knows no tasks.
   */
  async #leave(
    settings: TaskSettings,
    call: ServerCall,
    work: Promise<CallToolResult>,
  ): Promise<TaskRecord | undefined> {
    const keep = async (id: string): Promise<TaskRecord | undefined> => {
      const record = await this.#keep(settings, call, { id, state }).catch(withoutRoom)
      if (record === undefined || !(call.answered || call.cancelled)) return record
      // It asked, or was cancelled, while the task was being kept: nobody will hear of that one.
      await this.#book.cancel(record.id)
      return undefined
    }
    const rounds = await roundsOf(this.#server.asker, call)
    const state = await rounds.snapshot(PLAIN_STATE)
    try {
      return await this.#engine.adopt(call, work, keep, settings.ttlMs)
    } catch (error) {
      this.#server.reportPrivately(error, 'making a task of a call')
      return undefined
    }
  }

  #keep(
    settings: TaskSettings,
    call: ServerCall,
    begun: { readonly id?: string; readonly state?: string } = {},
  ): Promise<TaskRecord> {
    const asked = isObject(call.params.task) ? call.params.task.ttl : undefined
    const ttlMs =
      typeof asked === 'number' && asked > 0 && call.session !== undefined
        ? Math.max(Math.round(asked), Math.min(MIN_ASKED_TTL_MS, settings.ttlMs))
        : settings.ttlMs
    const { pollIntervalMs } = settings
    return this.#book.create({
      request: toRequest(call),
      ttlMs,
      pollIntervalMs,
      ...begun,
      ...(call.said !== undefined && { statusMessage: call.said }),
    })
  }

  /**
   * `notifications/tasks/status` to the session that asked for the task, and its progress where that was asked for, while both
   * last (2025-11-25).
   */
  async #tellSession(session: LegacySession, record: TaskRecord, sent: JsonObject): Promise<void> {
    const { id, status, statusMessage, ttlMs } = record
    let told = `${status} ${statusMessage}`
    const tell = async (): Promise<void> => {
      const now = session.phase === 'closed' ? undefined : await this.#book.read(id)
      const said = `${now?.status} ${now?.statusMessage}`
      if (now !== undefined && said !== told) post(session, CORE_TASKS.notice, writeTask(viewOf(now), CORE_TASKS))
      told = said
      if (now === undefined || isFinal(now.status)) end()
    }
    const stop = await this.#book.watch(id, () => void tell().catch(() => {}))
    const end = (): void => {
      clearTimeout(expired)
      stop()
      forget()
      this.#engine.onProgress(id, undefined)
    }
    const forget = session.onClose(end)
    // Nobody tells of a task that has expired.
    const expired = setTimeout(end, Math.min(ttlMs, LONGEST_TIMER_MS))
    if (typeof expired === 'object') expired.unref()
    const token = progressToken(sent)
    if (token !== undefined) this.#engine.onProgress(id, (...step) => postProgress(session, token, id, step))
  }
}

function postProgress(
  session: LegacySession,
  progressToken: ProgressToken,
  taskId: string,
  [progress, total, message]: Parameters<ProgressListener>,
): void {
  const params = { progressToken, progress, ...(total !== undefined && { total }), ...(message && { message }) }
  post(session, 'notifications/progress', withRelatedTask(params, taskId))
}

/** Whether a call may be answered with a task. */
function asksForTask(call: ServerCall, generation: TaskGeneration): boolean {
  return generation === EXTENSION_TASKS ? declaresTasks(call) : isObject(call.params.task)
}

/** That there is no room for a task is no fault of this server, and the caller's to mend. */
function refuse(error: unknown): never {
  if (!(error instanceof PorticoError) || error.code !== 'limit-exceeded') throw error
  throw new RpcError(INVALID_REQUEST, error.message, error.data)
}

/** Work that has begun goes on without a task where there is no room for one. */
function withoutRoom(error: unknown): undefined {
  if (error instanceof PorticoError && error.code === 'limit-exceeded') return undefined
  throw error
}

function post(session: LegacySession, method: string, params: JsonObject): void {
  session.post(JSON.stringify({ jsonrpc: '2.0', method, params }), 'keep')
}

/** Something that happens once. */
function createSignal(): { readonly fire: () => void; readonly fired: Promise<void> } {
  let fire = (): void => {}
  const fired = new Promise<void>((resolve) => {
    fire = resolve
  })
  return { fire: () => fire(), fired }
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
