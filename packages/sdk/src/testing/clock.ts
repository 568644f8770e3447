/**
 * Time that a test moves by hand: while it is installed, `Date.now`, `performance.now` and the timers of the whole program
 * follow it. Promises, `setImmediate` and real input and output go on as usual, so what runs in memory works as before.
 */

import { PorticoError } from '../jsonrpc/errors.ts'

/** A clock that moves only when told to. */
export interface TestClock {
  /** Milliseconds since 1970, as `Date.now()` says meanwhile. */
  readonly now: number
  /** Lets time pass: what falls due runs in order, with time for its promises after each. */
  advance(ms: number): Promise<void>
  /** Gives the program its own time back. Timers that have not fired are dropped. */
  restore(): void
  [Symbol.dispose]?(): void
}

interface Timer {
  readonly id: number
  due: number
  readonly every: number | undefined
  readonly action: () => void
}

let installed = false

/**
 * Puts a clock that moves only when told to in place of `setTimeout`, `setInterval`, `Date.now` and `performance.now`,
 * until `restore`. There can be one at a time. `Date.now()` begins at `start`, the real time unless given;
 * `performance.now()` at 0.
 *
 * @example
 * ```ts
 * import { createClock } from '@portico/sdk/testing'
 *
 * const clock = createClock()
 * setTimeout(() => console.log('a minute later'), 60_000)
 * await clock.advance(60_000) // prints at once
 * clock.restore()
 * ```
 */
export function createClock(start: number = Date.now()): TestClock {
  if (installed) throw new PorticoError('invalid-definition', 'There is a test clock already; restore it first')
  installed = true
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
  }
  const [realNow, realPerformanceNow] = [Date.now, performance.now]
  const timers = new Map<number, Timer>()
  let now = start
  let nextId = 1
  const add = (action: (...args: unknown[]) => void, ms: number | undefined, repeat: boolean, args: unknown[]) => {
    const id = nextId++
    const wait = Math.max(1, Number(ms) || 0)
    timers.set(id, { id, due: now + wait, every: repeat ? wait : undefined, action: () => action(...args) })
    return toHandle(id)
  }
  const remove = (handle: unknown): void => {
    timers.delete(Number(handle))
  }
  // Runtimes differ in what a timer is; the fakes do what is common to all of them.
  Object.assign(globalThis, {
    setTimeout: (action: () => void, ms?: number, ...args: unknown[]) => add(action, ms, false, args),
    setInterval: (action: () => void, ms?: number, ...args: unknown[]) => add(action, ms, true, args),
    clearTimeout: remove,
    clearInterval: remove,
  })
  Date.now = () => now
  performance.now = () => now - start
  const restore = (): void => {
    if (!installed) return
    installed = false
    timers.clear()
    Object.assign(globalThis, real)
    Date.now = realNow
    performance.now = realPerformanceNow
  }
  return {
    get now() {
      return now
    },
    async advance(ms) {
      const until = now + ms
      await settle(real.setTimeout)
      for (let timer = nextDue(timers, until); timer !== undefined; timer = nextDue(timers, until)) {
        now = Math.max(now, timer.due)
        if (timer.every === undefined) timers.delete(timer.id)
        else timer.due += timer.every
        timer.action()
        await settle(real.setTimeout)
      }
      now = until
    },
    restore,
  }
}

function nextDue(timers: ReadonlyMap<number, Timer>, until: number): Timer | undefined {
  let next: Timer | undefined
  for (const timer of timers.values()) {
    if (timer.due <= until && (next === undefined || timer.due < next.due)) next = timer
  }
  return next
}

/** A few real turns of the event loop: enough for promises, channels in memory and `setImmediate`. */
async function settle(realTimeout: typeof setTimeout): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => realTimeout(resolve, 0))
}

/** A number where a number is wanted, and the methods that Node's timers have. */
function toHandle(id: number): object {
  const handle = {
    ref: () => handle,
    unref: () => handle,
    hasRef: () => false,
    [Symbol.toPrimitive]: () => id,
  }
  return handle
}
