/**
 * What wakes workers, within one process: a task that is due is run at once where it became due, one timer waits for the next
 * that sleeps, and a look around from time to time finds those whose process died. Which of several processes works on a task
 * is decided by its lease.
 */

import { createPrincipal, type Principal } from '../../auth/principal.ts'
import { LONGEST_TIMER_MS } from '../../jsonrpc/longest-timer.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { Conversation } from '../../session/conversation.ts'
import { randomToken } from '../../session/random-token.ts'
import type { Bus } from '../../state/bus.ts'
import type { Lease } from '../../state/store.ts'
import { ServerCall } from '../call/call.ts'
import type { FeatureHost } from '../feature.ts'
import { untilBack } from './store-return.ts'
import { isOver, newTaskId, type TaskBook } from './task-book.ts'
import { hearOfWork, type TaskJob, type TaskQueue } from './task-queue.ts'
import { isDue, type TaskRecord, type TaskRequest } from './task-record.ts'
import { leaseKey, type ProgressListener, TaskRun } from './task-run.ts'

/** How long nobody looks at the store: other processes die, and clocks are set. */
const LOOK_MS = 5000
/** How long a task is left alone that could not be run here. */
const AGAIN_MS = 60_000
const MAX_NOTED = 1000
/** How long after its time a task is looked for again that is still there. */
const EXPIRED_MS = 1000

export class TaskEngine {
  readonly #server: FeatureHost
  readonly #book: TaskBook
  /** Hands what is due to other processes; without one it runs here. */
  readonly #queue: TaskQueue | undefined
  readonly #owner = randomToken()
  readonly #runs = new Map<string, TaskRun>()
  readonly #listeners = new Map<string, ProgressListener>()
  /** Tasks that could not be run, and when to try again. */
  readonly #failing = new Map<string, number>()
  /** Whether other processes may leave tasks behind. */
  #shared = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerAt = Infinity
  #looking = false
  #lookAgain = false
  #listening: Promise<() => void> | undefined
  #taking: Promise<() => unknown> | undefined
  readonly #ending = new AbortController()
  /** Tasks that are being taken, and may turn out to be another's. */
  #beginning = 0
  /** Tasks that are being taken and have not been cancelled meanwhile, as far as was heard. */
  readonly #starting = new Set<string>()
  /** Whether a task was left because too many ran. */
  #wasFull = false

  constructor(server: FeatureHost, book: TaskBook, queue?: TaskQueue) {
    this.#server = server
    this.#book = book
    this.#queue = queue
  }

  /** Looks for tasks that nobody works on, now and from time to time, and takes jobs. Keeps no process alive. */
  start(bus: Bus): void {
    this.#shared = true
    this.#lookAt(0)
    this.#taking = this.#queue?.take((job) => this.#work(job)) ?? hearOfWork(bus, () => this.#lookAt(0))
    this.#taking.catch((error: unknown) => void this.#server.reportPrivately(error, 'listening for tasks'))
  }

