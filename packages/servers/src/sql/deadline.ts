/** Ends work that runs too long or that nobody waits for any more, and says which of the two it was. */

import { ToolError } from '@portico/sdk/server'

interface DeadlineOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Ends the work itself; called at most once. */
  readonly stop: () => void
}

export function withDeadline<T>(work: Promise<T>, { timeoutMs, signal, stop }: DeadlineOptions): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (error: Error): void => {
      release()
      reject(error)
      stop()
    }
    const onAbort = (): void => end(new ToolError('The statement was cancelled.'))
    const timer = setTimeout(() => end(timedOut(timeoutMs)), timeoutMs)
    const release = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => {
        release()
        resolve(value)
      },
      (error: unknown) => {
        release()
        reject(error)
      },
    )
  })
}

export function timedOut(timeoutMs: number): ToolError {
  return new ToolError(
    `The statement was stopped after ${timeoutMs} ms (option "timeoutMs"). Narrow it: fewer tables, a condition on an indexed column, a limit.`,
  )
}
