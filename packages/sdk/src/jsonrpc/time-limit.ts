/** Time that runs out, as a signal. In place of `AbortSignal.timeout` wherever it is joined with other signals. */

/**
 * Aborts after so many milliseconds, or with the first of the signals. `AbortSignal.any` holds its sources weakly, and on Node 20 nothing
 * else holds an `AbortSignal.timeout`: once it is collected as garbage, the time never runs out. Here the timer holds its signal.
 */
export function timeLimit(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('The time is up', 'TimeoutError')), ms)
  // Nobody is kept from ending by it; other runtimes have plain numbers here.
  if (typeof timer === 'object') timer.unref()
  return signals.length === 0 ? controller.signal : AbortSignal.any([controller.signal, ...signals])
}

/** Waits for so long, or until the signal fires; which of them it was, the signal tells. May keep no process alive. */
export function wait(ms: number, signal: AbortSignal | undefined, keepsAlive = true): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (!keepsAlive && typeof timer === 'object') timer.unref()
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}
