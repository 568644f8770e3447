/**
 * Whoever waits for a call that may become a task: told of progress and questions as long as they wait. When they leave,
 * the questions of the task are still asked as part of the same conversation, and its caller hears no more of it.
 */

import type { Progress } from '@portico/sdk/client'
import { callListener } from '../../config/call-listener.ts'
import type { ActOptions } from '../options.ts'

/** Timers take no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class Attendance {
  /** The act as it is told to whoever answers the server's questions. */
  readonly act: ActOptions
  /** Fires when the caller gives up while they wait; what they do afterwards is not about the task. */
  readonly signal: AbortSignal | undefined
  #caller: ActOptions | undefined
  #asked: (question: string | undefined) => void = () => {}
  #steps = 0

  constructor(options: ActOptions) {
    this.#caller = options
    const { onProgress: _, signal, ...rest } = options
    this.signal = signal === undefined ? undefined : this.#whileWaiting(signal)
    this.act = {
      ...rest,
      ...(this.signal !== undefined && { signal: this.signal }),
      onWaiting: (question) => {
        this.#asked(question)
        callListener(this.#caller?.onWaiting, question)
      },
    }
  }

  #whileWaiting(signal: AbortSignal): AbortSignal {
    const giveUp = new AbortController()
    const pass = (): void => void (this.#caller !== undefined && giveUp.abort(signal.reason))
    signal.addEventListener('abort', pass, { once: true })
    if (signal.aborted) pass()
    return giveUp.signal
  }

  onQuestion(asked: (question: string | undefined) => void): void {
    this.#asked = asked
  }

  progress(progress: Progress): void {
    this.#steps = Math.max(this.#steps, progress.progress)
    callListener(this.#caller?.onProgress, progress)
  }

  /** What a task says of itself is progress to whoever waits. */
  status(message: string | undefined): void {
    if (message !== undefined) callListener(this.#caller?.onProgress, { progress: this.#steps, message })
  }

  /** Whether the work is still under way after that time. */
  async isLeftAfter(ms: number, work: Promise<unknown>): Promise<boolean> {
    const done = () => false
    if (ms === Number.POSITIVE_INFINITY) return work.then(done, done)
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS), true)
    })
    const isLeft = await Promise.race([work.then(done, done), late])
    clearTimeout(timer)
    return isLeft
  }

  leave(): void {
    callListener(this.#caller?.onWaiting, undefined)
    this.#caller = undefined
  }
}
