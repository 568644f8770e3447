/** One task while this process follows it: how it stands, what it waits for, and who is told of that. */

import type { TaskView, ToolRun } from '@portico/sdk/client'
import { toClean } from '../../guard/foreign-text.ts'
import { DEFAULT_SESSION } from '../circumstances.ts'
import type { ActOptions } from '../options.ts'
import { type HostTask, toHostTask } from './host-task.ts'
import type { CallEffect } from './task-access.ts'
import { isOver, type KeptTask, labelOfTask } from './task-book.ts'

/** Told of every change; `isState` where more than its words changed, which is worth keeping. */
type Changed = (task: FollowedTask, isState: boolean) => void

export class FollowedTask {
  readonly run: ToolRun
  /** Ends the waiting for the result, and not the task. */
  readonly leaving = new AbortController()
  readonly #changed: Changed
  #kept: KeptTask
  #question: string | undefined

  constructor(run: ToolRun, kept: KeptTask, changed: Changed) {
    this.run = run
    this.#kept = kept
    this.#changed = changed
    void this.#watch()
  }

  get kept(): KeptTask {
    return this.#kept
  }

  get label(): string {
    return this.#kept.label
  }

  view(): HostTask {
    return toHostTask(this.#kept, { followed: true, ...(this.#question !== undefined && { question: this.#question }) })
  }

  /** A person is being asked for it, or no longer. */
  waitsFor(question: string | undefined): void {
    if (this.#question === question) return
    this.#question = question
    this.#changed(this, false)
  }

  /** It is over, as the result told before any status did. */
  end(status: KeptTask['status'], message?: string): void {
    this.#question = undefined
    if (isOver(this.#kept)) return
    this.#set({ ...this.#kept, status, updatedAt: Date.now(), ...(message !== undefined && { message }) })
  }

  async #watch(): Promise<void> {
    try {
      for await (const task of this.run.updates()) {
        if (this.leaving.signal.aborted || isOver(this.#kept)) return
        // The result says what became of it; until that is there, it is not over for anybody.
        if (!isOver(task)) this.#set({ ...this.#kept, ...toKnown(task) })
      }
    } catch {
      // Whoever waits for the result is told why there is none.
    }
  }

  #set(next: KeptTask): void {
    const { status, message, expiresAt } = this.#kept
    const isState = next.status !== status || next.expiresAt !== expiresAt
    const isNews = next.status !== status || next.message !== message
    this.#kept = isNews ? withStep(next) : next
    if (isState || isNews) this.#changed(this, isState)
  }
}

const MAX_STEPS = 20
const MAX_STEP_MESSAGE = 200

/** What is kept of a call that has become a task of the server with this identity. */
export function toKept(run: ToolRun, effect: CallEffect, options: ActOptions, identity: string): KeptTask {
  const { server, tool, arguments: sent } = effect
  const { task, generation = 'extension' } = run
  if (task === undefined) throw new TypeError('it is no task')
  const { session = DEFAULT_SESSION, byModel = false } = options
  return withStep({
    label: labelOfTask(identity, task.taskId),
    taskId: task.taskId,
    server,
    identity,
    tool,
    generation,
    startedAt: task.createdAt,
    ...toKnown(task),
    // On behalf of somebody else, it is theirs alone to take up again.
    ...(options.principal === undefined && { call: { session, arguments: sent, byModel } }),
    follower: process.pid,
  })
}

/** The task with what it says now at the end of its history. */
function withStep(task: KeptTask): KeptTask {
  const { status, message, updatedAt: at, history = [] } = task
  const step = { at, status, ...(message !== undefined && { message: message.slice(0, MAX_STEP_MESSAGE) }) }
  return { ...task, history: [...history, step].slice(-MAX_STEPS) }
}

/** What is kept of what a server says about a task. */
function toKnown({ status, statusMessage, createdAt, updatedAt, ttlMs }: TaskView) {
  return {
    status,
    message: statusMessage === undefined ? undefined : toClean(statusMessage).slice(0, 500),
    updatedAt,
    ...(Number.isFinite(ttlMs) && { expiresAt: createdAt + ttlMs }),
  } satisfies Partial<KeptTask>
}
