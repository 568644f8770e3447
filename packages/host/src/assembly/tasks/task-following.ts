/**
 * The tasks of a host: begun by calls that passed the guard, followed until they are over, kept for the next process, and
 * handed to the conversation that they belong to. A result passes the rules again when it comes: it may be days later.
 */

import { type CallToolResult, PorticoError, type ToolRun } from '@portico/sdk/client'
import type { AuditSink } from '../../audit/record.ts'
import { callListener } from '../../config/call-listener.ts'
import { HostError } from '../../errors.ts'
import { admit, isForeign, toClean } from '../../guard/foreign-text.ts'
import type { Permit } from '../../guard/guard.ts'
import { type ActionResult, settle } from '../act-outcome.ts'
import type { ActOptions, HostTaskOptions } from '../options.ts'
import { Attendance } from './attendance.ts'
import { FollowedTask, toKept } from './followed-task.ts'
import { type HostTask, type TaskArrival, toHostTask } from './host-task.ts'
import { isProcessAlive } from './process-alive.ts'
import { type AccessParts, type CallEffect, TaskAccess } from './task-access.ts'
import { isOver, type KeptTask, type TaskBook } from './task-book.ts'
import { isFull } from './task-bounds.ts'
import type { HostTasks, StartedCall, TaskCallOptions } from './task-calls.ts'
import { TaskRecords } from './task-records.ts'

type Receiver = (arrival: TaskArrival) => void

interface TaskParts extends AccessParts {
  readonly audit: AuditSink
  readonly book: TaskBook
  readonly options: HostTaskOptions | undefined
  changed(task: HostTask): void
  warn(message: string): void
}

const NOTHING = (): void => {}

export class TaskFollowing implements HostTasks {
  readonly #parts: TaskParts
  readonly #records: TaskRecords
  readonly #access: TaskAccess
  readonly #followed = new Map<string, FollowedTask>()
  readonly #resuming = new Set<string>()
  readonly #receivers = new Map<string, Receiver>()
  readonly #working = new Set<Promise<void>>()
  readonly #stop: () => void
  #closed = false

