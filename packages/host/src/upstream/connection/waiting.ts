/** Waiting that can be given up, for connections to servers and the catalogue. */

import { wait } from '@portico/sdk/internal'

/** The same promise for a caller that may stop waiting. What it stands for goes on. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason)
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}

/** Rejects with a `TimeoutError` when it takes longer. */
export async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return abortable(promise, AbortSignal.timeout(ms))
}

/** Rejects with the signal's own reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, signal)
  signal.throwIfAborted()
}
