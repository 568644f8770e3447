/**
 * How a request waits for a task: until it is over, or for as long as a request may stay open, and meanwhile the task's
 * questions are put to the client that waits.
 */

import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { withRelatedTask } from '../../protocol/tasks.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { requestClient } from '../../session/session-request.ts'
import type { ServerCall } from '../call/call.ts'
import type { FeatureHost } from '../feature.ts'
import type { OwnTasks } from './own-tasks.ts'
import { untilBack } from './store-return.ts'
import { isOver, type TaskBook } from './task-book.ts'
import type { TaskEngine } from './task-engine.ts'
import { type OpenQuestion, type TaskRecord, unanswered, withAnswers } from './task-record.ts'

/** How often a client that asked for progress hears that its request is alive. */
const BEAT_MS = 15_000
/** Smaller than any step that a handler would tell. */
const BEAT_PROGRESS = 0.001

interface WaitOptions {
  /** Milliseconds after which the task is given as it is then; without end unless given. */
  readonly forMs?: number
  /** Whether questions carry the mark of the task, as 2025-11-25 has it. */
  readonly related?: boolean
  /** Whether to wait for a store that is away from the start: for work that has begun, and whose caller has no other way to it. */
  readonly patient?: boolean
}

interface WaitParts {
  readonly book: TaskBook
  readonly engine: TaskEngine
  readonly own: OwnTasks
}

export class TaskWait {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #engine: TaskEngine
  readonly #own: OwnTasks
  /** Questions that are with a client at the moment, so that two that wait do not ask twice. */
  readonly #delivered = new Map<string, Delivery>()
  /** Who waits for each task, the newest last: it is asked, since of those before it nobody knows whether they still listen. */
  readonly #waiting = new Map<string, News[]>()

  constructor(server: FeatureHost, { book, engine, own }: WaitParts) {
    this.#server = server
    this.#own = own
    this.#book = book
    this.#engine = engine
  }

  /** Waits until a task of the caller's is over, or asks what cannot be asked here, or time is up. */
  async wait(
    call: ServerCall,
    id: string,
    { forMs, related = false, patient = false }: WaitOptions,
  ): Promise<TaskRecord> {
    let late = false
    const news = new News()
    this.#enter(id, news)
    let stop = (): void => {}
    const onAbort = (): void => news.tell()
    call.signal.addEventListener('abort', onAbort, { once: true })
    const onTime = (): void => {
      late = true
      news.tell()
    }
    const timer = forMs === undefined ? undefined : setTimeout(onTime, forMs)
    const beat = setInterval(() => call.tell(Math.max(0, call.reached + BEAT_PROGRESS), undefined, undefined), BEAT_MS)
    let looked = patient
    const look = <T>(one: () => Promise<T>): Promise<T> =>
      looked ? untilBack(one, { until: Infinity, signal: call.signal }) : one()
    try {
      stop = await look(() => this.#book.watch(id, () => news.tell()))
      for (;;) {
        const record = (await look(() => this.#own.findAgain(id, call))) ?? gone()
        looked = true
        const open = unanswered(record)
        if (isOver(record) || late || (open.length > 0 && call.session === undefined)) return record
        if (this.#waiting.get(id)?.at(-1) === news)
          for (const [key, question] of open) void this.#deliver(call, record.id, key, { ...question, related })
        await call.waitFor(news.next())
        if (call.cancelled) throw new RpcError(INTERNAL_ERROR, 'The request was cancelled')
      }
    } finally {
      stop()
      this.#leave(id, news)
      clearTimeout(timer)
      clearInterval(beat)
      call.signal.removeEventListener('abort', onAbort)
    }
  }

  #enter(id: string, news: News): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) this.#waiting.set(id, [news])
    else waiting.push(news)
  }

  /** Whoever waited before is asked again what is still open. */
  #leave(id: string, news: News): void {
    const waiting = (this.#waiting.get(id) ?? []).filter((one) => one !== news)
    if (waiting.length === 0) this.#waiting.delete(id)
    else this.#waiting.set(id, waiting)
    waiting.at(-1)?.tell()
  }

  /** Gives a task answers to its questions, and lets it go on when it has all of them. */
  async answer(id: string, answers: JsonObject): Promise<void> {
    const changed = await this.#book.change(id, (record) => withAnswers(record, answers))
    if (changed?.status === 'working') this.#engine.wake(id)
  }

  /** Puts a question on the request that waits, live within its session. */
  async #deliver(
    call: ServerCall,
    id: string,
    key: string,
    { method, params, related }: OpenQuestion & { readonly related: boolean },
  ): Promise<void> {
    const { session } = call
    const mark = `${id} ${key}`
    const before = this.#delivered.get(mark)
    if (session === undefined || before?.session === session) return
    const delivery: Delivery = { session, withdrawn: new AbortController() }
    this.#delivered.set(mark, delivery)
    before?.withdrawn.abort()
    try {
      // What was looked at may be older than an answer that came while somebody else asked.
      const now = await this.#book.read(id)
      if (now === undefined || !unanswered(now).some(([open]) => open === key)) return
      const { askTimeoutMs: timeoutMs } = this.#server.asker
      const asked = { method, params: related ? withRelatedTask(params, id) : params }
      const signal = AbortSignal.any([call.signal, delivery.withdrawn.signal])
      const answer = await requestClient(session, asked, call.outlet, { timeoutMs, signal })
      await this.answer(id, { [key]: answer })
    } catch (error) {
      if (error instanceof RpcError && !delivery.withdrawn.signal.aborted) await this.#refused(id, key, method, error)
    } finally {
      if (this.#delivered.get(mark) === delivery) this.#delivered.delete(mark)
    }
  }

  /** A form that the client will not show counts as cancelled; without any other answer the task cannot go on. */
  async #refused(id: string, key: string, method: string, { message }: RpcError): Promise<void> {
    if (method === 'elicitation/create') return this.answer(id, { [key]: { action: 'cancel' } })
    const statusMessage = `The client refused ${method}: ${message}`
    const error = { code: INTERNAL_ERROR, message: statusMessage }
    await this.#book.change(id, () => ({ status: 'failed', error, statusMessage }))
  }
}

/** A question that is with the client of a session, until another one waits for the task. */
interface Delivery {
  readonly session: LegacySession
  readonly withdrawn: AbortController
}

/** What happened since somebody last looked. */
class News {
  #told = false
  #heard: (() => void) | undefined

  tell(): void {
    this.#told = true
    this.#heard?.()
  }

  async next(): Promise<void> {
    if (!this.#told) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
    this.#told = false
  }
}

/** The answer for a task that is unknown, over its time, or another's. */
export function gone(): never {
  throw new RpcError(INVALID_PARAMS, 'Unknown task', { parameter: 'taskId', reason: 'names no task here' })
}

/** What the request itself would have been answered with, once the task is over. */
export function outcomeOf(record: TaskRecord, { conversation }: ServerCall): JsonObject | undefined {
  const { status, result, error } = record
  if (!isOver(record)) return undefined
  if (result !== undefined) return conversation.revision.writeCallToolResult(result)
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  throw new RpcError(INTERNAL_ERROR, `The task was ${status}`)
}
