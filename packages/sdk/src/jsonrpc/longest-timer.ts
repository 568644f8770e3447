/** Timers of more milliseconds fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
