/**
 * Watches one task for as long as somebody wants to know: asks again and again at the interval that the server gives, within
 * bounds, and takes what the server tells of its own accord. Nobody relies on being told (2025-11-25, tasks, "Task Status
 * Notification"), and no server can make this side ask too often, or never.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { wait } from '../../jsonrpc/time-limit.ts'
import { isFinal, readTask, type TaskGeneration, type TaskView } from '../../protocol/tasks.ts'
import type { TaskHost } from './host.ts'
import { Patience } from './patience.ts'
import { getTask, type SeenTask } from './requests.ts'

/** Between two questions about one task, whatever the server says. */
const SHORTEST_POLL_MS = 100
const LONGEST_POLL_MS = 60_000
/** Tasks whose news are listened for at the same time; others are asked about. */
const MAX_LISTENS = 16

interface Watcher {
  /** The task as it is when the watching begins, and after each change. */
  changed(view: TaskView): void
  /** Nothing more can be found out. */
  failed(error: unknown): void
}

export class TaskWatch {
  view: TaskView
  generation: TaskGeneration
  /** Called when the task is seen to be over. */
  onOver: (() => void) | undefined
  readonly #host: TaskHost
  readonly #since = performance.now()
  readonly #watchers = new Set<Watcher>()
  #running: AbortController | undefined
  #nap = new AbortController()

  constructor(host: TaskHost, { view, generation }: SeenTask) {
    this.#host = host
    this.view = view
    this.generation = generation
  }

  get over(): boolean {
    return isFinal(this.view.status)
  }

  /** Begins to watch; the function that comes back ends it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    queueMicrotask(() => this.#watchers.has(watcher) && watcher.changed(this.view))
    if (!this.over) this.#running ??= this.#start()
    return () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#stop()
    }
  }

  /** Asks the server now. */
  async ask(): Promise<TaskView> {
    const seen = await getTask(this.#host, this.view.taskId)
    if (this.over && seen.view.status !== this.view.status) {
      throw invalid(`went from ${this.view.status} to ${seen.view.status}`)
    }
    this.take(seen)
    return this.view
  }

  /** Asks at the next opportunity, without waiting for the interval to pass. */
  wake(): void {
    this.#nap.abort()
  }

  /** Takes what was seen of the task, from an answer or a notice. What is over stays as it ended. */
  take({ view, generation }: SeenTask): void {
    const before = this.view
    if (view.taskId !== before.taskId) throw invalid('has another id than the one that was asked about')
    if (this.over) return
    this.view = view
    this.generation = generation
    if (this.over) {
      this.#stop()
      this.onOver?.()
    }
    if (summaryOf(view) === summaryOf(before)) return
    for (const watcher of [...this.#watchers]) watcher.changed(view)
  }

  #start(): AbortController {
    const running = new AbortController()
    void this.#listen(running.signal)
    // A client that was closed is asked at once, and says so.
    const forget = this.#host.emitter.on('close', () => this.wake())
    running.signal.addEventListener('abort', forget, { once: true })
    this.#poll(running.signal).catch((error) => {
      if (running.signal.aborted) return
      this.#stop()
      for (const watcher of [...this.#watchers]) watcher.failed(error)
      this.#watchers.clear()
    })
    return running
  }

  #stop(): void {
    this.#running?.abort()
    this.#running = undefined
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const patience = new Patience(this.#host)
    while (!signal.aborted) {
      const { taskMs } = this.#host.timeouts
      const dueAt = this.#since + Math.min(this.view.ttlMs, taskMs)
      const interval = Math.min(Math.max(this.view.pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS)
      this.#nap = new AbortController()
      const left = Math.max(SHORTEST_POLL_MS, dueAt - performance.now())
      await wait(Math.min(interval, left), AbortSignal.any([signal, this.#nap.signal]))
      if (signal.aborted) return
      try {
        const seen = await getTask(this.#host, this.view.taskId)
        patience.answered()
        if (!signal.aborted) this.take(seen)
      } catch (error) {
        await patience.afterFailure(error, signal)
      }
      if (!this.over && performance.now() >= dueAt) throw this.#late(taskMs)
    }
  }

  /** Has the server tell what it can; where it cannot, asking is enough. */
  async #listen(signal: AbortSignal): Promise<void> {
    const { taskNotices, reconnector, subscriptions } = this.#host
    const tell = (params: JsonObject): void => this.#told(params)
    taskNotices.add(tell)
    signal.addEventListener('abort', () => taskNotices.delete(tell), { once: true })
    if (this.generation.name === 'core') {
      reconnector.current?.peer.link.listen()
      return
    }
    if (taskNotices.size > MAX_LISTENS) return
    const wanted = { taskIds: [this.view.taskId] }
    const subscription = await subscriptions.add(wanted, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) await subscription?.close()
    else signal.addEventListener('abort', () => void subscription?.close(), { once: true })
  }

  #told(params: JsonObject): void {
    if (params.taskId !== this.view.taskId) return
    const { generation } = this
    try {
      this.take({ view: readTask(params, generation), generation })
    } catch {
      // What is wrong with the task is found out by asking, too, and said then.
      this.wake()
    }
  }

  #late(taskMs: number): PorticoError {
    const { ttlMs } = this.view
    const why = ttlMs < taskMs ? `the ${ttlMs} ms that its server keeps it` : `${taskMs} ms (taskMs)`
    return new PorticoError('timeout', `The task was not over after ${why}`, { delivery: 'unknown' })
  }
}

/** What of a task a watcher is told about. */
function summaryOf({ status, statusMessage, updatedAt, questions = {} }: TaskView): string {
  return JSON.stringify([status, statusMessage, updatedAt, Object.keys(questions)])
}

function invalid(reason: string): PorticoError {
  return new PorticoError('invalid-message', `A task of the server's ${reason}`, { delivery: 'unknown' })
}