  stop(): void {
    this.#ending.abort()
    clearTimeout(this.#timer)
    for (const part of [this.#listening, this.#taking]) part?.then((end: () => unknown) => end()).catch(() => {})
  }

  /** Runs a task here, unless somebody does already. */
  wake(id: string): void {
    void this.#run(id)
  }

  /**
   * Goes on with a call that leaves its request, as the task that `keep` makes under the id that it is given. That is leased
   * before it is there, so that no other process takes it for one that nobody works on. Undefined where there is no room for
   * it, or nothing was kept.
   */
  async adopt(
    call: ServerCall,
    work: Promise<CallToolResult>,
    keep: (id: string) => Promise<TaskRecord | undefined>,
    ttlMs: number,
  ): Promise<TaskRecord | undefined> {
    if (this.#full) return undefined
    this.#beginning++
    const id = newTaskId()
    let lease: Lease | undefined
    let mayBeKept = true
    let run: TaskRun | undefined
    try {
      lease = await this.#book.store.lease(leaseKey(id), this.#owner, this.#book.leaseMs)
      const record = lease && (await keep(id))
      mayBeKept = record !== undefined
      run = lease && record && (await this.#takeUnder(lease, id, () => call))
      if (run !== undefined) void this.#follow(id, run, run.goOn(work))
      return run && record
    } finally {
      this.#beginning--
      if (lease !== undefined && run === undefined) {
        const failed = (error: unknown) => void this.#server.reportPrivately(error, 'cancelling a task')
        const limits = { until: Date.now() + ttlMs, signal: this.#ending.signal }
        void untilBack(() => withdraw(this.#book, id, lease, mayBeKept), limits).catch(failed)
      }
    }
  }

  /** Begins with a task that was just kept, here or wherever the queue leads. */
  async begin(id: string): Promise<void> {
    if (this.#queue === undefined) await this.#runHere(id)
    else await this.#push(this.#queue, id)
  }

  /** Has progress of a task that runs here told to one listener; undefined takes it back. */
  onProgress(id: string, listener: ProgressListener | undefined): void {
    if (listener === undefined) this.#listeners.delete(id)
    else this.#listeners.set(id, listener)
  }

  /** Ends the run of a task that was cancelled, in whichever process. */
  #cancelled(id: string | undefined): void {
    if (id !== undefined) {
      this.#starting.delete(id)
      this.#runs.get(id)?.cancel('The task was cancelled')
      return
    }
    // Some may have been missed: each looks for itself.
    this.#starting.clear()
    for (const run of this.#runs.values()) void run.renew()
  }

  /** Hears what is cancelled. A bus that is away delays that to the next renewal, and keeps no task from running. */
  async #listen(): Promise<void> {
    this.#listening ??= this.#book.watchCancelled((cancelled) => this.#cancelled(cancelled))
    await this.#listening.catch(() => {
      this.#listening = undefined
    })
  }

  async #look(): Promise<void> {
    try {
      for await (const id of this.#book.due()) {
        if (this.#full) return
        await this.#run(id)
      }
      for await (const { id, wakeAt } of this.#book.sleeping()) {
        if (wakeAt > Date.now()) {
          this.#lookAt(wakeAt)
          break
        }
        if (this.#full) return
        await this.#run(id)
      }
    } catch (error) {
      this.#server.reportPrivately(error, 'looking for tasks')
    }
  }

  /** Whether as many tasks run here as may: the others are found by the look around once one of these is over. */
  get #full(): boolean {
    const full = this.#runs.size + this.#beginning >= this.#book.limits.maxRunning
    this.#wasFull ||= full
    return full
  }

  /** Looks at a moment, or earlier where clocks may be set or other processes die meanwhile. */
  #lookAt(moment: number): void {
    const at = Math.min(moment, Date.now() + Math.min(LOOK_MS, this.#book.leaseMs))
    if (this.#ending.signal.aborted || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    const timer = setTimeout(() => this.#lookNow(), Math.max(0, at - Date.now()))
    if (typeof timer === 'object') timer.unref()
    this.#timer = timer
  }

  #lookNow(): void {
    this.#timerAt = Infinity
    this.#lookAgain = this.#looking
    if (this.#looking) return
    this.#looking = true
    void this.#look().finally(() => {
      this.#looking = false
      if (this.#lookAgain) this.#lookAt(0)
      else if (this.#shared) this.#lookAt(Infinity)
    })
  }

  /** Gives the end of the run, where there is one. */
  async #runHere(id: string): Promise<{ readonly over: Promise<void> } | undefined> {
    if (this.#full) return undefined
    this.#beginning++
    const run = await this.#take(id, toCall).finally(() => this.#beginning--)
    return run && { over: this.#follow(id, run, run.replay()) }
  }

  /** A job that came late or twice finds another epoch, or a lease that is taken. */
  async #work({ id, epoch }: TaskJob): Promise<void> {
    let run: { readonly over: Promise<void> } | undefined
    await this.#run(id, async () => {
      if ((await this.#book.read(id))?.epoch === epoch) run = await this.#runHere(id)
    })
    await run?.over
  }

  /** Leaves a task to whoever takes it. One that could not be handed on is found by the next look of a worker. */
  async #push(queue: TaskQueue, id: string, at?: number): Promise<void> {
    try {
      const record = await this.#book.read(id)
      if (record === undefined || !isDue(record, at ?? Date.now())) return
      if ((await this.#book.store.holder(leaseKey(id))) !== undefined) return
      await queue.push({ id, epoch: record.epoch, ...(at !== undefined && { at }) })
    } catch (error) {
      this.#server.reportPrivately(error, 'handing on a task')
    }
  }

  /** Runs a task if it is due and nobody else does; what goes wrong is the operator's to know, once in a while. */
  async #run(id: string, begin = () => this.begin(id) as Promise<unknown>): Promise<void> {
    if (this.#ending.signal.aborted || this.#runs.has(id) || (this.#failing.get(id) ?? 0) > Date.now()) return
    try {
      await begin()
      this.#failing.delete(id)
    } catch (error) {
      this.#failing.set(id, Date.now() + AGAIN_MS)
      const [oldest] = this.#failing.keys()
      if (this.#failing.size > MAX_NOTED && oldest !== undefined) this.#failing.delete(oldest)
      this.#server.reportPrivately(error, 'running a task')
    }
  }

  /** A run that has asked may hold something open for the answer: it hears of the end of its task, and may go on before. */
  async #rest(id: string, run: TaskRun): Promise<void> {
    run.onWoken(() => void this.#goOn(id).catch(() => {}))
    let stop: (() => void) | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let over = false
    const look = async (): Promise<void> => {
      clearTimeout(timer)
      const record = await this.#book.read(id)
      if (over) return
      if (record?.status === 'input_required') {
        timer = lookAfter(run.until, look)
        return
      }
      over = true
      clearTimeout(timer)
      stop?.()
      if (record === undefined || isOver(record)) run.cancel('The task was cancelled or has expired')
    }
    stop = await this.#book.watch(id, () => void look().catch(() => {}))
    await look()
  }

  /** Takes a task up whose questions nobody wants answered any more. */
  async #goOn(id: string): Promise<void> {
    const changed = await this.#book.change(id, ({ status }) =>
      status === 'input_required' ? { status: 'working', questions: {} } : undefined,
    )
    if (changed !== undefined) this.wake(id)
  }

  async #take(id: string, make: (record: TaskRecord) => ServerCall): Promise<TaskRun | undefined> {
    const lease = await this.#book.store.lease(leaseKey(id), this.#owner, this.#book.leaseMs)
    if (lease === undefined) return undefined
    let run: TaskRun | undefined
    try {
      run = await this.#takeUnder(lease, id, make)
    } finally {
      if (run === undefined) await this.#book.store.release(leaseKey(id), lease)
    }
    return run
  }

  /** Begins a run under a lease; undefined where there is nothing to run, or no place for it. */
  async #takeUnder(lease: Lease, id: string, make: (record: TaskRecord) => ServerCall): Promise<TaskRun | undefined> {
    let leave: (() => void) | undefined
    const mayRun = (owner: string): boolean => {
      leave ??= this.#book.places.take(owner)
      this.#wasFull ||= leave === undefined
      return leave !== undefined
    }
    this.#starting.add(id)
    try {
      await this.#listen()
      const taken = await this.#book.take(id, lease.epoch, mayRun)
      if (taken === undefined) return undefined
      const heard: ProgressListener = (...told) => this.#listeners.get(id)?.(...told)
      const call = make(taken.record)
      const run = new TaskRun(this.#server, this.#book, { ...taken, lease, call, heard, settled: leave })
      leave = undefined
      this.#runs.set(id, run)
      // It was cancelled after it was taken, or may have been.
      if (!this.#starting.has(id)) void run.renew()
      return run
    } finally {
      this.#starting.delete(id)
      leave?.()
    }
  }

  #follow(id: string, run: TaskRun, work: Promise<void>): Promise<void> {
    const over = async (): Promise<void> => {
      if (this.#runs.get(id) === run) this.#runs.delete(id)
      if (this.#wasFull) this.#lookAt(0)
      this.#wasFull = false
      const record = await this.#book.read(id)
      if (record === undefined || isOver(record)) this.#listeners.delete(id)
      else if (record.wakeAt !== undefined) this.#sleep(id, record.wakeAt)
      // Answers may have come while the run that asked still held the lease.
      else await this.#run(id)
      if (run.isHeard) await this.#rest(id, run)
    }
    return work.then(over, over).catch((error: unknown) => void this.#server.reportPrivately(error, 'running a task'))
  }

  #sleep(id: string, until: number): void {
    this.#lookAt(until)
    if (this.#queue !== undefined) void this.#push(this.#queue, id, until)
  }
}

/** Ends the task of a call that goes on without it, and that nobody is to begin again: the lease keeps others away until then. */
async function withdraw(book: TaskBook, id: string, lease: Lease | undefined, mayBeKept: boolean): Promise<void> {
  if (mayBeKept) await book.cancel(id)
  if (lease !== undefined) await book.store.release(leaseKey(id), lease)
}

/** Nobody tells of a task that has expired: a look at that moment does. One that fails is made again. */
function lookAfter(moment: number, look: () => Promise<void>): ReturnType<typeof setTimeout> {
  const ms = Math.min(Math.max(moment - Date.now(), EXPIRED_MS), LONGEST_TIMER_MS)
  const timer = setTimeout(() => void look().catch(() => lookAfter(0, look)), ms)
  if (typeof timer === 'object') timer.unref()
  return timer
}

/** The request of a task as a call, with what is known of it by now. */
function toCall(record: TaskRecord): ServerCall {
  const { request, state, questions = {} } = record
  const answers = Object.values(questions).flatMap(({ key, answer }) => (answer === undefined ? [] : [[key, answer]]))
  const again: JsonObject =
    state === undefined ? {} : { requestState: state, inputResponses: Object.fromEntries(answers) }
  const params = { ...request.params, ...again }
  return new ServerCall({ id: record.id, method: 'tools/call' }, params, toConversation(request), NOWHERE)
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
const NOWHERE = { outlet: { send: () => {}, end: () => {}, close: () => {} }, session: undefined, head: undefined }
