/** Commands that stay until something ends them, whatever else is open in this process. */

import { exitNow } from '../../definition/exit-in-definition.ts'

const LONG_MS = 2 ** 30
const LINGER_MS = 500

/** Waits for the first of the signals and keeps the process: a server that runs inside it has nothing open that would. */
export function stayUntil(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals])
  if (any.aborted) return Promise.resolve()
  const timer = setInterval(() => {}, LONG_MS)
  return new Promise((resolve) => {
    any.addEventListener(
      'abort',
      () => {
        clearInterval(timer)
        resolve()
      },
      { once: true },
    )
  })
}

/** What a definition still holds open, a timer or a connection, must not keep a command that is over. */
export function leaveSoon(): void {
  setTimeout(() => exitNow(), LINGER_MS).unref()
}

/** Keeps the process until the work is done: what is being ended may have nothing open any more that would. */
export async function stayDuring<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {}, LONG_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
