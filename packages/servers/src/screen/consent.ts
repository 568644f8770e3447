/**
 * Whether the screen may be looked at, and by whom: asked before the first picture, remembered for the session or the
 * user, for a while. Whoever cannot be told apart from others is asked every time.
 */

import type { AskingContext } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import type { ScreenSettings } from './options.ts'

const QUESTION =
  'Let this program look at your screen? It can take pictures of whole screens and of windows, with everything that is on them.'

export class Consents {
  readonly #settings: ScreenSettings
  readonly #sessions = new WeakMap<object, number>()
  readonly #users = new Map<string, number>()
  #latest = 0

  constructor(settings: ScreenSettings) {
    this.#settings = settings
  }

  async require(ctx: AskingContext): Promise<void> {
    const { ask, allowUnasked, consentMs } = this.#settings
    if (ask && !this.#holds(ctx)) await requireConfirmation(ctx, QUESTION, allowUnasked)
    else if (ask) return
    const until = Date.now() + consentMs
    this.#latest = until
    if (ctx.session !== undefined) this.#sessions.set(ctx.session, until)
    else {
      const user = userOf(ctx)
      if (user !== undefined) this.#users.set(user, until)
    }
  }

  /** Whether anybody's yes holds: the screen is not watched before, nor after. */
  get isGiven(): boolean {
    return !this.#settings.ask || Date.now() < this.#latest
  }

  #holds(ctx: AskingContext): boolean {
    const user = userOf(ctx)
    const until = ctx.session === undefined ? user && this.#users.get(user) : this.#sessions.get(ctx.session)
    return typeof until === 'number' && Date.now() < until
  }
}

/** On the newest revision there are no sessions. Over HTTP, somebody without a name may be anybody. */
export function userOf(ctx: Pick<AskingContext, 'principal' | 'head'>): string | undefined {
  if (ctx.principal !== undefined) return `user ${ctx.principal.id}`
  return ctx.head === undefined ? 'local' : undefined
}
