/** Time, as far as consent depends on it: so that a day passes in a test when the test says so. */

/** The time and its timers, so that tests can replace them. `now` is in milliseconds since 1970. */
export interface Clock {
  now(): number
  /** Calls back once, later. Returns a function that calls it off. Never keeps a process alive. */
  after(ms: number, callback: () => void): () => void
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    // A timer takes no more than this; whoever waits longer is called early and looks again.
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
