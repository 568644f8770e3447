/**
 * One timer for many deadlines. `pending.ts` has a call end after so many milliseconds, thousands of times a second and
 * nearly always in vain: the timer is set for whatever is due first, stays set while answers come, and what is due is
 * looked for only when it fires.
 */

import { LONGEST_TIMER_MS } from './longest-timer.ts'

export class Deadline {
  readonly #sweep: (now: number) => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #armedAt = 0
  #firesAt = Infinity
  #resting = false

  /** `sweep` ends what is due and returns when the next is, or `Infinity`. */
  constructor(sweep: (now: number) => number) {
    this.#sweep = sweep
  }

  /** Something is due then. The process stays for it. */
  expect(dueAt: number, now: number): void {
    // A timer that should have fired, or was set later than now, belongs to a clock that was replaced meanwhile. Callers
    // may count in whole milliseconds, so one of them is no difference.
    if (dueAt < this.#firesAt || now >= this.#firesAt || now < this.#armedAt - 1) this.#arm(dueAt, now)
    else if (this.#resting) this.#ref()
  }

  /** Nothing is waited for: the timer may stay, but keeps no process alive. */
  rest(): void {
    if (this.#timer === undefined || this.#resting) return
    // The timers of the web are numbers and cannot be told so.
    if (typeof this.#timer === 'object') {
      this.#resting = true
      this.#timer.unref()
    } else {
      this.clear()
    }
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#firesAt = Infinity
    this.#resting = false
  }

  #arm(dueAt: number, now: number): void {
    this.clear()
    this.#armedAt = now
    this.#firesAt = dueAt
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(1, Math.round(dueAt - now)), LONGEST_TIMER_MS))
  }

  #ref(): void {
    this.#resting = false
    this.#timer?.ref()
  }

  readonly #fire = (): void => {
    this.clear()
    // Timers count whole milliseconds: what is due within the half of one is due.
    const next = this.#sweep(performance.now() + 0.5)
    if (next !== Infinity) this.expect(next, performance.now())
  }
}
