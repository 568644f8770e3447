/**
 * Holds a run of a handler to what an earlier run of it did: everything that was done or asked then has to come again
 * before anything new is. Branches that run side by side may come in any order, so what is new waits a moment for them.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

export class Replay {
  readonly #patienceMs: number
  /** In the order in which they were done. */
  readonly #ahead = new Set<string>()
  #waiting: (() => void)[] = []
  /** Why the run cannot go on, whatever the handler makes of the error. */
  fault: PorticoError | undefined

  /** `patienceMs`: how long something new waits for what was done before; branches may have to read something on their way. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Adds what the earlier run did. */
  expect(what: Iterable<string>): void {
    for (const one of what) this.#ahead.add(one)
  }

  /** Notes that the run came to something. */
  reach(what: string): void {
    if (!this.#ahead.delete(what) || this.#ahead.size > 0) return
    for (const go of this.#waiting.splice(0)) go()
  }

  /** Whether something was done before that this run has not come to. */
  get behind(): boolean {
    return this.#ahead.size > 0
  }

  /** Resolves once nothing of the earlier run is missing; rejects when it does not come. */
  caughtUp(asked: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.diverged(asked)), this.#patienceMs)
      if (typeof timer === 'object') timer.unref()
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** The handler does something else than it did before. */
  diverged(asked: string): PorticoError {
    const [logged] = this.#ahead
    return this.fail(
      `The handler does not do what it did before: its log has ${logged}, and it came to ${asked}. What a handler does may ` +
        'depend on its arguments, its answers and what ctx.step gives, and on nothing else',
      { logged, asked },
    )
  }

  fail(message: string, data: { readonly [member: string]: unknown }): PorticoError {
    this.fault ??= new PorticoError('replay-failed', message, { data })
    return this.fault
  }
}

export function stepCalled(name: string): string {
  return `the step "${name}"`
}

export function questionCalled(key: string): string {
  return `the question "${key}"`
}