  constructor(parts: TaskParts) {
    this.#parts = parts
    this.#records = new TaskRecords(parts)
    this.#access = new TaskAccess(parts)
    const resumes = parts.options?.resume !== false
    this.#stop = parts.upstreams.on('state', ({ server, state }) => {
      if (state.state !== 'ready') return
      this.#work(this.#resumeAll((task) => task.server === server && (resumes || this.#receives(task))))
    })
  }

  async list(): Promise<readonly HostTask[]> {
    const kept = await this.#records.list()
    return kept.map((task) => this.#followed.get(task.label)?.view() ?? toHostTask(task, { followed: false }))
  }

  async result(label: string, options: ActOptions = {}): Promise<ActionResult<CallToolResult>> {
    const kept = await this.#find(label)
    const attendance = new Attendance({ ...options, session: options.session ?? kept.call?.session })
    const { run, end } = await this.#access.open(kept, attendance)
    try {
      const result = await settle({ finish: NOTHING }, this.#access.outcomeOf(kept, options), () =>
        run.result({ signal: attendance.signal }),
      )
      const reviewed = await this.#access.review(kept, result, options)
      const { server, call } = kept
      return { result: reviewed, server, arguments: call?.arguments ?? {}, reason: 'It was allowed when it began' }
    } finally {
      end()
    }
  }

  async cancel(label: string): Promise<void> {
    const kept = await this.#find(label)
    if (isOver(kept)) return
    const followed = this.#followed.get(label)
    if (followed !== undefined) return followed.run.cancel()
    const { run, end } = await this.#access.open(kept, new Attendance({}))
    try {
      await run.cancel()
      await this.#records.note(kept, 'cancelled')
      await this.#records.change(kept, { status: 'cancelled', updatedAt: Date.now() })
    } finally {
      end()
    }
  }

  async handTo(label: string, session: string): Promise<boolean> {
    await this.#find(label)
    const claimed = await this.#claim(label, session)
    if (claimed !== undefined) this.#work(this.#takeUp(claimed))
    return claimed !== undefined
  }

  async forget(label: string): Promise<void> {
    const kept = await this.#find(label)
    if (!isOver(kept)) await this.cancel(label).catch(() => {})
    await this.#records.forget(label)
  }

  /** Sends what the guard has let through. Whoever calls waits as long as they said, and the task then goes on without them. */
  async begin(permit: Permit<CallEffect>, options: TaskCallOptions): Promise<StartedCall> {
    const { effect } = permit
    const attendance = new Attendance(options)
    const flight = this.#parts.inFlight.enter(effect.server, attendance.act)
    let task: FollowedTask | undefined
    let begun = (_task: FollowedTask): void => {}
    const became = new Promise<FollowedTask>((resolve) => {
      begun = resolve
    })
    const { signal } = attendance
    const over = settle(permit, this.#access.outcomeOf(effect, { ...options, signal }), async () => {
      const client = await this.#parts.upstreams.client(effect.server, { principal: options.principal, signal })
      const run = await client.startTool(effect.tool, effect.arguments, {
        signal,
        relay: { owner: flight },
        ...(options.onProgress !== undefined && {
          onProgress: (progress) => attendance.progress(toClean(progress)),
        }),
        task: options.task ?? true,
      })
      if (run.task === undefined) return run.result({ signal })
      task = await this.#enter(run, effect, options, attendance)
      begun(task)
      return run.result({ signal: task.leaving.signal })
    }).finally(() => flight.end())
    over.catch(() => {})
    const first = await Promise.race([became, over.then(() => undefined)])
    if (first !== undefined && (await this.#attend(first, over, attendance, options.attendMs))) {
      this.#work(this.#deliver(first, over))
      const { immediateResponse: told } = first.run
      const { origin, context } = this.#access.outcomeOf(effect, options)
      const shown = told === undefined ? {} : { told: admit(told, origin, context) }
      return { task: first.view(), arguments: effect.arguments, reason: permit.decision.reason, ...shown }
    }
    const ended = this.#ended(task, over)
    if (task !== undefined) this.#work(ended.then(NOTHING, NOTHING))
    const result = await ended
    const circumstances = this.#parts.circumstances(options)
    const reviewed = await this.#parts.guard.review(effect, result, circumstances, options)
    return { result: reviewed, server: effect.server, arguments: effect.arguments, reason: permit.decision.reason }
  }

  /** Where results for a session go from now on, those that came while nobody was there first. */
  receive(session: string, receiver: Receiver): void {
    this.#receivers.set(session, receiver)
    if (this.#parts.options?.resume === false) return
    this.#work(this.#resumeAll(({ call, delivered }) => call?.session === session && delivered !== true))
  }

  /** Nobody is left to hand results to: what still runs for the session is cancelled. */
  endSession(session: string): void {
    this.#receivers.delete(session)
    const end = async (): Promise<void> => {
      const ours = (await this.#records.list()).filter(({ call }) => call?.session === session)
      await Promise.all(ours.map(({ label }) => this.forget(label).catch(NOTHING)))
    }
    this.#work(end())
  }

  /** Leaves all tasks to run on; a later process finds them. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stop()
    for (const task of this.#followed.values()) task.leaving.abort(new HostError('closed', 'The host is closed'))
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  /** Whether the task goes on without its caller. Who gives up while they wait wants it cancelled. */
  async #attend(task: FollowedTask, over: Promise<unknown>, attendance: Attendance, ms = 0): Promise<boolean> {
    const { signal } = attendance
    const giveUp = (): void => {
      void task.run.cancel().catch(() => {})
      task.leaving.abort(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    if (signal?.aborted) giveUp()
    const isFree = () => !isFull(task.kept, this.#followed.values(), this.#parts.options)
    const isLeft = (await attendance.isLeftAfter(ms, over)) && signal?.aborted !== true && isFree()
    if (isLeft) attendance.leave()
    return isLeft
  }

  async #enter(run: ToolRun, effect: CallEffect, options: ActOptions, attendance: Attendance): Promise<FollowedTask> {
    const kept = toKept(run, effect, options, this.#access.identityOf(effect.server) ?? '')
    await this.#records.keep(kept)
    await this.#records.note(kept, 'started')
    return this.#follow(run, kept, attendance)
  }

  #follow(run: ToolRun, kept: KeptTask, attendance: Attendance): FollowedTask {
    const followed = new FollowedTask(run, kept, (task, isState) => {
      attendance.status(task.kept.message)
      // Its end is told once, when it is written down.
      if (isOver(task.kept)) return
      this.#parts.changed(task.view())
      if (isState && !this.#closed) this.#work(this.#records.change(task.kept, task.kept))
    })
    attendance.onQuestion((question) => this.#waits(followed, question))
    this.#followed.set(kept.label, followed)
    this.#parts.changed(followed.view())
    return followed
  }

  #waits(task: FollowedTask, question: string | undefined): void {
    task.waitsFor(question)
    if (question !== undefined) this.#work(this.#records.note(task.kept, 'question', { question }))
  }

  /** The result, once the task is known to be over in the list too. */
  async #ended(task: FollowedTask | undefined, over: Promise<CallToolResult>): Promise<CallToolResult> {
    if (task === undefined) return over
    const { label } = task
    try {
      const result = await over
      task.end(result.isError === true ? 'failed' : 'completed')
      return result
    } catch (error) {
      // Left alone, it runs on.
      const isCancelled = task.leaving.signal.aborted || task.run.task?.status === 'cancelled'
      if (!this.#closed)
        task.end(isCancelled ? 'cancelled' : 'failed', error instanceof Error ? error.message : undefined)
      throw error
    } finally {
      this.#followed.delete(label)
      if (this.#closed) await this.#records.change(task.kept, { follower: undefined })
      else {
        await this.#records.change(task.kept, {
          ...task.kept,
          delivered: this.#receives(task.kept),
          follower: undefined,
        })
        await this.#records.note(task.kept, task.kept.status)
        this.#parts.changed({ ...task.view(), followed: false })
      }
    }
  }

  /** Hands over what a task came to, where there is somebody to take it; otherwise it stays with its server until there is. */
  async #deliver(task: FollowedTask, over: Promise<CallToolResult>): Promise<void> {
    const view = (): HostTask => ({ ...task.view(), followed: false })
    const { call } = task.kept
    const receiver = () => (call === undefined ? undefined : this.#receivers.get(call.session))
    try {
      const result = await this.#ended(task, over)
      if (receiver() === undefined) return
      const shown = await this.#access.review(task.kept, result, {})
      receiver()?.({ task: view(), result: shown })
    } catch (error) {
      if (this.#closed) return
      const problem = error instanceof Error ? error.message : String(error)
      receiver()?.({ task: view(), problem, foreign: isForeign(error) })
    }
  }

  async #resumeAll(isWanted: (task: KeptTask) => boolean): Promise<void> {
    for (const kept of await this.#records.list()) {
      const isDone = isOver(kept) && (kept.delivered === true || !this.#receives(kept))
      if (this.#closed || isDone || !isWanted(kept) || !this.#isOurs(kept)) continue
      this.#work(this.#resume(kept))
    }
  }

  /** Not followed by anybody, and of the very server that gave out its id: no other one is told of it. */
  #isOurs({ label, call, server, identity, follower }: KeptTask): boolean {
    if (call === undefined || this.#followed.has(label) || this.#access.identityOf(server) !== identity) return false
    return follower === undefined || follower === process.pid || !isProcessAlive(follower)
  }

  async #resume({ label }: KeptTask): Promise<void> {
    const claimed = await this.#claim(label)
    if (claimed !== undefined) await this.#takeUp(claimed)
  }

  /** Once at a time: a server that is there again and a conversation that is opened may both want it. */
  async #claim(label: string, session?: string): Promise<KeptTask | undefined> {
    if (this.#resuming.has(label)) return undefined
    this.#resuming.add(label)
    const claimed = await this.#records.claim(label, (kept) => this.#isOurs(kept), session)
    if (claimed === undefined) this.#resuming.delete(label)
    return claimed
  }

  /** What this process has claimed. */
  async #takeUp(kept: KeptTask): Promise<void> {
    await this.#goOn(kept).finally(() => this.#resuming.delete(kept.label))
  }

  async #goOn(kept: KeptTask): Promise<void> {
    const attendance = new Attendance({ session: kept.call?.session, byModel: kept.call?.byModel })
    attendance.leave()
    // A server that is not there is asked again when it is.
    const opened = await this.#access.open(kept, attendance).catch((error) => this.#forgotten(kept, error))
    if (opened === undefined || this.#closed) {
      await this.#records.change(kept, { follower: undefined })
      return opened?.end()
    }
    await this.#records.note(kept, 'resumed')
    const task = this.#follow(opened.run, kept, attendance)
    const outcome = this.#access.outcomeOf(kept, { session: kept.call?.session })
    const work = () => opened.run.result({ signal: task.leaving.signal })
    await this.#deliver(task, settle({ finish: NOTHING }, outcome, work)).finally(opened.end)
  }

  /** A task that its server does not know any more has no result, and nobody waits for one. */
  async #forgotten(kept: KeptTask, error: unknown): Promise<undefined> {
    if (!(error instanceof PorticoError) || error.code !== 'not-found') return
    const problem = 'Its server does not know it any more'
    const task = toHostTask(await this.#records.lose(kept), { followed: false })
    this.#parts.changed(task)
    if (kept.call !== undefined) this.#receivers.get(kept.call.session)?.({ task, problem })
  }

  async #find(label: string): Promise<KeptTask> {
    return this.#followed.get(label)?.kept ?? this.#records.find(label)
  }

  #receives({ call }: KeptTask): boolean {
    return call !== undefined && this.#receivers.has(call.session)
  }

  #work(work: Promise<void>): void {
    const tracked = work
      .catch((error) => callListener(this.#parts.warn, error instanceof Error ? error.message : String(error)))
      .finally(() => this.#working.delete(tracked))
    this.#working.add(tracked)
  }
}
