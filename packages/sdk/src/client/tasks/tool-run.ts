/** A call that became a task, followed: what `watch.ts` sees of it is turned into a result, an error, or answers to questions. */

import { PorticoError, RpcError, withDoubt } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { CORE_TASKS, isFinal, type TaskView } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { SentCall } from '../attempt.ts'
import type { RequestOptions } from '../options.ts'
import type { RequestRelay } from '../relay.ts'
import { within } from '../with-deadline.ts'
import type { TaskHost } from './host.ts'
import { Patience } from './patience.ts'
import { TaskQuestions } from './questions.ts'
import { cancelTask, fetchResult, type SeenTask } from './requests.ts'
import type { ToolRun } from './run.ts'
import { TaskWatch } from './watch.ts'

interface RunSettings {
  readonly seen: SeenTask
  /** The tool, where it is known: its result is held against what the tool promises. */
  readonly tool?: string
  readonly options: RequestOptions
  readonly immediateResponse?: string | undefined
  /** The request that became the task, whose progress goes on. */
  readonly sent?: SentCall | undefined
}

/** One following of a task, however many wait for it. */
interface Following {
  readonly controller: AbortController
  readonly result: Promise<CallToolResult>
  waiting: number
}

export class TaskRun implements ToolRun {
  readonly immediateResponse?: string
  readonly #host: TaskHost
  readonly #watch: TaskWatch
  readonly #questions: TaskQuestions
  readonly #tool: string
  readonly #relay: RequestRelay | undefined
  #following: Following | undefined
  /** `tasks/result` of 2025-11-25, while it is open and after. */
  #fetched: Promise<JsonObject> | undefined

  constructor(host: TaskHost, { seen, tool = '', options, immediateResponse, sent }: RunSettings) {
    this.#host = host
    this.#watch = new TaskWatch(host, seen)
    this.#questions = new TaskQuestions(host, options.relay)
    this.#tool = tool
    this.#relay = options.relay && questionsOf(options.relay)
    if (immediateResponse !== undefined) this.immediateResponse = immediateResponse
    if (sent?.onProgress !== undefined && seen.generation === CORE_TASKS)
      this.#watch.onOver = sent.connection?.peer.keepProgress(sent)
  }

  get task(): TaskView {
    return this.#watch.view
  }

  get generation(): 'core' | 'extension' {
    return this.#watch.generation.name
  }

  status(): Promise<TaskView> {
    return this.#watch.ask()
  }

