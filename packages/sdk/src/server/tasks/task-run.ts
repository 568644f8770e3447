/**
 * One run of a task's handler in this process, under a lease. A call that left its request goes on here; a task that was
 * answered, or whose process died, is run again from its log. Questions end a run: the same rounds of input that a request
 * has, kept in the task in place of the client's `requestState`.
 */

import { INTERNAL_ERROR, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import type { RpcErrorObject } from '../../jsonrpc/message.ts'
import { wait } from '../../jsonrpc/time-limit.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import { Replay, stepCalled } from '../../session/replay.ts'
import type { RoundSealer, Suspension } from '../../session/rounds.ts'
import { Suspended } from '../../session/suspended.ts'
import type { Lease } from '../../state/store.ts'
import { openRounds, runOf } from '../asking/asking.ts'
import { toRpcError } from '../call/answer.ts'
import type { Detached, ServerCall } from '../call/call.ts'
import type { FeatureHost } from '../feature.ts'
import { isStoreAway, untilBack } from './store-return.ts'
import { isOver, type TaskBook } from './task-book.ts'
import { TaskLog } from './task-log.ts'
import { type TaskChange, type TaskRecord, withQuestions } from './task-record.ts'

/** A task's state stays in the store, which is trusted: it needs no seal, and lives as long as the task. */
export const PLAIN_STATE: RoundSealer = {
  seal: async (payload) => JSON.stringify(payload),
  open: async (state) => JSON.parse(state) as unknown,
}

const MAX_ROUNDS = 1000
/** A lease is renewed so many times before it would end. */
const RENEWALS = 3

/** Between two writes of what a handler says: each costs the store, and whoever listens looks there. */
const TELL_MS = 250

/** Hears how far a task is. */
export type ProgressListener = (progress: number, total: number | undefined, message: string | undefined) => void

/** What a run works with. */
interface Work {
  readonly record: TaskRecord
  readonly lease: Lease
  readonly guard: number
  readonly call: ServerCall
  /** Told of progress beside the task's own message. */
  readonly heard: ProgressListener
  /** Told once the handler has come to its end, however it did. */
  readonly settled?: (() => void) | undefined
}

export class TaskRun implements Detached {
  readonly sealer = PLAIN_STATE
  readonly maxRounds = MAX_ROUNDS
  readonly #server: FeatureHost
  readonly #book: TaskBook
  readonly #record: TaskRecord
  readonly #lease: Lease
  readonly #call: ServerCall
  readonly #log: TaskLog
  readonly #heard: ProgressListener
  readonly #settled: (() => void) | undefined
  known: Promise<CallToolResult> | undefined
  takenOver = false
  readonly #timer: ReturnType<typeof setInterval>
  #reached: number
  #message: string | undefined
  #telling: Promise<void> | undefined
  #suspending: Promise<void> | undefined
  /** Fires when the handler has come to its end. */
  readonly #ended = new AbortController()
  #woken = false
  #onWoken: (() => void) | undefined

  constructor(server: FeatureHost, book: TaskBook, { record, lease, guard, call, heard, settled }: Work) {
    this.#server = server
    this.#book = book
    this.#record = record
    this.#lease = lease
    this.#call = call
    this.#heard = heard
    this.#settled = settled
    this.#reached = call.reached
    this.#timer = setInterval(() => void this.renew(), book.leaseMs / RENEWALS)
    call.detached = this
    this.#log = new TaskLog(book, record.id, guard, () => this.#leftMs())
    runOf(call).log = this.#log
  }

  get id(): string {
    return this.#record.id
  }

  get until(): number {
    return this.#record.createdAt + this.#record.ttlMs
  }

  /** Somebody wants to hear when the task ends, also after the run has asked. */
  get isHeard(): boolean {
    return this.#call.onCancel !== undefined
  }

  wake(): void {
    this.#woken = true
    this.#onWoken?.()
  }

  /** Called once the run is over and was woken, before or after. */
  onWoken(listener: () => void): void {
    this.#onWoken = listener
    if (this.#woken) listener()
  }

  /** Ends the handler's run: the task was cancelled, or is gone. */
  cancel(reason: string): void {
    this.#call.cancel(reason)
  }

  /** Runs the handler from the beginning, with what the log and the answers have. */
  replay(): Promise<void> {
    return this.#settle(this.#replayed(this.#call))
  }

  /** Goes on with a handler that runs already; what middleware does to its result is done to it here. */
  goOn(work: Promise<CallToolResult>): Promise<void> {
    this.known = work
    return this.#settle(this.#throughMiddleware(this.#call))
  }

  async #replayed(call: ServerCall): Promise<CallToolResult> {
    const run = runOf(call)
    // As long as another process would wait for a sign of this one.
    run.replay = new Replay(this.#book.leaseMs)
    const { outcomes, begun } = await this.#log.read()
    run.replay.expect(begun.map(stepCalled))
    if (call.sent.requestState !== undefined) call.rounds = await openRounds(this.#server.asker, call)
    run.restore(outcomes, true)
    this.#reached = call.reached
    await this.#server.enter(call)
    return this.#throughMiddleware(call)
  }

  async #throughMiddleware(call: ServerCall): Promise<CallToolResult> {
    const method = this.#server.method(call.conversation.revision, call.method)
    if (method === undefined) throw new RpcError(INTERNAL_ERROR, 'The tool is no longer there')
    // What tools/call runs gives the result of a tool.
    return (await method.run(call)) as CallToolResult
  }

  /** Keeps what comes of the handler, whoever began it. */
  async #settle(work: Promise<CallToolResult>): Promise<void> {
    try {
      const result = await work.finally(() => this.#handlerSettled())
      if (this.#suspending === undefined) await this.#end(result)
    } catch (error) {
      const { replay } = runOf(this.#call)
      if (!(error instanceof Suspended)) await this.#failed(replay?.fault ?? error)
    } finally {
      await this.#suspending
      await this.#telling
      clearInterval(this.#timer)
      await this.#book.store.release(leaseKey(this.#record.id), this.#lease)
    }
  }

  #handlerSettled(): void {
    this.#settled?.()
    this.#ended.abort()
  }

  /** What the handler has said and nobody has written down yet. */
  get #unsaid(): TaskChange {
    return this.#message === undefined ? {} : { statusMessage: this.#message }
  }

  /** A result counts if the handler did all that it had done before. */
  #end(result: CallToolResult): Promise<void> {
    const { replay } = runOf(this.#call)
    const fault = replay?.fault ?? (replay?.behind ? replay.diverged('its end') : undefined)
    return fault === undefined ? this.#finish({ ...this.#unsaid, status: 'completed', result }) : this.#failed(fault)
  }

  suspend(_call: ServerCall, { inputRequests, requestState, wakeAt }: Suspension): void {
    if (wakeAt !== undefined && wakeAt >= this.until) {
      this.#suspending = this.#failed(sleepsTooLong())
      return
    }
    const left = (record: TaskRecord): TaskChange | undefined => {
      // It was written by a try that nobody heard the end of.
      if (record.running === undefined) return undefined
      const questions = withQuestions(record, this.#record, inputRequests)
      return { ...this.#unsaid, ...questions, state: requestState, running: undefined, wakeAt }
    }
    this.#suspending = this.#writeOut(left).then(
      () => {},
      (error: unknown) => this.#failed(error),
    )
  }

  fail(_call: ServerCall, error: unknown): void {
    this.#suspending = this.#failed(error)
  }

  /** The newest message is the one that counts: many in a row cost a write now and then, and one at the end. */
  progress(progress: number, total: number | undefined, message: string | undefined): void {
    // A run that goes over what an earlier one did has nothing new to tell.
    if (!(progress > this.#reached)) return
    this.#reached = progress
    this.#heard(progress, total, message)
    this.#call.reached = Math.max(this.#call.reached, progress)
    this.#message = message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined
    })
  }

  async #tell(): Promise<void> {
    while (this.#message !== undefined) {
      const statusMessage = this.#message
      this.#message = undefined
      await this.#write((record) => (record.status === 'working' ? { statusMessage } : undefined)).catch(() => {})
      await wait(TELL_MS, this.#ended.signal)
      if (this.#ended.signal.aborted) return
    }
  }

  async #failed(error: unknown): Promise<void> {
    // Who cancelled the task has said so in its record; where the lease was lost, it is for others to go on.
    if (this.#call.cancelled) return
    const { revision } = this.#call.conversation
    const where = `task of ${String(this.#record.request.params.name)}`
    const shown = toRpcError(error, revision) ?? this.#server.concealed(error, where)
    await this.#finish({ status: 'failed', error: shown.toErrorObject(), statusMessage: shown.message })
  }

  async #finish(change: TaskChange): Promise<void> {
    try {
      await this.#writeOut(() => ({ ...change, ...NOT_RUNNING }))
    } catch (error) {
      if (isStoreAway(error)) throw error
      const failure: RpcErrorObject = { code: INTERNAL_ERROR, message: 'The result is too large to be kept' }
      this.#server.reportPrivately(error, 'the end of a task')
      await this.#writeOut(() => ({ status: 'failed', error: failure, statusMessage: failure.message, ...NOT_RUNNING }))
    }
  }

  /** Writes under this run's lease alone: whoever took the task over since has another epoch. */
  #write(make: (record: TaskRecord) => TaskChange | undefined): Promise<TaskRecord | undefined> {
    return this.#book.change(this.#record.id, (record) =>
      record.epoch === this.#lease.epoch ? make(record) : undefined,
    )
  }

  /** The same for what the handler came to, which is lost where it is not written: it waits for a store that is away. */
  #writeOut(make: (record: TaskRecord) => TaskChange | undefined): Promise<TaskRecord | undefined> {
    return untilBack(() => this.#write(make), { until: this.until })
  }

  /** Keeps the lease, and ends the handler of a task that is no longer its own. */
  async renew(): Promise<void> {
    const held = await this.#book.store
      .renew(leaseKey(this.#record.id), this.#lease, this.#book.leaseMs)
      .catch(() => true)
    const record = await this.#book.read(this.#record.id).catch(() => this.#record)
    if (record === undefined || isOver(record)) return this.cancel('The task was cancelled or has expired')
    this.takenOver = !held
    if (!held) this.cancel('Another worker has taken the task over')
  }

  #leftMs(): number {
    return Math.max(1, this.until - Date.now())
  }
}

export function leaseKey(id: string): string {
  return `task/${id}`
}

const NOT_RUNNING = { running: undefined, wakeAt: undefined } as const

function sleepsTooLong(): PorticoError {
  return new PorticoError(
    'limit-exceeded',
    'The task would sleep for longer than it is kept: give its tool a longer ttlMs',
  )
}
