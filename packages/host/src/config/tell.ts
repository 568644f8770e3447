/**
 * How functions of the program around are called that are told of something or decide something. What such a function
 * throws, or a promise of its that is rejected, is written down: it ends neither the work that called it nor the process.
 */

/** Tells a listener; nothing that it does reaches the caller. */
export function tell<A extends readonly unknown[]>(listener: ((...args: A) => unknown) | undefined, ...args: A): void {
  try {
    observe(listener?.(...args))
  } catch (error) {
    warn(error)
  }
}

/** Whether something is a promise, where none is of use; that it may be rejected is seen to. */
export function observe(value: unknown, report: (error: unknown) => void = warn): boolean {
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