  async *updates(): AsyncGenerator<TaskView, void, void> {
    let wake = (): void => {}
    let next: TaskView | undefined
    let failure: { readonly error: unknown } | undefined
    const stop = this.#watch.watch({
      changed: (view) => {
        next = view
        wake()
      },
      failed: (error) => {
        failure = { error }
        wake()
      },
    })
    try {
      for (;;) {
        if (next === undefined && failure === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        if (failure !== undefined) throw failure.error
        const view = next
        next = undefined
        if (view === undefined) continue
        yield view
        if (isFinal(view.status)) return
      }
    } finally {
      stop()
    }
  }

  async result({ signal }: { readonly signal?: AbortSignal } = {}): Promise<CallToolResult> {
    this.#following ??= this.#begin()
    const following = this.#following
    following.waiting++
    let done = false
    try {
      const result = await within(following.result, signal === undefined ? {} : { signal }, () => {})
      done = true
      return result
    } finally {
      // The last one who waited has gone: nobody is to be asked anything any more.
      if (--following.waiting === 0 && !done) {
        following.controller.abort()
        if (this.#following === following) this.#following = undefined
      }
    }
  }

  async cancel(): Promise<void> {
    if (this.#watch.over) return
    try {
      const seen = await cancelTask(this.#host, this.task.taskId)
      if (seen === undefined) this.#watch.wake()
      else this.#watch.take(seen)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      // 2025-11-25 refuses for tasks that are over, which is what was wanted.
      const { status } = await this.#watch.ask()
      if (!isFinal(status)) throw error
    }
  }

  #begin(): Following {
    const controller = new AbortController()
    const result = this.#follow(controller.signal)
    // Whoever waits hears of it; when nobody does any more, nobody has to.
    result.catch(() => {})
    return { controller, result, waiting: 0 }
  }

  #follow(signal: AbortSignal): Promise<CallToolResult> {
    const ended = new AbortController()
    const both = AbortSignal.any([signal, ended.signal])
    return new Promise<CallToolResult>((resolve, reject) => {
      const stop = this.#watch.watch({
        changed: (view) => {
          // A person who is still being asked need not answer any more.
          if (isFinal(view.status) && this.#watch.generation !== CORE_TASKS) ended.abort()
          this.#saw(view, both).then(
            (result) => {
              if (result !== undefined) resolve(result)
            },
            (error) => {
              // What became of a question counts no more once the task is over.
              if (isFinal(view.status) || !this.#watch.over) reject(error)
            },
          )
        },
        failed: reject,
      })
      both.addEventListener('abort', stop, { once: true })
    })
      .catch((error: unknown) => {
        // The call itself was taken long ago, whichever request about it was not (sec-746).
        throw withDoubt(error)
      })
      .finally(() => ended.abort())
  }

  /** What a look at the task comes to: the result, once there is one. */
  async #saw(view: TaskView, signal: AbortSignal): Promise<CallToolResult | undefined> {
    const core = this.#watch.generation === CORE_TASKS
    if (isFinal(view.status)) return this.#outcomeOf(view, signal)
    if (view.status !== 'input_required') return undefined
    // Questions of 2025-11-25 come while its result is waited for.
    if (core) return this.#read(await this.#fetchOnce(signal))
    await this.#questions.answer(view, signal)
    this.#watch.wake()
    return undefined
  }

  async #outcomeOf({ status, result, error, taskId }: TaskView, signal: AbortSignal): Promise<CallToolResult> {
    if (status === 'cancelled') {
      throw new PorticoError('aborted', 'The task was cancelled', { delivery: 'unknown', data: { taskId } })
    }
    if (result !== undefined) return this.#read(result as unknown as JsonObject)
    if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
    const { readMs: timeoutMs } = this.#host.timeouts
    return this.#read(await within(this.#fetchOnce(signal), { timeoutMs }, () => {}))
  }

  #read(result: JsonObject): CallToolResult {
    return this.#host.tools.readResult(this.#tool, result)
  }

  #fetchOnce(signal: AbortSignal): Promise<JsonObject> {
    this.#fetched ??= this.#fetchPatiently(signal).catch((error) => {
      this.#fetched = undefined
      throw error
    })
    return this.#fetched
  }

  async #fetchPatiently(signal: AbortSignal): Promise<JsonObject> {
    const relay = this.#relay
    for (const patience = new Patience(this.#host); ; ) {
      try {
        return await fetchResult(this.#host, this.task.taskId, { signal, ...(relay && { relay }) })
      } catch (error) {
        // What the server answers is the outcome of the call; only what got lost is asked for again.
        if (error instanceof RpcError) throw error
        await patience.afterFailure(error, signal)
      }
    }
  }
}

/** A call that the tool answered at once. */
export function createDoneRun(result: CallToolResult): ToolRun {
  return {
    status: () => Promise.reject(new PorticoError('not-found', 'The tool answered at once: there is no task')),
    updates: async function* () {},
    result: async () => result,
    cancel: async () => {},
  }
}

/** A relay for what a task asks: to cancel the request that is open meanwhile would end nothing. */
export function questionsOf(relay: RequestRelay): RequestRelay {
  return {
    owner: relay.owner,
    ...(relay.question && { question: (asked) => (relay.question as NonNullable<typeof relay.question>)(asked) }),
    ...(relay.log && { log: (params) => relay.log?.(params) }),
  }
}
