/**
 * The one way in which functions are called that only watch: error hooks, observers, log sinks. What such a function
 * throws, or what its promise comes to, ends nothing: TypeScript takes an `async` function wherever a function without a
 * result is asked for, and a rejection that nobody hears of ends the process.
 */

/** Calls `tell`; `failed` hears what was thrown, now or later. */
export function tellObserver(tell: () => unknown, failed: (error: unknown) => void = ignore): void {
  try {
    const told = tell()
    if (typeof told === 'object' && told !== null && 'then' in told && typeof told.then === 'function') {
      Promise.resolve(told as PromiseLike<unknown>).then(undefined, (error: unknown) =>
        tellObserver(() => failed(error)),
      )
    }
  } catch (error) {
    if (failed !== ignore) tellObserver(() => failed(error))
  }
}

function ignore(): void {}
