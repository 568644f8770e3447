/**
 * How functions of the surrounding program are called: listeners, and rules that decide something. What such a function
 * throws, or a rejected promise that it returns, becomes a warning of the process: neither ends the work that called it.
 */

/** Calls a listener, if there is one; what it throws does not reach the caller. */
export function callListener<A extends readonly unknown[]>(
  listener: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  try {
    catchStrayPromise(listener?.(...args))
  } catch (error) {
    warn(error)
  }
}

/** Whether a value is a promise where a plain value was needed. Its rejection is reported, so that it ends no process. */
export function catchStrayPromise(value: unknown, report: (error: unknown) => void = warn): boolean {
  if (!isThenable(value)) return false
  // Whatever has a `then` may throw in it, too.
  Promise.resolve(value).catch(report)
  return true
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`A listener failed: ${text}`, { code: 'PORTICO_LISTENER' })
}
