/** How a handler is left that waits for the client's input on the modern revisions (`rounds.ts`). */

import { isOfKind, PorticoError } from '../jsonrpc/errors.ts'

/**
 * Thrown inside a handler by `ctx.elicit`, `ctx.sample` and `ctx.roots` when the question goes out as the answer to the
 * request (2026-07-28). Do not catch it: `finally` blocks run, and the handler runs again once the answer is there.
 */
export class Suspended extends PorticoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<Suspended>(this, Suspended, value, ({ code }) => code === 'suspended')
  }

  constructor() {
    super('suspended', "The handler waits for the client's input; this run of it is over")
    this.name = 'Suspended'
  }
}
