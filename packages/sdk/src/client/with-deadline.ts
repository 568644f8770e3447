/** Waiting that can be given up, for what is no request of its own. */

import { PorticoError } from '../jsonrpc/errors.ts'
import { abortError } from '../jsonrpc/pending.ts'
import { wait } from '../jsonrpc/time-limit.ts'
import type { RequestOptions } from './options.ts'

/** How long to wait, and what ends the waiting sooner. */
export type WaitOptions = Pick<RequestOptions, 'signal' | 'timeoutMs'>

/** The promise, unless the signal or the clock is first: then `giveUp` is called and the wait is over. */
export function within<T>(promise: Promise<T>, { signal, timeoutMs }: WaitOptions, giveUp: () => void): Promise<T> {
  if (signal === undefined && timeoutMs === undefined) return promise
  return new Promise((resolve, reject) => {
    // What is waited for may have begun long ago.
    const stop = (error: PorticoError) => {
      reject(error)
      giveUp()
    }
    const aborted = () => stop(abortError(signal!, 'unknown'))
    const late = () => stop(new PorticoError('timeout', `No answer within ${timeoutMs} ms`, { delivery: 'unknown' }))
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
    if (signal?.aborted) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    })
  })
}

/** Waits; rejects when the signal fires. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, signal)
  if (signal?.aborted) throw abortError(signal, 'not-sent')
}
